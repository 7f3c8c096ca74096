"""What a briefing tells of a note's text: all of a short one, and of a long one the sentences that stand for it."""

from typing import Final

from bridge.api.note_text import open_content
from bridge.engine.open_vault import OpenVault
from bridge.errors import NoteNotFound
from bridge.markdown.note import Note
from bridge.search.snippet import clean_text, drop_headings
from bridge.search.summary import choose_sentences_of
from bridge.text.invisible import one_line, visible_text
from bridge.types import VaultPath

LONGEST: Final = 320
"""Most characters of one memory, journal or note."""

SENTENCES: Final = 3
"""Most sentences of a long note."""


def read_gist(vault: OpenVault, path: VaultPath, focus: str) -> str:
    """Return what a note says in short; empty if it is gone. Blocks."""
    try:
        note = open_content(vault, path)
    except NoteNotFound:
        return ""
    text = note.text[note.body :]
    whole = one_line(visible_text(drop_headings(text, clean_text(text), ())[0]))
    return whole if len(whole) <= LONGEST else _choose(note, focus) or cut_line(whole)


def cut_line(text: str) -> str:
    plain = one_line(visible_text(text))
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1].rstrip()}…"


def _choose(note: Note, focus: str) -> str:
    """Return the sentences that stand for a note, as many as are short enough together; empty if not even one is."""
    for most in range(SENTENCES, 0, -1):
        told = " … ".join(one_line(visible_text(one.text)) for one in choose_sentences_of([note], most, focus))
        if len(told) <= LONGEST:
            return told
    return ""
