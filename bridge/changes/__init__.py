"""What a change is made of: planned, compared, merged, turned back; only git is asked to write."""

from bridge.changes.alias import rename_alias
from bridge.changes.alike import shares
from bridge.changes.carry import Around, Carried, below, carry, together
from bridge.changes.committing import Committed, commit
from bridge.changes.desk import Desk, digest_of, moved
from bridge.changes.diff import Hunk, Row, RowKind, hunks, unified, with_hunks
from bridge.changes.differences import Difference, differences
from bridge.changes.effect import Effect, Planned, Reference
from bridge.changes.extent import Extent, extent, no_change
from bridge.changes.heading import rename_heading
from bridge.changes.inverse import accept, redo, undo
from bridge.changes.known import Known
from bridge.changes.link_check import LinkCheck, check_links
from bridge.changes.merge import Contradiction, merge
from bridge.changes.moving import move, names_kept
from bridge.changes.offering import Offer, offer
from bridge.changes.plain import bytes_of, shown, text_of
from bridge.changes.reconcile import reconciled
from bridge.changes.removing import remove
from bridge.changes.switching import accepting, redoing, undoing
from bridge.changes.whereabouts import Today
from bridge.changes.words import Run, runs, words

__all__ = [
    "Around",
    "Carried",
    "Committed",
    "Contradiction",
    "Desk",
    "Difference",
    "Effect",
    "Extent",
    "Hunk",
    "Known",
    "LinkCheck",
    "Offer",
    "Planned",
    "Reference",
    "Row",
    "RowKind",
    "Run",
    "Today",
    "accept",
    "accepting",
    "below",
    "bytes_of",
    "carry",
    "check_links",
    "commit",
    "differences",
    "digest_of",
    "extent",
    "hunks",
    "merge",
    "move",
    "moved",
    "names_kept",
    "no_change",
    "offer",
    "reconciled",
    "redo",
    "redoing",
    "remove",
    "rename_alias",
    "rename_heading",
    "runs",
    "shares",
    "shown",
    "text_of",
    "together",
    "undo",
    "undoing",
    "unified",
    "with_hunks",
    "words",
]
