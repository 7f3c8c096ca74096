"""Vectors in a file: what comes back, and which files are refused."""

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from bridge.errors import InvalidArguments
from bridge.index.index import Index
from bridge.index.matrix import Halves
from bridge.index.portable import FORMAT_VERSION, Manifest, Precision, read_vectors, write_vectors
from tests.index.made import DIMENSIONS, MODEL, embed_all, opened, paths, prepared, vector

NOTES = {"Tea.md": "# Tea\nboiling water leaves\n", "Bread.md": "# Bread\nflour yeast oven\n"}
COUNT = 5_000
DIGESTS = sorted(hashlib.sha256(str(number).encode()).digest() for number in range(COUNT))
PRECISIONS = pytest.mark.parametrize("precision", ["f16", "int8"])


def made() -> Halves:
    found = np.random.default_rng(3).normal(size=(COUNT, DIMENSIONS))
    halves: Halves = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)
    return halves


async def export(index: Index, file: Path, precision: Precision = "f16") -> None:
    found = await index.vectors.collect()
    assert found is not None
    write_vectors(file, *found, precision)


async def import_from(index: Index, file: Path) -> int:
    _, digests, vectors = read_vectors(file, MODEL, DIMENSIONS, index.vectors.unmet_texts)
    return await index.import_vectors(digests, vectors)


async def with_model(folder: Path, notes: dict[str, str]) -> Index:
    index = await opened(folder, notes)
    index.use_model(MODEL, DIMENSIONS)
    return index


@PRECISIONS
async def test_another_index_of_the_same_notes_embeds_nothing(tmp_path: Path, precision: Precision) -> None:
    first, second = await with_model(tmp_path / "a", NOTES), await with_model(tmp_path / "b", NOTES)
    await embed_all(first)
    await export(first, tmp_path / "file", precision)
    assert await import_from(second, tmp_path / "file") == 4
    assert (second.pending_vectors(), await second.find_missing_vectors(10)) == (0, [])
    assert await paths(second.nearest(vector("boiling water"), 1)) == ["Tea.md"]
    assert await import_from(second, tmp_path / "file") == 0
    await second.close()
    again = await with_model(tmp_path / "b", {})
    assert again.pending_vectors() == 0
    assert await paths(again.nearest(vector("flour oven"), 1)) == ["Bread.md"]


async def test_only_texts_in_notes_are_exported_and_only_those_needed_are_taken(tmp_path: Path) -> None:
    first = await with_model(tmp_path / "a", {**NOTES, "Secret.md": "# Hidden\nklepthorn\n"})
    await embed_all(first)
    await first.write([prepared("Tea.md", "# Tea\ngreen leaves\n")])
    await embed_all(first)
    first.hide(lambda path: path == "Secret.md")
    await export(first, tmp_path / "file")
    assert len(zipfile.ZipFile(tmp_path / "file").read("digests")) == 4 * 32
    second = await with_model(tmp_path / "b", {"Bread.md": NOTES["Bread.md"], "Other.md": "# Other\nwords\n"})
    assert await import_from(second, tmp_path / "file") == 2
    assert second.pending_vectors() == 1


async def test_the_file_holds_no_text_title_or_path(tmp_path: Path) -> None:
    index = await with_model(tmp_path / "a", {"Klepthorn/Quillmarsh.md": "# Snorbeck\nbrindlewick skarnfeld\n"})
    await embed_all(index)
    await export(index, tmp_path / "file")
    with zipfile.ZipFile(tmp_path / "file") as archive:
        content = b"".join(archive.read(name) for name in archive.namelist()).lower()
    assert not [word for word in (b"klepthorn", b"quillmarsh", b"snorbeck", b"brindlewick") if word in content]


@PRECISIONS
def test_vectors_come_back(tmp_path: Path, precision: Precision) -> None:
    file, vectors = tmp_path / "file", made()
    write_vectors(file, MODEL, DIGESTS[::-1], vectors[::-1], precision)
    manifest, digests, found = read_vectors(file, MODEL, DIMENSIONS, set(DIGESTS[10:-10]))
    assert manifest == Manifest(FORMAT_VERSION, MODEL, DIMENSIONS, COUNT, precision)
    assert digests == DIGESTS[10:-10]
    if precision == "f16":
        assert (found.astype(np.float16) == vectors[10:-10]).all()
    else:
        assert (found * vectors[10:-10].astype(np.float32)).sum(axis=1).min() > 0.9995


