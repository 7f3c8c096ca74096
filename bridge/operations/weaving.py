"""Makes links of the names of notes in text that a client writes, when the user wants that of it."""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from bridge.operations.call import Call
from bridge.operations.linking import Around, source_of

if TYPE_CHECKING:
    from bridge.changes import Desk
    from bridge.engine import VaultEngine
    from bridge.linking import Corpus
    from bridge.types import Span, VaultPath


async def weaver(call: Call) -> "Callable[[Desk], None] | None":
    """Return what adds links to the text on a desk; None when this client's text gets none."""
    wanted = {name.casefold() for name in call.engine.settings.auto_link_clients}
    if call.principal.local or not wanted & {"*", call.principal.name.casefold()}:
        return None
    engine, corpus = call.engine, await call.engine.mentioning.corpus()
    return lambda desk: weave(engine, corpus, desk)


def weave(engine: "VaultEngine", corpus: "Corpus", desk: "Desk") -> None:
    """Make links in what the steps on a desk add to notes; where words stood before, nothing is linked."""
    from bridge.vault import kind_of

    for step in desk.plan.steps:
        if step.kind == "put" and step.after is not None and kind_of(step.path) == "note":
            before = desk.plan.blobs[step.before] if step.before is not None else b""
            after = desk.read(step.path)
            if (linked := with_links(engine, corpus, step.path, before, after)) is not None:
                desk.replace(step.path, linked)


def with_links(engine: "VaultEngine", corpus: "Corpus", path: "VaultPath", before: bytes, after: bytes) -> bytes | None:
    """Return a note with links in what is new of it; None when there are none to make."""
    from bridge.changes import text_of
    from bridge.linking import Learned, linked, places
    from bridge.vault import parse, read_obsidian_settings

    old, note = text_of(before), parse(path, after)
    mark = "\ufeff" if after.startswith(b"\xef\xbb\xbf") else ""
    if old is None or (mark + note.text).encode("utf-8", "surrogatepass") != after:
        return None
    around = Around(engine, path, Learned(engine.store.verdicts()))
    found = places(source_of(engine, note), corpus, around, strictness="conservative")
    fresh = added(old.removeprefix("\ufeff"), note.text)
    chosen = [place for place in found if any(start <= place.span[0] and place.span[1] <= end for start, end in fresh)]
    if not chosen:
        return None
    made = linked(note, chosen, engine.names, read_obsidian_settings(engine.root))
    return (mark + made.text).encode() if made.made else None


def added(before: str, after: str) -> "list[Span]":
    """Return which characters of a text are new, line by line."""
    from bridge.changes import hunks

    starts = [0, *(at + 1 for at, character in enumerate(after) if character == "\n"), len(after)]
    spans = list(pairwise(starts))
    fresh: list[Span] = []
    for hunk in hunks(before, after):
        line = hunk.after[0] - 1
        for row in hunk.rows:
            if row.kind == "added":
                fresh.append(spans[line])
            line += row.kind != "removed"
    return fresh
