"""A finding of the gardener, and what a check is."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from msgspec import to_builtins
from msgspec.structs import replace

from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.errors import InvalidArguments
from bridge.features.gardener.garden import Garden
from bridge.markdown.edit.requests import AddItem, ReplaceLines, ReplaceText
from bridge.records import Record
from bridge.state.dismissals import Dismissal, DismissalKind, dismissal_key
from bridge.types import Digest, VaultPath

TICKED: Final = 0.85
"""Confidence from which a finding is ticked beforehand."""

MAX_NAMED: Final = 50
"""Notes that a finding about many names."""

REMOVING: Final = frozenset(("duplicates", "empty_notes", "unfilled_notes", "attachments"))
"""Checks whose findings take a file away, so that the user cannot have all of them ticked."""

REQUESTS: Final[Mapping[str, type[Request]]] = {
    "create_note": CreateNote,
    "edit_note": EditNote,
    "set_properties": SetProperties,
    "merge_notes": MergeNotes,
    "move_note": MoveNote,
    "delete_note": DeleteNote,
    "rename_tag": RenameTag,
    "rename_property": RenameProperty,
}
"""The kinds of requests that findings may have."""

EDITS: Final[Mapping[str, type[Any]]] = {
    "replace_text": ReplaceText,
    "replace_lines": ReplaceLines,
    "add_item": AddItem,
}


class GardenFinding(Record, kw_only=True):
    """Something out of order, with the request that mends it."""

    check: str
    notes: tuple[VaultPath, ...]
    """The notes that it is about, the one that changes first."""
    text: str
    """What would be done, in a sentence in which notes are links."""
    why: str
    """The evidence, in a few words."""
    confidence: float
    request: Request
    key: str = ""
    """What tells it from other findings about the same notes."""
    kind: DismissalKind = "finding"
    """The report in which the same thing can be dismissed."""
    is_favoured: bool = False
    """Whether the user always has the findings of its check ticked."""

    @property
    def is_ticked(self) -> bool:
        return self.confidence >= TICKED or self.is_favoured

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


class GardenCheck(Protocol):
    """A check: one kind of disorder, found without a language model."""

    name: str
    sentence: str
    """What it looks for."""

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield what is found; call in a thread."""
        ...


def encode_finding(finding: GardenFinding, id_: str, digests: Mapping[VaultPath, Digest]) -> str:
    return json.dumps({"id": id_, **to_builtins(finding), "digests": dict(digests)})


def decode_finding(record: str) -> tuple[GardenFinding, Mapping[VaultPath, Digest]]:
    try:
        facts = json.loads(record)
        del facts["id"]
        request, digests = decode_request(facts.pop("request")), facts.pop("digests")
        notes = tuple(VaultPath(path) for path in facts.pop("notes"))
        return GardenFinding(notes=notes, request=request, **facts), digests
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidArguments("The plan was made by another version.", hint="Make a new plan.") from error


def decode_request(facts: Mapping[str, Any]) -> Request:
    kind: Any = REQUESTS[facts["op"]]
    values = _as_tuples(facts)
    if kind is EditNote:
        values["edits"] = tuple(_decode_edit(edit) for edit in facts["edits"])
    request: Request = kind(**{name: values[name] for name in kind.__struct_fields__ if name in values})
    return request


def _decode_edit(facts: Mapping[str, Any]) -> object:
    return EDITS[facts["op"]](**_as_tuples(facts))


def _as_tuples(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}


def with_digest(request: Request, before: Digest, now: Digest) -> Request:
    """Return a request that expects a note as it is after an earlier change of the same plan."""
    return replace(request, digest=now) if getattr(request, "digest", None) == before else request
