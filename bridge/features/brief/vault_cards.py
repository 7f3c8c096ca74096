"""The candidates of a briefing that are lines: corrections, and what was changed in the vault lately."""

from collections.abc import Iterator
from typing import Final

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.errors import NoteNotFound
from bridge.features.brief.cards import Signal
from bridge.notebook.brief_text import DAY_S, SHARES, Card, age_text, recency, share_of_terms, terms_of
from bridge.notebook.corrections import NOTE, open_items
from bridge.notebook.folder import agents_folder
from bridge.state.change_records import ChangeFilter
from bridge.text.budget import cut, estimate_tokens
from bridge.text.invisible import one_line, quote_path, visible_text
from bridge.types import VaultPath

MOST_CORRECTIONS: Final = 200
"""Most items that are looked at, the last ones."""

LONGEST: Final = 320
"""Most characters of one item."""

WRITTEN_WITHIN_S: Final = 2.0
"""Seconds that may lie between a change and the modification time of its file."""


def correction_cards(call: Call, signal: Signal, budget: int) -> Iterator[Card]:
    """Yield the open corrections that share most with the task, the last ones first, as far as they fit. Blocks."""
    path = agents_folder(call.vault.settings).place(NOTE)
    try:
        note = open_note(call.vault, path)
    except NoteNotFound:
        return
    found = open_items(note.text[note.body :])
    items = [cut(one_line(visible_text(item)), LONGEST) for item in found][-MOST_CORRECTIONS:]
    shares = share_of_terms(signal.terms, [terms_of((), item) for item in items])
    best = sorted(range(len(items)), key=lambda at: (-shares[at], -at))
    chosen: list[int] = []
    for at in best:
        tried = _correction_text(path, [items[one] for one in sorted([*chosen, at])])
        if estimate_tokens(tried) <= SHARES["corrections"] * budget:
            chosen.append(at)
    if chosen:
        text = _correction_text(path, [items[at] for at in sorted(chosen)])
        yield Card(path, "corrections", (1, 1), text, 1.0, ("is a correction",))


def pulse_cards(call: Call, signal: Signal, days: float, limit: int) -> Iterator[Card]:
    notes = call.vault.index.view("notes").notes.values()
    recent = [note for note in notes if signal.now - note.modified < days * DAY_S]
    for note in sorted(recent, key=lambda one: (-one.modified, one.path))[:limit]:
        when = age_text(note.modified, signal.now)
        text = f"--- Changed {when} {_changed_by(call, note.path, note.modified)}: {quote_path(note.path)}"
        yield Card(note.path, "pulse", (1, 1), text, recency(note.modified, signal.now, days), ("was changed lately",))


def _correction_text(path: VaultPath, items: list[str]) -> str:
    return "\n".join([f"--- Corrections {quote_path(path)}", *(f"- {item}" for item in items)])


def _changed_by(call: Call, path: VaultPath, modified: float) -> str:
    for change in call.vault.review.changes(ChangeFilter(path=path, state="applied"), 1, 0):
        if abs(change.time - modified) < WRITTEN_WITHIN_S:
            return f"by {one_line(change.client)}" if change.client else "by the user"
    return "by hand"
