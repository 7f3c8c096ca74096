"""The last look at what leaves an operation: nothing that the rules deny, whatever let it in."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from bridge.api.hints import Folder, plain
from bridge.errors import NoteNotFound
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.vault.rules import Rules


class Denied(Exception):
    """A record is about a note that the rules deny."""


def permitted(result: Any, rules: "Rules") -> Any:
    """Return a result without what it says of denied notes, which should be nothing.

    Raises:
        NoteNotFound: All of it is about one.
    """
    try:
        return checked(result, rules) if rules.deny else result
    except Denied:
        raise NoteNotFound from None


def checked(value: Any, rules: "Rules") -> Any:
    """Return a value of a result without the records and names of denied notes in its lists.

    Raises:
        Denied: It is a record of one itself.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        single, several = paths_of(type(value))
        for name in single:
            if (path := getattr(value, name)) is not None and rules.denies(path):
                raise Denied
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        kept = {name: checked(held, rules) for name, held in fields.items()}
        kept |= {name: tuple(path for path in kept[name] if not rules.denies(path)) for name in several}
        return dataclasses.replace(value, **kept)
    if isinstance(value, Mapping):
        return {key: checked(held, rules) for key, held in value.items() if not names(key, rules)}
    if isinstance(value, list | tuple):
        return tuple(kept for held in value for kept in permitted_of(held, rules))
    return value


def names(key: str, rules: "Rules") -> bool:
    """Say whether a key names a denied note, and is not just a word such as a property's."""
    from bridge.markdown.kinds import is_document

    return is_document(key) and rules.denies(key)


def permitted_of(value: Any, rules: "Rules") -> tuple[Any, ...]:
    """Return one value of a list, or nothing when it is the record of a denied note."""
    try:
        return (checked(value, rules),)
    except Denied:
        return ()


@cache
def paths_of(record: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields of a record that hold one path, and those that hold several."""
    hints = {name: plain(hint) for name, hint in get_type_hints(record).items()}
    return (
        tuple(name for name, hint in hints.items() if hint in (VaultPath, Folder)),
        tuple(name for name, hint in hints.items() if VaultPath in get_args(hint)),
    )
