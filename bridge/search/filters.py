"""Filters on the notes in memory, which determine the notes that an answer may contain; and on what tasks say.

Each filter first finds the few distinct tags or property names that can match, so that the loop over the notes compares
whole sets; 50,000 notes take milliseconds.
"""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

from bridge.errors import InvalidArguments
from bridge.index.note import IndexedNote, IndexedTask
from bridge.markdown.links import inside_wiki
from bridge.markdown.names import Names, suggest_names
from bridge.markdown.note import Value
from bridge.markdown.tasks import TaskSettings
from bridge.records import Record
from bridge.search.model import SearchRequest
from bridge.search.terms import HasProperty
from bridge.text.fold import fold_case, fold_word, listing_key, nfc
from bridge.types import VaultPath

Notes = Mapping[VaultPath, IndexedNote]

_LINK = re.compile(rf"^\[\[({inside_wiki('|#')}+){inside_wiki()}*\]\]$")
_COMPARISON = re.compile(r"^([<>])=?\s*(-?\d+(?:\.\d+)?)$")

MAX_LOOKED_UP = 10
"""Names of each kind in one request for which the closest are found where no note has them; each takes milliseconds."""


def filter_notes(notes: Notes, request: SearchRequest) -> frozenset[VaultPath] | None:
    """Return the notes that pass the request's filters; None when it has none."""
    matches = every = [*notes.values()]
    if request.only is not None:
        matches = [note for note in matches if note.path in request.only]
    if request.types:
        kinds = frozenset(request.types)
        matches = [note for note in matches if note.kind in kinds]
    if request.modified_after is not None:
        after = request.modified_after * 1e9
        matches = [note for note in matches if note.mtime_ns >= after]
    if request.modified_before is not None:
        before = request.modified_before * 1e9
        matches = [note for note in matches if note.mtime_ns < before]
    if (folder := folder_prefix(request.folder)) is not None:
        matches = [note for note in matches if note.path.startswith(folder)] or [
            note for note in matches if fold_case(note.path).startswith(fold_case(folder))
        ]
    if request.paths:
        named, folders = frozenset(request.paths), tuple(f"{path}/" for path in request.paths)
        matches = [note for note in matches if note.path in named or note.path.startswith(folders)]
    for tag in request.tags:
        matches = filter_by_tag(matches, tag)
    for name, value in request.properties.items():
        matches = filter_by_property(matches, name, value)
    return None if matches is every else frozenset(note.path for note in matches)


def filter_by_tag(notes: Sequence[IndexedNote], tag: str) -> list[IndexedNote]:
    matching = _tags_like(set().union(*(note.tags for note in notes if note.tags)), tag)
    return [note for note in notes if note.tags and not matching.isdisjoint(note.tags)]


def _tags_like(tags: Collection[str], tag: str) -> frozenset[str]:
    """Return the tags that one names, and those nested in it; in another spelling only if there is none in its own."""
    for fold in (fold_case, fold_word):
        target = fold(tag.strip().lstrip("#").rstrip("/"))
        if found := frozenset(name for name in tags if f"{fold(name)}/".startswith(f"{target}/")):
            return found
    return frozenset()


def filter_by_property(notes: Sequence[IndexedNote], name: str, value: Value) -> list[IndexedNote]:
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    plain = frozenset(_comparable(each) for each in values)
    same: dict[tuple[type, Value], bool] = {}

    def fits(entry: Value) -> bool:
        if isinstance(entry, list | tuple):
            return any(fits(each) for each in entry)
        if isinstance(entry, Mapping):
            return not plain.isdisjoint(_comparable_forms(entry))
        # Values repeat across notes; `1`, `1.0` and `True` are equal but not the same.
        key = (type(entry), entry)
        if key not in same:
            same[key] = not plain.isdisjoint(_comparable_forms(entry))
        return same[key]

    return [note for note, entry in _with_property(notes, name) if fits(entry)]


def filter_by_term(notes: Sequence[IndexedNote], term: HasProperty) -> list[IndexedNote]:
    """Keep the notes that match `[name]` or `[name:value]` of a query: text by containment, numbers by comparison."""
    having = _with_property(notes, term.name)
    if term.value is None:
        return [note for note, _ in having]
    if term.exact:
        return filter_by_property(notes, term.name, term.value)
    if comparison := _COMPARISON.match(term.value):
        sign, limit = comparison.group(1), float(comparison.group(2))
        return [note for note, entry in having if any(_exceeds_limit(each, sign, limit) for each in _as_list(entry))]
    if _comparable(term.value) == "null":
        return [note for note, entry in having if entry is None or entry in ("", [])]
    text = fold_word(_comparable(term.value))
    return [note for note, entry in having if any(text in fold_word(_comparable(each)) for each in _as_list(entry))]


