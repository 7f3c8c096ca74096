"""An index that followed edits of a real vault answers as one that was built from the same bytes."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.index.matrix import Floats
from bridge.markdown.edit.requests import Append, ReplaceText
from bridge.search.model import SearchAnswer, SearchRequest
from bridge.search.pipeline import search
from bridge.types import VaultPath
from tests.engine.conftest import Opened, until
from tests.evaldata import EVAL, needs_eval
from tests.index.made import DIMENSIONS, MODEL, embed_all, vector

pytestmark = [needs_eval, pytest.mark.eval]

AUTHOR = Author("test", confirmed=True)
MAX_NOTES, QUERIES = 250, 40
WORD, PHRASE = re.compile(r"\w{2,}"), re.compile(r"\w{2,} \w{2,}")


def sample_vault(name: str, root: Path, dice: random.Random) -> None:
    """Copy some notes of a real vault."""
    source = EVAL / "vaults" / name
    notes = sorted(path for path in source.rglob("*.md") if "/." not in path.as_posix())
    (root / ".obsidian").mkdir(parents=True)
    for path in dice.sample(notes, min(MAX_NOTES, len(notes))):
        (root / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, root / path.relative_to(source))


def draw_queries(root: Path, dice: random.Random) -> list[str]:
    """Return titles, words and phrases of notes."""
    queries: list[str] = []
    notes = sorted(root.rglob("*.md"))
    while len(queries) < QUERIES:
        note = dice.choice(notes)
        text = note.read_text(errors="replace")
        words, phrases = WORD.findall(text), PHRASE.findall(text)
        if len(words) > 8 and phrases:
            at = dice.randrange(len(words) - 6)
            phrase = f'"{dice.choice(phrases)}" {dice.choice(words)}'
            queries += [note.stem, dice.choice(words), " ".join(words[at : at + 6]), phrase]
    return queries


async def settle(host: Host) -> None:
    """Wait until every note is read, linked and embedded."""
    await until(lambda: host.progress().ready_keyword)
    vault = host.vault
    await until(lambda: not vault.indexer.pending and vault.indexer.link_resolver.is_settled)
    await vault.index.wait_for_writes()
    vault.index.use_model(MODEL, DIMENSIONS)
    await embed_all(vault.index)
    await vault.indexer.link_resolver.current_graph()


async def embed(text: str) -> Floats:
    """Embed a query as the passages were."""
    return vector(text)


async def ask(host: Host, queries: Sequence[str]) -> dict[str, SearchAnswer]:
    """Answer queries by words and by vectors."""
    sources = replace(host.vault.sources(), embed_query=embed)
    return {query: await search(sources, SearchRequest(query, limit=20, explain=True)) for query in queries}


def numbers_of(answer: SearchAnswer) -> dict[tuple[str, str, str], float]:
    """Return the scores and the rank of each hit in each retriever."""
    numbers: dict[tuple[str, str, str], float] = {}
    for path, own in answer.explain.lanes.items() if answer.explain else ():
        for name, one in own.items():
            numbers[path, name, "raw"], numbers[path, name, "calibrated"] = one.raw, one.calibrated
            numbers[path, name, "rank"] = one.rank
    return numbers


def assert_same(found: Mapping[str, SearchAnswer], expected: Mapping[str, SearchAnswer]) -> None:
    """Require equal hits, and scores that differ by rounding at most."""
    for query, answer in found.items():
        other = expected[query]
        assert [hit.path for hit in answer.hits] == [hit.path for hit in other.hits], query
        assert replace(answer, explain=None) == replace(other, explain=None), query
        assert numbers_of(answer) == pytest.approx(numbers_of(other), rel=1e-6), query
    assert any(answer.hits for answer in found.values())


def notes_of(host: Host) -> dict[VaultPath, tuple[Any, ...]]:
    """Return all that is known of each note, with its passages."""
    index = host.vault.index
    return {path: (note, note.links, index.passages_of(path)) for path, note in index.notes.items()}


async def edit(host: Host, root: Path, dice: random.Random) -> None:
    """Change notes in all ways of ordinary use."""
    vault = host.vault
    index, names = vault.index, Counter(name for note in vault.index.notes.values() for name in note.properties)
    known = sorted(index.notes)
    most_linked = (await vault.resolved_links()).sources

    async def do(request: Request) -> str:
        change = (await vault.executor.execute([request], AUTHOR)).change
        assert change is not None
        return change.id

    async def undo(*changes: str) -> None:
        await vault.review.undo(changes, AUTHOR)

    often = names.most_common(1)[0][0]
    renamed = await do(RenameProperty(known[0], name=often, to="renamed"))
    appended = await do(EditNote(known[1], (Append(text=f"Words of [[{known[2]}]] come {often}."),)))
    await undo(renamed)
    with_link = max(known[8:], key=lambda path: len(most_linked(path)))
    moved = await do(MoveNote(with_link, VaultPath("Elsewhere/Another name.md"), index.notes[with_link].digest))
    deleted = await do(DeleteNote(known[4], index.notes[known[4]].digest))
    await do(SetProperties(known[5], properties={"kind": "set here", "tags": ["set/here"]}))
    await undo(deleted)
    await undo(moved)
    await undo(appended)
    await do(MoveNote(with_link, VaultPath("Elsewhere/Moved.md"), index.notes[with_link].digest))
    await do(DeleteNote(known[6], index.notes[known[6]].digest))
    word = WORD.findall((root / known[7]).read_text())[-1]
    replacing = ReplaceText(old=word, new="replaced words", all=True)
    await do(EditNote(known[7], (replacing,), index.notes[known[7]].digest))
    for number, name in enumerate([name for name, _ in names.most_common(4)][1:]):
        await do(RenameProperty(known[0], name=name, to=f"kept {number}"))
    for path in dice.sample(sorted(root.rglob("*.md")), 5):
        path.write_bytes(path.read_bytes().replace(b"e", b"\xc3\xa9", 3) + b"\nWritten by another program.\n")
    await vault.indexer.reconcile()


@pytest.mark.parametrize("name", ["obsidian-help", "kepano", "oldwinter-zh"])
async def test_an_edited_index_answers_as_a_fresh_one(tmp_path: Path, opened: Opened, name: str) -> None:
    dice, root, none = random.Random(name), tmp_path / "vault", tmp_path / "none"
    sample_vault(name, root, dice)
    for data in ("edited", "fresh"):
        # What recurs is learnt once, and not embedded.
        (tmp_path / data).mkdir()
        (tmp_path / data / "settings.toml").write_text("boilerplate = false\n")
    async with opened(root, models=none, data=tmp_path / "edited") as bridge:
        host = bridge.find(None)
        await settle(host)
        await ask(host, draw_queries(root, dice))
        await edit(host, root, dice)
        await settle(host)
        queries = draw_queries(root, dice)
        running, notes = await ask(host, queries), notes_of(host)
    async with opened(root, models=none, data=tmp_path / "edited") as bridge:
        await settle(bridge.find(None))
        reopened = await ask(bridge.find(None), queries)
    async with opened(root, models=none, data=tmp_path / "fresh") as bridge:
        await settle(bridge.find(None))
        fresh, fresh_notes = await ask(bridge.find(None), queries), notes_of(bridge.find(None))
    assert notes == fresh_notes
    assert_same(running, fresh)
    assert_same(reopened, fresh)
