"""The value that a finding writes, in place of which a person may put another."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.move_note import MoveNote
from bridge.errors import InvalidArguments
from bridge.features.gardener.finding import GardenFinding
from bridge.markdown.edit.requests import AddItem, ReplaceText
from bridge.notebook.fields import sole_item
from bridge.notebook.plan_note import INSTEAD, plain_words
from bridge.text.invisible import one_line
from bridge.types import VaultPath


def value_of(finding: GardenFinding) -> str | None:
    value = _value_of(finding.request)
    return value if value and value == one_line(value) and value == " ".join(value.split()) else None


def _value_of(request: Request) -> str | None:
    match request:
        case RenameTag(to=value) | RenameProperty(to=value):
            return value
        case MoveNote(to=path) | CreateNote(path=path):
            return path.removesuffix(".md")
        case SetProperties(properties=properties) if len(properties) == 1:
            (only,) = map(sole_item, properties.values())
            return only if isinstance(only, str) else None
        case EditNote(edits=(ReplaceText(new=value) | AddItem(text=value),)):
            return value
        case _:
            return None


def with_value(finding: GardenFinding, value: str, locate: Callable[[str], VaultPath]) -> GardenFinding:
    if value_of(finding) is None or INSTEAD in value:
        raise InvalidArguments("it has no value that can be changed.")
    request = _with_value(finding.request, value, locate)
    return replace(finding, text=f"{finding.text}, with “{plain_words(value)}” instead", request=request)


def _with_value(request: Request, value: str, locate: Callable[[str], VaultPath]) -> Request:
    changes: dict[str, Any] = {}
    match request:
        case RenameTag() | RenameProperty():
            changes["to"] = value
        case MoveNote():
            changes["to"] = locate(f"{value.removesuffix('.md')}.md")
        case CreateNote():
            changes["path"] = locate(f"{value.removesuffix('.md')}.md")
        case SetProperties(properties=properties):
            (kept,) = properties.values()
            changes["properties"] = dict.fromkeys(properties, [value] if isinstance(kept, list) else value)
        case EditNote(edits=(ReplaceText() as edit,)):
            changes["edits"] = (replace(edit, new=value),)
        case EditNote(edits=(AddItem() as edit,)):
            changes["edits"] = (replace(edit, text=value),)
    return replace(request, **changes)