def folder_prefix(folder: str | None) -> str | None:
    inner = nfc(folder or "").replace("\\", "/").strip().strip("/")
    return f"{inner}/" if inner and inner != "." else None


def folder_spelling(notes: Collection[VaultPath], folder: str | None) -> str | None:
    """Return a folder in the vault's spelling; empty for the whole vault, None when no note is in it."""
    prefix = folder_prefix(folder)
    if prefix is None:
        return ""
    target, depth = prefix[:-1], prefix.count("/")
    folders = {"/".join(path.split("/")[:depth]) for path in notes if path.count("/") >= depth}
    return (
        target
        if target in folders
        else next((one for one in sorted(folders) if fold_case(one) == fold_case(target)), None)
    )


def no_such_folder(notes: Collection[VaultPath], folder: str | None) -> str | None:
    """Return a notice that no note is in a folder, with the closest names; None when one is."""
    prefix = folder_prefix(folder)
    if prefix is None or folder_spelling(notes, folder) is not None:
        return None
    return f"There is no folder `{prefix[:-1]}` with notes{_closest(_parents(notes), prefix)}"


def no_such_place(notes: Notes, path: VaultPath) -> str | None:
    """Return a notice that there is no note of a path and none below it, with the closest paths; None when there is."""
    if path in notes or folder_spelling(notes, path) == path:
        return None
    return f"There is no note and no folder with notes `{path}`{suggest_names(Names(notes).closest(path))}"


def no_such_tag(notes: Notes, tag: str) -> str | None:
    """Return a notice that no note has a tag or one nested in it, with the closest names; None when one has."""
    target = tag.strip().lstrip("#").rstrip("/")
    if not target:
        return "A tag without a name is in no note."
    if filter_by_tag(list(notes.values()), target):
        return None
    tags = {name for note in notes.values() for name in note.tags}
    return f"There is no tag `{target}`{_closest(tags | _parents(tags), target)}"


def no_such_property(notes: Notes, name: str, *values: Value) -> str | None:
    """Return a notice that no note has a property, or such a value of it, with the closest names."""
    if not name.strip():
        return "A property without a name is in no note."
    every = list(notes.values())
    having = _with_property(every, name)
    if not having:
        names = {str(key) for note in every for key in note.properties}
        return f"There is no property `{name.strip()}`{_closest(names, name)}"
    if not values or filter_by_property(every, name, values):
        return None
    existing = {_display_value(each) for _, value in having for each in _as_list(value)}
    texts = [_display_value(value) for value in values]
    options = " or ".join(f"`{value}`" for value in texts)
    return f"No note has the value {options} in `{name.strip()}`{_closest(existing, texts[0])}"


def no_such_path(notes: Collection[VaultPath], part: str) -> str | None:
    """Return a notice that no path contains a text, with the closest paths and folders; None when one does."""
    if any(fold_word(part) in fold_word(path) for path in notes):
        return None
    return f"No path contains `{part}`{_closest({*notes, *_parents(notes)}, part)}"


def _parents(paths: Iterable[str]) -> set[str]:
    return {path[:end] for path in paths for end, letter in enumerate(path) if letter == "/"}


def _closest(names: Collection[str], target: str) -> str:
    spellings = {fold_case(name): VaultPath(name) for name in sorted(names)}
    return suggest_names(Names(spellings.values()).closest(target))


def _with_property(notes: Sequence[IndexedNote], name: str) -> list[tuple[IndexedNote, Value]]:
    target = fold_word(name.strip())
    names: set[str] = set().union(*(note.properties for note in notes if note.properties))
    spellings = [key for key in names if fold_word(str(key)) == target]
    return [
        (note, note.properties[key]) for note in notes if note.properties for key in spellings if key in note.properties
    ]


def _as_list(entry: Value) -> Sequence[Value]:
    return entry if isinstance(entry, list | tuple) else (entry,)


