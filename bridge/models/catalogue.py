"""The embedding models that can be installed by name, with their facts."""

from dataclasses import dataclass
from typing import Literal

from bridge.errors import ModelMissing

Pooling = Literal["mean", "cls", "last"]
"""How a model's token vectors become one vector."""

Source = Literal["wheel", "download", "file"]
"""The source of a model's file."""

DEFAULT_MODEL = "all-minilm-l6-v2"
"""The default model of the settings."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """The facts needed to fetch and use an embedding model.

    `window` is the maximum number of tokens per text; `sha256` is that of the GGUF file, or None where it could not be
    checked ("unverified").
    """

    id: str
    title: str
    dimensions: int
    window: int
    pooling: Pooling
    languages: str
    license: str
    source: Source
    query_prefix: str = ""
    passage_prefix: str = ""
    size_bytes: int | None = None
    url: str | None = None
    sha256: str | None = None


_HUB = "https://huggingface.co"

_CATALOGUE = (
    ModelSpec(
        id=DEFAULT_MODEL,
        title="all-MiniLM-L6-v2",
        dimensions=384,
        # The model card: longer input was cut at 256 in training.
        window=256,
        pooling="mean",
        languages="English",
        license="Apache-2.0",
        source="wheel",
        size_bytes=25_282_272,
        sha256="3fc763f17c31786c3287208b6a5a83e3c516754f911665b7770c90be708aed14",
    ),
    ModelSpec(
        id="bge-small-en-v1.5",
        title="BGE small en v1.5",
        dimensions=384,
        window=512,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
        languages="English",
        license="MIT",
        source="download",
        url=f"{_HUB}/CompendiumLabs/bge-small-en-v1.5-gguf/resolve/main/bge-small-en-v1.5-q8_0.gguf",
    ),
    ModelSpec(
        id="multilingual-e5-small",
        title="Multilingual E5 small",
        dimensions=384,
        window=512,
        pooling="mean",
        query_prefix="query: ",
        passage_prefix="passage: ",
        languages="about 100 languages",
        license="MIT",
        source="download",
        url=f"{_HUB}/keisuke-miyako/multilingual-e5-small-gguf-q8_0/resolve/main/multilingual-e5-small-Q8_0.gguf",
    ),
    ModelSpec(
        id="nomic-embed-text-v1.5",
        title="Nomic Embed Text v1.5",
        dimensions=768,
        window=2048,
        pooling="mean",
        query_prefix="search_query: ",
        passage_prefix="search_document: ",
        languages="English",
        license="Apache-2.0",
        source="download",
        url=f"{_HUB}/nomic-ai/nomic-embed-text-v1.5-GGUF/resolve/main/nomic-embed-text-v1.5.Q8_0.gguf",
    ),
    ModelSpec(
        id="embeddinggemma-300m",
        title="EmbeddingGemma 300M",
        dimensions=768,
        window=2048,
        pooling="mean",
        query_prefix="task: search result | query: ",
        passage_prefix="title: none | text: ",
        languages="about 100 languages",
        license="Gemma Terms of Use",
        source="download",
        url=f"{_HUB}/ggml-org/embeddinggemma-300M-GGUF/resolve/main/embeddinggemma-300M-Q8_0.gguf",
    ),
)


def catalogue() -> tuple[ModelSpec, ...]:
    """Return every model that can be installed by name, the default first."""
    return _CATALOGUE


def find_in_catalogue(id_: str) -> ModelSpec:
    """Return the catalogue entry of a name.

    Raises:
        ModelMissing: The catalogue has no such model; the message lists its models.
    """
    for spec in _CATALOGUE:
        if spec.id == id_:
            return spec
    names = ", ".join(spec.id for spec in _CATALOGUE)
    raise ModelMissing(
        f"There is no model {id_!r} in the catalogue.",
        hint=f"Choose one of {names}, or give a GGUF file to `vault-bridge models use`.",
    )


def related_spec(name: str) -> ModelSpec | None:
    """Return the catalogue entry whose name occurs in a foreign file's name, for its prefixes."""
    plain = _letters(name)
    return next((spec for spec in _CATALOGUE if _letters(spec.id) in plain), None)


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
