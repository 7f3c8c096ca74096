"""The same contract over both ways to have llama.cpp: compiled for this machine, and xllamacpp's wheel.

Windows has a third library, which this cannot load; so what it declares is compared with what is described.
"""

import ctypes
import importlib
import inspect
import sys
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.errors import ModelUnusable
from bridge.models import model_setup, prebuilt_api
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
LAYOUT = Path(__file__).with_name("llama-cpp-py-sync-0.11548.txt")
"""What the C declarations in that package mean on a 64-bit system, as `declared_layout` reads them."""


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


def test_the_described_versions_are_the_pinned_ones() -> None:
    wanted = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    others, windows = model_setup.PREBUILT
    assert {f"{others}; sys_platform != 'win32'", f"{windows}; sys_platform == 'win32'"} <= set(wanted)
    assert LAYOUT.stem == windows.replace("==", "-")


def test_the_library_for_windows_has_the_described_layout() -> None:
    assert described_layout() == LAYOUT.read_text(encoding="utf-8").splitlines()


def test_the_library_for_windows_still_declares_that_layout() -> None:
    pytest.importorskip("llama_cpp_py_sync", reason="the package is for Windows", exc_type=ImportError)
    assert declared_layout() == LAYOUT.read_text(encoding="utf-8").splitlines()


def described_layout() -> list[str]:
    """Return each constant, structure and function of `prebuilt_api` in a line: sizes, offsets and kinds."""

    def kind(of: Any) -> str:
        if of is None:
            return "void"
        if issubclass(of, ctypes.Structure):
            return str(of.__name__)
        code = getattr(of, "_type_", "P")
        if not isinstance(code, str) or code in "zPO":
            return "pointer"
        name = {"?": "bool", "f": "float"}.get(code, "unsigned" if code.isupper() else "signed")
        return f"{name}{ctypes.sizeof(of)}"

    lines = []
    for name, value in vars(prebuilt_api).items():
        # Of flags the package declares the order only.
        if isinstance(value, int) and "_ATTR_" not in name:
            lines.append(f"{name} = {value}")
        elif inspect.isclass(value) and issubclass(value, ctypes.Structure):
            at = [f"{field}:{kind(of)}@{getattr(value, field).offset}" for field, of, *_ in value._fields_]
            lines.append(f"{name} {ctypes.sizeof(value)} {' '.join(at)}")
    for name, (result, arguments) in prebuilt_api._SIGNATURES.items():
        lines.append(f"{name} {' '.join(map(kind, arguments))} -> {kind(result)}")
    return lines


def declared_layout() -> list[str]:
    """Return the same of the same names, as cffi reads them from the package's own declarations."""
    bindings = importlib.import_module("llama_cpp_py_sync._cffi_bindings")
    ffi, library = bindings.get_ffi(), bindings.get_lib()

    def kind(of: Any) -> str:
        if of.kind in {"void", "struct"}:
            return str(of.cname).removeprefix("struct ")
        if of.kind not in {"primitive", "enum"}:
            return "pointer"
        signed = of.kind == "enum" or not of.cname.startswith(("u", "size_t"))
        name = {"_Bool": "bool", "float": "float"}.get(of.cname, "signed" if signed else "unsigned")
        return f"{name}{ffi.sizeof(of)}"

    lines = []
    for line in described_layout():
        name = line.split()[0]
        if " = " in line:
            lines.append(f"{name} = {getattr(library, name)}")
        elif "->" in line:
            function = ffi.typeof(getattr(library, name))
            lines.append(f"{name} {' '.join(map(kind, function.args))} -> {kind(function.result)}")
        else:
            of = ffi.typeof(name if name in bindings.ffi.list_types()[0] else f"struct {name}")
            at = [f"{field}:{kind(about.type)}@{about.offset}" for field, about in of.fields]
            lines.append(f"{name} {ffi.sizeof(of)} {' '.join(at)}")
    return lines


def test_the_command_of_the_hint_suits_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_setup, "_WINDOWS", True)
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\Python\python.exe")
    monkeypatch.setattr(sys, "prefix", str(PYPROJECT.parent))
    assert model_setup.install_command("numpy") == r'"C:\Program Files\Python\python.exe" -m pip install numpy'


def test_another_version_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    assert model_setup.has_llama()
    monkeypatch.setattr(model_setup, "PREBUILT", [f"{one.split('==')[0]}==2027.1" for one in model_setup.PREBUILT])
    assert not model_setup.has_llama()
    with pytest.raises(ImportError):
        model_setup.load_llama()