def _comparable(value: Value) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:g}" if abs(value) < 1e15 else str(value)
        case str():
            link = _LINK.match(value.strip())
            return fold_case((link.group(1) if link else value).strip())
        case _:
            return fold_case(str(value))


def _display_value(value: Value) -> str:
    return value if isinstance(value, str) else _comparable(value)


def _comparable_forms(value: Value) -> frozenset[str]:
    plain = _comparable(value)
    if isinstance(value, str) and plain and plain[0] in "-0123456789." and _COMPARISON.match(f">{plain}"):
        return frozenset({plain, _comparable(float(plain))})
    return frozenset({plain})


def _exceeds_limit(value: Value, sign: str, limit: float) -> bool:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except ValueError:
        return False
    return number is not None and (number > limit if sign == ">" else number < limit)


Sort = Literal["path", "due", "-due"]

WORDS = ("all", "open", "todo", "in_progress", "done", "cancelled", "other")
"""Statuses that `status` takes besides characters."""

MAX_BOX_CHARS = 2
"""Letters taken as characters of boxes, such as `xX`; a longer word must be one of `WORDS`."""


class TaskFilter(Record):
    """Which tasks to list; days are `YYYY-MM-DD`, a period is `first/last`."""

    status: str
    tags: tuple[str, ...]
    text: str
    on: str | None
    after: str | None
    before: str | None

    @property
    def has_dates(self) -> bool:
        return any((self.on, self.after, self.before))


FoundTask = tuple[IndexedNote, IndexedTask]


def require_status(status: str) -> None:
    if not status or (status not in WORDS and status.isalpha() and len(status) > MAX_BOX_CHARS):
        raise InvalidArguments(f"`status` must be one of {', '.join(WORDS)}, or the characters of a checkbox.")


def filter_tasks(notes: Iterable[IndexedNote], criteria: TaskFilter, settings: TaskSettings) -> Iterator[FoundTask]:
    fits = functools.cache(lambda status: has_status(status, criteria.status, settings))
    text, having = fold_word(criteria.text.strip()), [note for note in notes if note.packed_tasks]
    known = {tag for note in having for task in note.tasks for tag in task.tags} if criteria.tags else ()
    wanted = [_tags_like(known, tag) for tag in criteria.tags]
    for note in having:
        for task in note.tasks:
            if (
                fits(task.status)
                and is_due(task.due, criteria)
                and not any(tags.isdisjoint(task.tags) for tags in wanted)
                and (not text or text in fold_word(task.text))
            ):
                yield note, task


def has_status(status: str, condition: str, settings: TaskSettings) -> bool:
    match condition:
        case "all":
            return True
        case "open":
            return settings.is_open(status)
        case _ if condition in WORDS:
            return settings.meaning(status) == condition
        case _:
            return status in condition


def is_due(due: str | None, criteria: TaskFilter) -> bool:
    if not criteria.has_dates:
        return True
    first, _, last = (criteria.on or "").partition("/")
    return (
        due is not None
        and (not first or first <= due <= last)
        and (criteria.after is None or due >= criteria.after)
        and (criteria.before is None or due < criteria.before)
    )


NOTE_KEYS: Mapping[str, Callable[[IndexedNote], Any]] = {
    "path": lambda note: listing_key(note.path),
    "title": lambda note: listing_key(note.title),
    "modified": lambda note: note.mtime,
}
"""What notes are sorted by wherever they are listed."""


def sort_notes(notes: Iterable[IndexedNote], key: Callable[[IndexedNote], Any], *, reverse: bool) -> list[IndexedNote]:
    """Sort notes; equal ones by path, and last those without a key."""
    keyed = [(note, key(note)) for note in sorted(notes, key=NOTE_KEYS["path"])]
    known = [each for each in keyed if each[1] is not None]
    known.sort(key=itemgetter(1), reverse=reverse)
    return [note for note, _ in known] + [note for note, value in keyed if value is None]


def sort_tasks(found: Iterable[FoundTask], sort: Sort) -> list[FoundTask]:
    """Sort tasks; those due on the same day by path and line."""
    key = functools.cache(listing_key)
    tasks = sorted(found, key=lambda each: (key(each[0].path), each[1].line))
    if sort == "path":
        return tasks
    dated = sorted((each for each in tasks if each[1].due), key=lambda each: each[1].due or "", reverse=sort == "-due")
    return dated + [each for each in tasks if not each[1].due]
