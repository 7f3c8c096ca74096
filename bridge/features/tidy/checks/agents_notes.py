"""Notes of agents: corrections that still stand in notes, and memories that have expired."""

import time
from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.corrections.public import NOTE, Replacement, open_replacements
from bridge.features.memory.public import read_memory
from bridge.features.tidy.check_scope import CheckScope, TidyFinding, propose, tidy_check
from bridge.features.tidy.plan_note import plain_words, plan_link
from bridge.index.note import IndexedNote
from bridge.markdown.edit.requests import ReplaceText
from bridge.markdown.note import Note
from bridge.markdown.prose import protected_spans
from bridge.text.counts import count_of
from bridge.types import VaultPath

MAX_OUTDATED_NOTES: Final = 50
"""Notes with the old words from which they may be right elsewhere."""


@tidy_check("corrections", "Words of which an open correction says what they should be.")
def corrections(scope: CheckScope) -> Iterator[TidyFinding]:
    place = agents_folder(scope.vault.settings).place(NOTE)
    for one in read_replacements(scope.vault, place):
        having = [note for note in notes_about(scope, one) if one.old in scope.texts.get(note.path, "")]
        for note in having if len(having) <= MAX_OUTDATED_NOTES else ():
            scope.budget.pause()
            read = scope.read(note)
            count = 0 if read is None else count_words(read, one)
            if not count:
                continue
            # Whether a correction is new does not show in the note, so that the finding is also about the list.
            yield propose(
                EditNote(
                    path=note.path,
                    edits=(ReplaceText(old=one.old, new=one.new, all=True),),
                    digest=note.digest,
                ),
                f"In {plan_link(note.path)}, change “{plain_words(one.old)}” to “{plain_words(one.new)}”"
                f" ({count_of(count, 'place')})",
                f"a line of {plan_link(place)} says so",
                # Agents write there, too.
                0.8,
                place,
                key=one.key,
            )


def notes_about(scope: CheckScope, one: Replacement) -> Iterator[IndexedNote]:
    place = agents_folder(scope.vault.settings).place(NOTE)
    for path, note in scope.notes.items():
        if note.kind == "note" and path != place and one.about in ("", path.removesuffix(".md")):
            yield note


def read_replacements(vault: OpenVault, place: VaultPath) -> list[Replacement]:
    try:
        data, _ = vault.files.read(place)
    except BridgeError:
        return []
    return list(dict.fromkeys(open_replacements(data.decode("utf-8-sig", "replace"))))


def count_words(note: Note, one: Replacement) -> int:
    """Return how often its old words stand in a note; 0 if one place is inside a word, a link, code or properties."""
    found = one.spans(note.text)
    protected = protected_spans(note)
    if len(found) != note.text.count(one.old) or any(start < note.body for start, _ in found):
        return 0
    return 0 if any(start < last and first < end for start, end in found for first, last in protected) else len(found)


DAY_S = 86_400.0


@tidy_check("memories", "Memories of agents whose last day is over.")
def memories(scope: CheckScope) -> Iterator[TidyFinding]:
    now, rules = time.time(), scope.vault.files.rules
    for path, note in sorted(scope.agents.items()):
        scope.budget.pause()
        memory = read_memory(path, note.properties, title=note.title)
        if memory is None or memory.is_over or note.is_left_alone or scope.never.covers(path) or rules.keeps(path):
            continue
        ends = min((time_ for time_ in (memory.expires, memory.valid_until) if time_ is not None), default=None)
        if ends is None or ends > now - DAY_S or not scope.is_inside(path):
            continue
        yield propose(
            SetProperties(path=path, digest=note.digest, properties={"tier": "archived"}),
            f"Archive the memory {plan_link(path)}",
            f"it holds until {time.strftime('%Y-%m-%d', time.localtime(ends))}",
            0.9,
        )
