"""The notes of search hits, cut into excerpts as they are on disk now."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from bridge.api.note_text import open_note
from bridge.errors import NoteNotFound

if TYPE_CHECKING:
    from bridge.engine.open_vault import OpenVault
    from bridge.search.excerpts import Excerpts
    from bridge.search.model import SearchHit


def cut_hits(vault: "OpenVault", hits: "Sequence[SearchHit]") -> "list[Excerpts]":
    """Cut the notes of hits as they are on disk now; one that is gone is skipped. Blocks."""
    from bridge.markdown.kinds import kind_of
    from bridge.search.excerpts import cut_excerpts, keep_passages

    found = []
    for hit in hits:
        passages = sorted(hit.passages, key=lambda one: one.lines != hit.lines)
        with suppress(NoteNotFound):
            if kind_of(hit.path) == "note":
                found.append(cut_excerpts(open_note(vault, hit.path), hit.score, passages))
            else:
                found.append(keep_passages(hit.path, hit.score, passages))
    return found
