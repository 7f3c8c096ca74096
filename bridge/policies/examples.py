"""Makes the steps of a policy from changes that were made: what differs, or names a new note, becomes a variable."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date, timedelta
from functools import partial
from typing import Final

from yaml import YAMLError

from bridge.errors import InvalidArguments
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.markdown.parse import parse
from bridge.markdown.sections import heading_paths
from bridge.records import dataclass
from bridge.text.diff import decode_text, diff_lines, split_lines
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

Fetch = Callable[[Digest], bytes | None]

NEAR_DAYS: Final = 31
"""Days around that of the change that are written as a shift from it."""
SHORTEST: Final = 3
"""Characters of a title that is looked for in texts."""

_ITEM: Final = re.compile(r"[-*+] +(?:\[(.)\] +)?(.*)")


@dataclass(frozen=True, slots=True)
class Example:
    """One change: its steps, and the day on which it was made."""

    steps: Sequence[Step]
    day: date


@dataclass(slots=True)
class DraftedSteps:
    """Steps made from examples.

    Attributes:
        steps: The arguments of each, without an id.
        variables: The variables that they use, each with the value that it had in the first example.
        remarks: What of the changes cannot be repeated.
    """

    steps: list[dict[str, Value]] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def draft_steps(examples: Sequence[Example], fetch: Fetch) -> DraftedSteps:
    """Return the steps that the changes have in common.

    Raises:
        InvalidArguments: Nothing in them can be repeated, or they are not alike.
    """
    found = DraftedSteps()
    each: list[list[dict[str, Value]]] = []
    titles: list[list[str]] = []
    for example in examples:
        steps = [one for step in example.steps for one in _requests_of(step, fetch, found.remarks)]
        each.append(_map_texts(steps, partial(_with_days, day=example.day)))
        titles.append([note_name(str(step["path"])) for step in steps if step["op"] == "create_note"])
    if not each[0]:
        raise InvalidArguments("Nothing in these changes can be repeated.", hint=" ".join(found.remarks) or None)
    if any([one["op"] for one in steps] != [one["op"] for one in each[0]] for steps in each):
        raise InvalidArguments(
            "These changes are not alike: their steps differ.", hint="Give only changes of one kind, or one change."
        )
    for number, names in enumerate(zip(*titles, strict=True)):
        if len(names) > 1 and len(set(names)) == 1:
            continue
        variable = "title" if number == 0 else f"title_{number + 1}"
        if names[0] in found.variables.values() or len(names[0]) < SHORTEST or "{{" in names[0]:
            continue
        found.variables[variable] = names[0]
        for at, name in enumerate(names):
            each[at] = _map_texts(each[at], partial(_with_name, name=name, variable=variable))
    merged = _Merge(found)
    found.steps = [merged.mapping([steps[at] for steps in each]) for at in range(len(each[0]))]
    return found


def _requests_of(step: Step, fetch: Fetch, remarks: list[str]) -> Iterator[dict[str, Value]]:
    """Yield the changes that a step of the journal comes to."""
    match step.kind:
        case "put" if step.after is not None:
            before = "" if step.before is None else _text(step.before, fetch)
            after = _text(step.after, fetch)
            if before is None or after is None or not step.path.lower().endswith(".md"):
                remarks.append(f"`{step.path}` is left out: it is no text, or its content is no longer kept.")
            elif step.before is None:
                properties, body = _split(after)
                created: dict[str, Value] = {"op": "create_note", "path": step.path}
                created |= {"properties": properties} if properties else {}
                yield created | ({"text": body.strip("\n") + "\n"} if body.strip() else {})
            else:
                yield from _edits_of(step.path, before, after, remarks)
        case "move" if step.to is not None:
            yield {"op": "move_note", "path": step.path, "to": step.to}
        case "remove":
            remarks.append(f"The deletion of `{step.path}` is left out: a policy must find what it deletes.")


def _edits_of(path: VaultPath, before: str, after: str, remarks: list[str]) -> Iterator[dict[str, Value]]:
    """Yield the changes of properties and the additions to a note."""
    (old, old_body), (new, new_body) = _split(before), _split(after)
    changed = {name: value for name, value in new.items() if name not in old or old[name] != value}
    gone: list[Value] = [name for name in old if name not in new]
    if changed or gone:
        wanted: dict[str, Value] = {"op": "set_properties", "path": path}
        yield wanted | ({"properties": changed} if changed else {}) | ({"remove": gone} if gone else {})
    lines, added = split_lines(old_body), split_lines(new_body)
    note = parse(path, old_body.encode("utf-8", "surrogateescape"))
    for piece in diff_lines(lines, added):
        text = "".join(added[piece.after.start : piece.after.stop]).strip("\n")
        if "".join(lines[piece.before.start : piece.before.stop]).strip():
            remarks.append(f"A replacement in `{path}` is left out: a policy must find what it replaces.")
            continue
        if not text.strip():
            continue
        above = [at for at, heading in enumerate(note.headings) if heading.line <= piece.before.start]
        heading = heading_paths(note.headings)[above[-1]] if above else None
        place: dict[str, Value] = {} if heading is None else {"heading": heading}
        item = _ITEM.fullmatch(text)
        if item is not None and item[1] == " ":
            yield {"op": "add_task", "path": path, "text": item[2], **place}
        elif item is not None:
            yield {"op": "edit_note", "path": path, "edits": [{"op": "add_item", "text": item[2], **place}]}
        elif heading is None or piece.before.start >= len(lines):
            yield {"op": "edit_note", "path": path, "edits": [{"op": "append", "text": text}]}
        else:
            yield {"op": "edit_note", "path": path, "edits": [{"op": "insert_under", "text": text, **place}]}


def _split(text: str) -> tuple[Mapping[str, Value], str]:
    """Return the properties and the rest of a note."""
    cut = cut_frontmatter(text)
    if cut is None:
        return {}, text
    (start, end), body = cut
    try:
        return dict(load_properties(text[start:end]).values), text[body:]
    except YAMLError:
        return {}, text[body:]


class _Merge:
    """Joins the same place of several examples, with a variable where they differ."""

    def __init__(self, found: DraftedSteps) -> None:
        self._found = found
        self._known: dict[tuple[Value, ...], str] = {}

    def mapping(self, each: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        names = dict.fromkeys(name for one in each for name in one)
        return {name: self._value(name, [one.get(name) for one in each]) for name in names}

    def _value(self, name: str, each: Sequence[Value]) -> Value:
        first = each[0]
        if all(one == first for one in each):
            return first
        if all(isinstance(one, Mapping) for one in each):
            return self.mapping([one for one in each if isinstance(one, Mapping)])
        if all(isinstance(one, list) and isinstance(first, list) and len(one) == len(first) for one in each):
            columns = zip(*[one for one in each if isinstance(one, list)], strict=True)
            return [self._value(name, column) for column in columns]
        if not all(isinstance(one, str) for one in each):
            return self._variable(name, each)
        texts = [one for one in each if isinstance(one, str)]
        start = _common(texts)
        end = _common([text[len(start) :][::-1] for text in texts])[::-1]
        middles = [text[len(start) : len(text) - len(end)] for text in texts]
        if any("{{" in middle or "}}" in middle for middle in middles):
            return self._variable(name, texts)
        return f"{start}{self._variable(name, middles)}{end}"

    def _variable(self, name: str, values: Sequence[Value]) -> str:
        key = tuple(str(value) for value in values)
        if key not in self._known:
            base = re.sub(r"\W+", "_", name).strip("_") or "value"
            taken = self._found.variables
            self._known[key] = next(
                one for number in range(1, 1000) if (one := base if number == 1 else f"{base}_{number}") not in taken
            )
            taken[self._known[key]] = key[0]
        return f"{{{{variables.{self._known[key]}}}}}"


def _common(texts: Sequence[str]) -> str:
    """Return how all texts begin, up to a boundary of words that is in no template."""
    shortest = min(texts, key=len)
    end = next((at for at, letter in enumerate(shortest) if any(text[at] != letter for text in texts)), len(shortest))
    while end and (
        any(text[end - 1 : end + 1].isalnum() and len(text) > end for text in texts)
        or any(text.rfind("{{", 0, end) > text.rfind("}}", 0, end) for text in texts)
    ):
        end -= 1
    return shortest[:end]


def _map_texts(value: list[dict[str, Value]], change: Callable[[str], str]) -> list[dict[str, Value]]:
    """Return steps with every text in them changed, but not their kinds."""

    def mapped(inner: Value) -> Value:
        match inner:
            case str():
                return change(inner)
            case Mapping():
                return {name: each if name == "op" else mapped(each) for name, each in inner.items()}
            case list():
                return [mapped(each) for each in inner]
            case _:
                return inner

    return [{name: each if name == "op" else mapped(each) for name, each in one.items()} for one in value]


def _with_days(text: str, day: date) -> str:
    """Return a text in which the days around one are written as shifts from it, and braces as such."""

    def put(found: re.Match[str]) -> str:
        try:
            shift = (date.fromisoformat(found[0]) - day) // timedelta(days=1)
        except ValueError:
            return found[0]
        if abs(shift) > NEAR_DAYS:
            return found[0]
        return "{{today}}" if shift == 0 else f"{{{{date:{shift:+d}d}}}}"

    return re.sub(r"\b\d{4}-\d\d-\d\d\b", put, text.replace("{{", "\\{{"))


def _with_name(text: str, name: str, variable: str) -> str:
    """Return a text with a variable where a name stands as a word of its own."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f"{{{{variables.{variable}}}}}", text)


def _text(digest: Digest, fetch: Fetch) -> str | None:
    data = fetch(digest)
    text = None if data is None else decode_text(data)
    return None if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n")
