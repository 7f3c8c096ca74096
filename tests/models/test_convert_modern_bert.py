import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec, ModernBertSource, SourceFile, find_in_catalogue
from bridge.models.convert import convert_modern_bert
from bridge.models.install import install_spec
from bridge.models.worker import facts_of, vectors_of
from tests.models import modern_bert
from tests.models.hub import Hub, serving
from tests.models.modern_bert import CLS, REAL, SEP, SMALL, TOKENS, source_files

NOWHERE = SourceFile("none", "https://localhost/none", 0, "")
FACTS = modern_bert.source(NOWHERE, NOWHERE)
SPEC = ModelSpec(
    id="small-modern-bert",
    title="Small ModernBERT",
    dimensions=SMALL[0],
    window=256,
    pooling="cls",
    languages="none",
    license="none",
    source="conversion",
)


TEXTS = {
    "bread": "b read",
    "a bread": "a Ġbread",
    "salt, bread": "s a l t , Ġbread",
    "read the bread s read the bread s": "read Ġ t h e Ġbread Ġs Ġ read Ġ t h e Ġbread Ġs",
}
"""Texts, and the tokens that each is cut into."""


def converted(folder: Path, seed: int = 1, name: str = "small.gguf") -> Path:
    weights, tokenizer = source_files(folder, seed)
    convert_modern_bert(FACTS, name="Small", weights=weights, tokenizer=tokenizer, out=folder / name)
    return folder / name


def ids_of(pieces: str) -> list[int]:
    return [CLS, *(TOKENS.index(piece) for piece in pieces.split()), SEP]


@pytest.mark.parametrize(("shape", "heads"), [(SMALL, 2), (REAL, 12)], ids=["small", "as in the catalogue"])
def test_llama_cpp_computes_what_the_weights_say(tmp_path: Path, shape: tuple[int, int, int], heads: int) -> None:
    weights, tokenizer = source_files(tmp_path, shape=shape)
    facts, spec, file = replace(FACTS, heads=heads), replace(SPEC, dimensions=shape[0]), tmp_path / "encoder.gguf"
    convert_modern_bert(facts, name="Encoder", weights=weights, tokenizer=tokenizer, out=file)
    tensors = modern_bert.weights(shape=shape)
    right = [modern_bert.embed(tensors, ids_of(pieces), facts) for pieces in TEXTS.values()]
    found = vectors_of(file, spec, list(TEXTS))
    assert min(float(one @ other) for one, other in zip(found, right, strict=True)) > 0.999
    # The texts are told apart by more than the rounding to eight bits.
    assert float(right[0] @ right[1]) < 0.98


@pytest.mark.parametrize(
    "other", [{"activation": "gelu"}, {"local_window": 2}, {"global_every": 2}, {"local_rope_theta": 1000.0}]
)
def test_each_fact_counts(tmp_path: Path, other: dict[str, object]) -> None:
    weights, tokenizer = source_files(tmp_path)
    changed = tmp_path / "changed.gguf"
    facts = replace(FACTS, **other)
    convert_modern_bert(facts, name="Small", weights=weights, tokenizer=tokenizer, out=changed)
    text = ["read the bread s read the bread s"]
    assert float(vectors_of(changed, SPEC, text)[0] @ vectors_of(converted(tmp_path), SPEC, text)[0]) < 0.999


def test_converting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first = converted(tmp_path, name="first.gguf").read_bytes()
    assert converted(tmp_path, name="second.gguf").read_bytes() == first
    assert converted(tmp_path, seed=2, name="other.gguf").read_bytes() != first


def test_the_file_says_of_itself_what_a_worker_needs(tmp_path: Path) -> None:
    facts = facts_of(converted(tmp_path))
    assert (facts["architecture"], facts["dimensions"], facts["window"]) == ("modern-bert", 64, 256)
    assert (facts["pooling"], facts["decoder"], facts["template"]) == (2, False, False)


