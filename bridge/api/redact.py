"""The last check of a result: nothing that the rules deny leaves, whatever let it in."""

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from msgspec.structs import asdict, replace

from bridge.api.hints import Folder, strip_hint
from bridge.errors import NoteNotFound
from bridge.markdown.kinds import is_document
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.rules import Rules


class DeniedRecord(Exception):
    """A record is about a note that the rules deny."""


def redact_denied(result: Any, rules: Rules) -> Any:
    """Return a result without anything about denied notes; normally there is nothing to remove."""
    try:
        return redact_value(result, rules) if rules.deny else result
    except DeniedRecord:
        raise NoteNotFound from None


def redact_value(value: Any, rules: Rules) -> Any:
    if isinstance(value, Record):
        single, several = path_fields(type(value))
        for name in single:
            if (path := getattr(value, name)) is not None and rules.denies(path):
                raise DeniedRecord
        visible = {name: redact_value(item, rules) for name, item in asdict(value).items()}
        visible |= {name: tuple(path for path in visible[name] if not rules.denies(path)) for name in several}
        return replace(value, **visible)
    if isinstance(value, Mapping):
        return {key: redact_value(item, rules) for key, item in value.items() if not is_denied_key(key, rules)}
    if isinstance(value, list | tuple):
        return tuple(visible for item in value for visible in redact_item(item, rules))
    return value


def is_denied_key(key: str, rules: Rules) -> bool:
    """Say whether a key is the path of a denied note, and not an ordinary word such as a property's name."""
    return is_document(key) and rules.denies(key)


def redact_item(value: Any, rules: Rules) -> tuple[Any, ...]:
    try:
        return (redact_value(value, rules),)
    except DeniedRecord:
        return ()


@cache
def path_fields(record: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    hints = {name: strip_hint(hint) for name, hint in get_type_hints(record).items()}
    return (
        tuple(name for name, hint in hints.items() if hint in (VaultPath, Folder)),
        tuple(name for name, hint in hints.items() if VaultPath in get_args(hint)),
    )
