"""The same contract over both ways to have llama.cpp: compiled for this machine, and xllamacpp's wheel."""

import sys
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from bridge.errors import ModelUnusable
from bridge.models import model_setup
from bridge.models.embedder import Embedder
from bridge.models.folder import InstalledModel
from bridge.models.generator import Generator
from bridge.types import Digest
from tests.models import reference
from tests.models.ranking import ranking_gguf
from tests.models.scripted import scripted_gguf
from tests.models.small import CONFIG, VOCABULARY, bert_gguf, bert_weights, sentences
from tests.models.test_convert import SPEC
from tests.models.test_generate import ANSWER, ask, text_of
from tests.models.test_rerank import reranker

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(params=["llama_cpp", "xllamacpp"])
def library(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The library that worker processes find; for xllamacpp the other one is hidden from them."""
    name: str = request.param
    if name == "xllamacpp":
        hiding = tmp_path / "hiding"
        hiding.mkdir()
        (hiding / "sitecustomize.py").write_text("import sys\nsys.modules['llama_cpp'] = None\n")
        monkeypatch.setenv("PYTHONPATH", str(hiding))
    return name


@pytest.fixture
async def embedder(library: str, tmp_path: Path) -> AsyncIterator[Embedder]:
    made = Embedder(InstalledModel(SPEC, bert_gguf(tmp_path, name=f"{library}.gguf"), Digest("0" * 64)), 1, 600)
    yield made
    await made.close()


@pytest.fixture
async def speaking(library: str, tmp_path: Path) -> AsyncIterator[Generator]:
    made = Generator(scripted_gguf(tmp_path / f"{library}.gguf", {"<|answer|>": ANSWER}), window=2048)
    yield made
    await made.close()


def uses(pid: int, library: str) -> bool:
    """Return whether a process has a library loaded."""
    return any(f"/{library}/" in one.path for one in psutil.Process(pid).memory_maps())


async def test_vectors_are_those_of_the_weights(embedder: Embedder, library: str) -> None:
    texts = sentences(4)
    right = [reference.embed(bert_weights(), CONFIG, reference.pieces(VOCABULARY, text)) for text in texts]
    found = await embedder.embed([*texts, "a bread " * 100])
    assert min(float(a @ b) for a, b in zip(found.vectors, right, strict=False)) > 0.998
    assert found.truncated == (False,) * 4 + (True,)
    (pid,) = embedder.pids
    assert [name for name in ("llama_cpp", "xllamacpp") if uses(pid, name)] == [library]


async def test_an_answer_is_held_by_a_grammar(speaking: Generator, library: str) -> None:
    assert await text_of(speaking, ask("?")) == "".join(ANSWER)
    assert await text_of(speaking, ask("?", grammar='root ::= "no" | "yes"')) in {"no", "yes"}
    with pytest.raises(ModelUnusable, match="grammar"):
        await text_of(speaking, ask("?", grammar="root ::= ("))
    assert uses(speaking.pid or 0, library)


async def test_passages_are_ranked(library: str, tmp_path: Path) -> None:
    ranks = reranker(ranking_gguf(tmp_path / f"{library}.gguf"))
    found = await ranks.score("bread", ["salt", "rye dough", "a " * 600])
    assert found.scores[1] > found.scores[0] == found.scores[2] == 0
    assert uses(ranks.pid or 0, library)
    await ranks.close()


async def test_a_file_that_is_no_model_is_refused(library: str, tmp_path: Path) -> None:
    junk = tmp_path / f"{library}.gguf"
    junk.write_bytes(b"GGUF and then nothing of the kind")
    embedder = Embedder(InstalledModel(SPEC, junk, Digest("0" * 64)), 1, 600)
    with pytest.raises(ModelUnusable, match=r"llama\.cpp cannot use"):
        await embedder.embed(["bread"])
    await embedder.close()


def test_the_described_version_is_the_pinned_one() -> None:
    wanted = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    assert f"xllamacpp=={model_setup.PREBUILT_VERSION}; sys_platform != 'win32'" in wanted


def test_another_version_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    assert model_setup.has_llama()
    monkeypatch.setattr(model_setup, "PREBUILT_VERSION", "2027.1")
    assert not model_setup.has_llama()
    with pytest.raises(ImportError):
        model_setup.load_llama()
