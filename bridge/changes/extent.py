"""Measures how much a change does, in numbers and in a line for the user."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from posixpath import commonpath
from typing import Final

from bridge.changes.draft import path_after_move
from bridge.changes.effect import Effect
from bridge.changes.relink import has_only_followed
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.move_note import MoveNote
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.text.counts import count_of, join_some
from bridge.text.invisible import visible_text
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step

_MAX_NAMED_NOTES: Final = 3
_MAX_KINDS: Final = 3
_KIB: Final = 1024
_MAX_KEYS: Final = 100
"""Files of a change up to which each has a key of its own."""
_KEY_DIGITS: Final = 16
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
"""A date with a time, such as that of writing."""
_VERB_OPS: Final = ("create_note", "move_note", "delete_note")
"""Operations that the verb of the line already names."""
_ORDER: Final = ("delete", "move", "create", "change")
"""The order in which one path is freed and taken."""


class Extent(Record):
    """How much a change does."""

    would: str
    """Its effect, such as ``delete 2 notes in `Bread/`: Rye.md, Spelt.md``; empty when it does nothing."""
    files: int
    """Files that are written or removed, and files or folders that are renamed; a folder counts once."""
    size: int
    """Bytes by which files become longer or shorter."""
    losing: int
    """Notes that lose links."""


def measure_change(plan: Plan, effect: Effect, requests: Sequence[Request] = ()) -> Extent:
    done, moves = _paths_by_verb(plan.steps)
    paths = {*done["create"], *done["change"], *done["delete"]}
    size = sum(_growth(step, plan.blobs) for step in plan.steps)
    losing = len({reference.path for reference in effect.broken})
    renamed = sum(isinstance(request, MoveNote) for request in requests)
    return Extent(_summary_line(done, moves, _edit_kinds(requests), size, losing), len(paths) + renamed, size, losing)


def effect_keys(plan: Plan, agreement: str | None) -> frozenset[str]:
    """Return keys of what a change comes to for each file, equal for all that take and give the same lines there.

    Links that follow a move, blank lines, and when something was written are left out; of a change that sets up the
    agents' folder it is only that.
    """
    if agreement is not None:
        return frozenset({"agreement"})
    moves = [step for step in plan.steps if step.kind == "move"]
    files, gone = _come_to(plan.steps)
    keys = set[str]()
    for path, (came_from, was, after) in files.items():
        is_rewritten = came_from is None and gone.get(path) in plan.blobs
        first, before = (path, gone.pop(path)) if is_rewritten else (came_from, was)
        if first is not None and first != path:
            keys.add(_key("move", first, path))
        if after is None or after == before:
            continue
        data = b"" if before is None else plan.blobs[before], plan.blobs[after]
        if before is None or not (moves and has_only_followed(path, *data, moves)):
            old, new = map(_count_lines, data)
            lines = (*sorted((old - new).elements()), "\0", *sorted((new - old).elements()))
            keys.add(_key(visible_text(first or path), *lines))
    keys |= {_key("remove", path, None) for path in gone}
    return frozenset(keys if len(keys) <= _MAX_KEYS else {_key(*sorted(keys))})


_Became = tuple[VaultPath | None, Digest | None, Digest | None]
"""The first path of a file, None if it is created, and its content before and after."""


def _come_to(steps: Iterable[Step]) -> tuple[Mapping[VaultPath, _Became], dict[VaultPath, Digest | None]]:
    """Return what became of each file, by its last path, and what is removed, whatever happens in between."""
    files, gone, folders = dict[VaultPath, _Became](), dict[VaultPath, Digest | None](), list[tuple[VaultPath, ...]]()
    for step in steps:
        path, to, first = step.path, step.to, step.path
        for was, now in reversed(folders):
            first = path_after_move(first, now, was) or first
        was_there = files.pop(path, (first, step.before, step.before))
        match step.kind:
            case "put":
                files[path] = (None, None, step.after) if step.before is None else (*was_there[:2], step.after)
            case "move" if to is not None:
                if step.before is None:
                    files = {path_after_move(one, path, to) or one: state for one, state in files.items()}
                    folders.append((path, to))
                files[to] = was_there
            case "remove" if was_there[0] is not None:
                gone[was_there[0]] = was_there[1]
    return files, gone


def _count_lines(data: bytes) -> Counter[str]:
    lines = _MOMENT.sub("", data.decode("utf-8", "surrogateescape")).splitlines()
    return Counter(line for line in map(str.strip, lines) if line)


def _key(*parts: str | None) -> str:
    return digest_of("\n".join(map(str, parts)).encode("utf-8", "surrogateescape"))[:_KEY_DIGITS]


def _paths_by_verb(steps: Sequence[Step]) -> tuple[Mapping[str, Collection[VaultPath]], Mapping[VaultPath, VaultPath]]:
    """Return the affected files and folders by verb, and the targets of moves.

    A created file is listed by its final path, any other by its current one.
    """
    created, changed, removed = dict[VaultPath, None](), dict[VaultPath, None](), dict[VaultPath, None]()
    was: dict[VaultPath, VaultPath] = {}
    for step in steps:
        path, to = step.path, step.to
        match step.kind:
            case "put" if step.before is None:
                created[path] = None
            case "put" if path not in was and path not in created:
                changed[path] = None
            case "remove" if path in created:
                del created[path]
            case "remove":
                removed[was.pop(path, path)] = None
            case "move" if to is not None and path in created:
                created = {to if each == path else each: None for each in created}
            case "move" if to is not None:
                was[to] = was.pop(path, path)
                if step.before is None:
                    created = {path_after_move(each, path, to) or each: None for each in created}
    moves = {before: after for after, before in was.items() if before != after}
    return {"create": created, "change": changed, "move": moves, "delete": removed}, moves


def _edit_kinds(requests: Sequence[Request]) -> list[str]:
    ops = [
        op
        for request in requests
        for op in ([edit.op for edit in request.edits] if isinstance(request, EditNote) else [request.op])
    ]
    return [op.replace("_", " ") for op in dict.fromkeys(ops) if op not in _VERB_OPS]


def _growth(step: Step, blobs: Mapping[Digest, bytes]) -> int:
    """Return by how many bytes a step makes a file longer or shorter, so a small edit of a long note stays small."""
    if step.kind != "put" or step.after is None:
        return 0
    return abs(len(blobs[step.after]) - (len(blobs[step.before]) if step.before is not None else 0))


def _summary_line(
    done: Mapping[str, Collection[VaultPath]],
    moves: Mapping[VaultPath, VaultPath],
    how: Sequence[str],
    size: int,
    losing: int,
) -> str:
    paths = list(dict.fromkeys(path for group in done.values() for path in group))
    if not paths:
        return ""
    some = (
        f" ({', '.join([*how[:_MAX_KINDS], *(['…'] if len(how) > _MAX_KINDS else [])])})"
        if how and done["change"]
        else ""
    )
    more = f" {'by' if done['change'] else 'of'} {size // _KIB:,} KiB" if size >= _KIB else ""
    lost = f" and break links in {count_of(losing, 'note')}" if losing else ""
    if len(paths) == 1:
        # A path that one file leaves may then be taken by another.
        order = sorted((verb for verb, group in done.items() if group), key=_ORDER.index)
        to = f" to `{moves[paths[0]]}`" if moves else ""
        phrases = [f"{verb} `{paths[0]}`{to if verb == 'move' else ''}" for verb in order]
        if len(phrases) > 1 and order[-1] == "change":
            phrases[-1] = "change it"
        return f"{_join(phrases)}{some}{more}{lost}"
    verbs = {verb: f"{verb} {count_of(len(group), noun(group))}" for verb, group in done.items() if group}
    if len(verbs) > 1 and more:
        # The size is that of what is written; notes are not moved by it.
        verbs["change" if done["change"] else "create"] += more
        more = ""
    folder = commonpath([path.rpartition("/")[0] for path in paths])
    names = [path.removeprefix(f"{folder}/") for path in paths]
    where = f" in `{folder}/`" if folder else ""
    return f"{_join([*verbs.values()])}{where}{some}{more}{lost}: {join_some(names, _MAX_NAMED_NOTES)}"


def explain_no_change(requests: Sequence[Request]) -> str:
    """Return that a change has no effect, and why if that is known."""
    match requests:
        case [SetProperties(properties=properties, remove=remove)]:
            if not properties and not remove:
                return "No change: no property was given to set or to remove."
            has = ["has these properties already"] if properties else []
            if remove:
                names = _join([f"`{name}`" for name in remove])
                has.append(f"has no {'property' if len(remove) == 1 else 'properties'} {names}")
            return f"No change: the note {_join(has)}."
        case [one] if not hasattr(one, "among"):
            return f"No change: `{one.path}` is as it was before."
        case _:
            return "No change: every note is as it was before."


def noun(paths: Collection[str]) -> str:
    """Return `note` if all paths are Markdown, else `file`."""
    return "note" if all(path.lower().endswith(".md") for path in paths) else "file"


def _join(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
