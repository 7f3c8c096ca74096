"""A finding, and what a check is."""

import json
from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from msgspec import ValidationError, convert, to_builtins

from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.errors import InvalidArguments
from bridge.features.tidy.check_scope import CheckScope
from bridge.records import Record
from bridge.state.dismissals import Dismissal, DismissalKind, dismissal_key
from bridge.types import Digest, VaultPath

SURE: Final = 0.85
"""Confidence from which a finding is very likely right."""

MAX_NAMED: Final = 50
"""Notes that a finding about many names."""

REMOVING: Final = frozenset(("duplicates", "empty_notes", "unfilled_notes", "attachments"))
"""Checks whose findings take a file away, so that the user cannot have all of them ticked."""

FindingRequest = CreateNote | EditNote | SetProperties | MergeNotes | MoveNote | DeleteNote | RenameTag | RenameProperty
"""The request of a finding."""


class TidyFinding(Record, kw_only=True):
    """Something out of order, with the request that mends it."""

    check: str
    notes: tuple[VaultPath, ...]
    """The notes that it is about, the one that changes first."""
    text: str
    """What would be done, in a sentence in which notes are links."""
    why: str
    """The evidence, in a few words."""
    confidence: float
    request: FindingRequest
    key: str = ""
    """What tells it from other findings about the same notes."""
    kind: DismissalKind = "finding"
    """The report in which the same thing can be dismissed."""
    is_ticked: bool = False
    """Whether the user always has the findings of its check ticked."""

    @property
    def dismissal(self) -> Dismissal:
        match self.kind:
            case "merge":
                return Dismissal("merge", frozenset(self.notes[:2]))
            case "prospect":
                return Dismissal("prospect", frozenset(), dismissal_key(self.key))
            case "orphan":
                return Dismissal("orphan", frozenset(self.notes[:1]))
            case "violation":
                return Dismissal("violation", frozenset(self.notes[:1]), dismissal_key(self.key))
            case _:
                # What is about many notes is told by its words alone.
                notes = frozenset(self.notes if len(self.notes) <= 2 and not self.key.startswith("all ") else ())
                return Dismissal("finding", notes, dismissal_key(f"{self.check} {self.key}"))


class TidyCheck(Protocol):
    """A check: one kind of disorder, found without a language model."""

    name: str
    sentence: str
    """What it looks for."""

    def look(self, scope: CheckScope) -> Iterator[TidyFinding]:
        """Yield what is found; call in a thread."""
        ...


def encode_finding(finding: TidyFinding, digests: Mapping[VaultPath, Digest]) -> str:
    return json.dumps({**to_builtins(finding), "digests": dict(digests)})


def decode_finding(record: str) -> tuple[TidyFinding, Mapping[VaultPath, Digest]]:
    try:
        facts = json.loads(record)
        digests = facts.pop("digests")
        return convert(facts, TidyFinding), digests
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise InvalidArguments("The plan was made by another version.", hint="Make a new plan.") from error