def test_the_marks_of_the_tokenizer_are_only_letters_in_a_note(tmp_path: Path) -> None:
    file = converted(tmp_path)
    marked, plain, cut = vectors_of(file, SPEC, ["<sep>", "<s e p>", "<"])
    assert float(marked @ cut) < 0.999
    assert float(marked @ plain) < 0.999


def test_long_runs_of_letters_end_no_worker(tmp_path: Path) -> None:
    vectors = vectors_of(converted(tmp_path), SPEC, ["bread " * 3000, "a" * 40_000, "字" * 40_000, "é" * 40_000])
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda weights, _: weights.write_bytes(b"no tensors"), "not those of a ModernBERT encoder"),
        (lambda _, tokenizer: tokenizer.write_bytes(b"{}"), "not those of a ModernBERT encoder: 'model'"),
        (lambda _, tokenizer: tokenizer.write_bytes(b"["), "not those of a ModernBERT encoder"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, spoil: Callable[[Path, Path], object], said: str) -> None:
    weights, tokenizer = source_files(tmp_path)
    spoil(weights, tokenizer)
    with pytest.raises(ModelUnusable, match=said):
        convert_modern_bert(FACTS, name="Small", weights=weights, tokenizer=tokenizer, out=tmp_path / "out.gguf")


def published(name: str, hub: Hub) -> SourceFile:
    return SourceFile(name, hub.url, len(hub.data), hashlib.sha256(hub.data).hexdigest())


def test_installing_fetches_both_files_and_converts_them(tmp_path: Path) -> None:
    weights, tokenizer = modern_bert.weights_file(modern_bert.weights()), modern_bert.tokenizer_file()
    steps: list[str] = []
    with serving(Hub(weights)) as first, serving(Hub(tokenizer)) as second:
        made_from = modern_bert.source(published("model.safetensors", first), published("tokenizer.json", second))
        spec = replace(SPEC, made_from=made_from)
        model = install_spec(tmp_path, spec, lambda what, _done, _total: steps.append(what))
    assert list(dict.fromkeys(steps)) == ["download", "convert", "check"]
    assert sorted(file.name for file in tmp_path.iterdir()) == [".lock", f"{SPEC.id}.gguf", f"{SPEC.id}.json"]
    assert model.path.read_bytes() == converted_with(spec, tmp_path)


def converted_with(spec: ModelSpec, folder: Path) -> bytes:
    made_from, room = spec.made_from, folder / "again"
    assert isinstance(made_from, ModernBertSource)
    room.mkdir()
    weights, tokenizer = source_files(room)
    convert_modern_bert(made_from, name=spec.title, weights=weights, tokenizer=tokenizer, out=room / "out.gguf")
    return (room / "out.gguf").read_bytes()


def test_a_file_that_is_not_the_published_one_is_refused(tmp_path: Path) -> None:
    weights, tokenizer = modern_bert.weights_file(modern_bert.weights()), modern_bert.tokenizer_file()
    with serving(Hub(weights)) as first, serving(Hub(tokenizer)) as second:
        wrong = replace(published("tokenizer.json", second), sha256="0" * 64)
        spec = replace(SPEC, made_from=modern_bert.source(published("model.safetensors", first), wrong))
        with pytest.raises(ModelUnusable, match=r"small-modern-bert\.tokenizer\.json has SHA-256"):
            install_spec(tmp_path, spec, lambda *_: None)
    assert not (tmp_path / f"{SPEC.id}.gguf").exists()


def test_the_multilingual_model_of_the_catalogue_is_pinned() -> None:
    made_from = find_in_catalogue("granite-embedding-97m-multilingual-r2").made_from
    assert isinstance(made_from, ModernBertSource)
    for file in (made_from.weights, made_from.tokenizer):
        assert file.url.endswith(f"/resolve/835ad14087e140460703cf0fae09f97d469d65c2/{file.name}")
        assert len(file.sha256) == 64
        assert file.size_bytes > 10_000_000