def test_a_write_that_fails_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_vectors(file, MODEL, DIGESTS, made(), "f16")
    before = file.read_bytes()
    with pytest.raises(IndexError):
        write_vectors(file, MODEL, DIGESTS, made()[:-1], "f16")
    assert file.read_bytes() == before
    assert [*tmp_path.iterdir()] == [file]


def test_another_model_is_refused_by_both_names(tmp_path: Path) -> None:
    write_vectors(tmp_path / "file", MODEL, DIGESTS, made(), "f16")
    with pytest.raises(InvalidArguments, match=f"`{MODEL}`; this vault has those of `other-1`") as refused:
        read_vectors(tmp_path / "file", "other-1", DIMENSIONS, DIGESTS)
    assert "vaultside models use" in refused.value.hint


Parts = dict[str, bytes]


def manifest(parts: Parts, **changes: object) -> None:
    parts["manifest.json"] = msgspec.json.encode({**msgspec.json.decode(parts["manifest.json"]), **changes})


def with_vector(parts: Parts, number: float) -> None:
    half = np.full(DIMENSIONS, number, "<f2").view(np.uint8)
    parts["lower"] = half[::2].tobytes() + parts["lower"][DIMENSIONS:]
    parts["upper"] = half[1::2].tobytes() + parts["upper"][DIMENSIONS:]


def become_zeros(parts: Parts, texts: int) -> None:
    manifest(parts, texts=texts)
    parts |= {"digests": bytes(32 * texts), "upper": bytes(DIMENSIONS * texts), "lower": bytes(DIMENSIONS * texts)}


HOSTILE: dict[str, Callable[[Parts], object]] = {
    "a later format": lambda parts: manifest(parts, format=2),
    "no format": lambda parts: parts.update({"manifest.json": b"{}"}),
    "no JSON": lambda parts: parts.update({"manifest.json": b"\xff"}),
    "a list": lambda parts: parts.update({"manifest.json": b"[1]"}),
    "no manifest": lambda parts: parts.pop("manifest.json"),
    "a long manifest": lambda parts: manifest(parts, model="a" * 20_000),
    "fewer texts": lambda parts: manifest(parts, texts=COUNT - 1),
    "more texts": lambda parts: manifest(parts, texts=10**15),
    "fewer than none": lambda parts: manifest(parts, texts=-1),
    "text for a number": lambda parts: manifest(parts, texts="5000"),
    "another precision": lambda parts: manifest(parts, precision="int8"),
    "an unknown precision": lambda parts: manifest(parts, precision="f8"),
    "a part is missing": lambda parts: parts.pop("lower"),
    "a part too many": lambda parts: parts.update({"../../.bashrc": b"echo"}),
    "a part in a folder": lambda parts: parts.update({"/etc/digests": parts.pop("digests")}),
    "a part is short": lambda parts: parts.update(lower=parts["lower"][:-1]),
    "not a number": lambda parts: with_vector(parts, float("nan")),
    "infinite": lambda parts: with_vector(parts, float("inf")),
    "zero": lambda parts: with_vector(parts, 0.0),
    "too long": lambda parts: with_vector(parts, 1.0),
    "a bomb": lambda parts: become_zeros(parts, 10**6),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(tmp_path: Path, change: Callable[[Parts], object]) -> None:
    file = tmp_path / "file"
    write_vectors(file, MODEL, DIGESTS, made(), "f16")
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(InvalidArguments):
        read_vectors(file, MODEL, DIMENSIONS, DIGESTS)


@PRECISIONS
def test_a_damaged_file_is_refused_or_whole(tmp_path: Path, precision: Precision) -> None:
    file = tmp_path / "file"
    write_vectors(file, MODEL, DIGESTS[:40], made()[:40], precision)
    whole = file.read_bytes()
    _, _, expected = read_vectors(file, MODEL, DIMENSIONS, DIGESTS)
    random = np.random.default_rng(5)
    for at in random.integers(len(whole), size=300).tolist():
        for damaged in (whole[:at], bytes([*whole[:at], whole[at] ^ (1 << at % 8), *whole[at + 1 :]])):
            file.write_bytes(damaged)
            try:
                _, _, found = read_vectors(file, MODEL, DIMENSIONS, DIGESTS)
            except InvalidArguments:
                continue
            assert (found == expected).all()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "nothing", tmp_path):
        with pytest.raises(InvalidArguments):
            read_vectors(place, MODEL, DIMENSIONS, DIGESTS)
