"""Makes the steps of a workflow from changes that were made: what differs, or names a new note, becomes a variable."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct, field
from yaml import YAMLError

from bridge.bases.values import text_of
from bridge.errors import InvalidArguments
from bridge.features.workflows.model import VariableKind, path_fields
from bridge.features.workflows.templates import (
    Reference,
    TemplateFiller,
    find_cut_template,
    has_stray_brace,
    moment_text,
)
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.moment_format import format_moment
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.markdown.parse import parse
from bridge.markdown.sections import heading_paths
from bridge.records import Record
from bridge.text.diff import decode_text, diff_lines, split_lines
from bridge.text.words import SPACED_WORD, TOKEN
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

Fetch = Callable[[Digest], bytes | None]

NEAR_DAYS: Final = 31
"""Days around that of the change that are written as a shift from it."""
MIN_NAME_CHARS: Final = 3
"""Characters of a name that is looked for in texts; fewer in other alphabets than the Latin one."""
MAX_WORD_PAIRS: Final = 4_000_000
"""Pairs of words that are compared in a line."""

_ITEM: Final = re.compile(r"[-*+] +(?:\[(.)\] +)?(.*)")
_DAY: Final = re.compile(r"(?<![0-9A-Za-z])\d{4}-\d\d-\d\d(?![0-9A-Za-z])")
_OTHER_DAY: Final = re.compile(
    r"(?<![0-9A-Za-z])(?<!\d[.,-])(?:"
    r"\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2}|\d{8}|\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]"
    r"|\d{1,2}(?:\.|º|st|nd|rd|th|er)?(?: de)? [^\s\d.,]{2,20}\.?(?: de)?,? \d{4}"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
    r"(?![0-9A-Za-z])(?![./-]\d)"
)
"""What may be a day that is not written as 2026-01-31."""
_FORMS: Final = (
    "YYYY-MM-DD",
    *("DD.MM.YYYY", "D.M.YYYY", "DD/MM/YYYY", "D/M/YYYY", "MM/DD/YYYY", "M/D/YYYY", "DD-MM-YYYY", "D-M-YYYY"),
    *("MM-DD-YYYY", "M-D-YYYY", "YYYY/MM/DD", "YYYY/M/D", "YYYY.MM.DD", "YYYY.M.D", "YYYYMMDD"),
    *("YYYY年M月D日", "YYYY年MM月DD日", "YYYY년 M월 D일", "YYYY년 MM월 DD일"),
    *("D MMMM YYYY", "Do MMMM YYYY", "D MMM YYYY", "MMMM D, YYYY", "MMMM Do, YYYY", "MMM D, YYYY", "MMMM D YYYY"),
)
"""Forms in which a workflow can write days, those first that are meant where two come to the same."""
_TWO_ORDERS: Final = re.compile(r"(0?[1-9]|1[0-2])[/-](0?[1-9]|1[0-2])[/-]\d{4}")
_ANY_DAY: Final = re.compile(f"{_DAY.pattern}|{_OTHER_DAY.pattern}")
_PIECE: Final = re.compile(rf"\{{\{{|{SPACED_WORD.pattern}|.", re.DOTALL)
_NAMED: Final = re.compile(r"^#[ \t]+(?P<heading>.+?)[ \t]*$|\[\[(?P<link>[^\[\]|#\n]+)", re.MULTILINE)
_KINDS_OF_NOTES: Final = frozenset({"type", "tags", "aliases", "cssclasses"})
"""Properties whose values do not name what a note is about."""


class Example(Record):
    """One change: its steps, and the day on which it was made."""

    steps: Sequence[Step]
    day: date


class DraftedVariable(Record):
    """A variable that steps use.

    Attributes:
        kind: What it takes.
        required: Whether every example has a value for it.
        sample: Its value in the first example.
    """

    kind: VariableKind
    required: bool
    sample: Value


class DraftedSteps(Struct):
    """Steps made from examples.

    Attributes:
        steps: The arguments of each, without an id.
        variables: The variables that they use.
        remarks: What of the changes cannot be repeated.
    """

    steps: list[dict[str, Value]] = field(default_factory=list)
    variables: dict[str, DraftedVariable] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def draft_steps(examples: Sequence[Example], fetch: Fetch) -> DraftedSteps:
    """Return the steps that the changes have in common."""
    found = DraftedSteps()
    each = [[one for step in example.steps for one in _requests_of(step, fetch, found.remarks)] for example in examples]
    if not each[0]:
        raise InvalidArguments("Nothing in these changes can be repeated.", hint=" ".join(found.remarks) or None)
    if any([*map(_shape, steps)] != [*map(_shape, each[0])] for steps in each):
        raise InvalidArguments(
            "These changes are not alike: their steps differ.", hint="Give only changes of one kind, or one change."
        )
    merge = _Merge(found, [example.day for example in examples], each)
    found.steps = [merge.step([steps[at] for steps in each]) for at in range(len(each[0]))]
    found.remarks = list(dict.fromkeys(found.remarks))
    return found


def _shape(step: Mapping[str, Value]) -> tuple[Value, ...]:
    edits = step.get("edits")
    inner = (
        [(edit["op"], "heading" in edit) for edit in edits if isinstance(edit, Mapping)]
        if isinstance(edits, list)
        else []
    )
    return step["op"], "heading" in step, inner


def _requests_of(step: Step, fetch: Fetch, remarks: list[str]) -> Iterator[dict[str, Value]]:
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
            remarks.append(f"The deletion of `{step.path}` is left out: a workflow must find what it deletes.")


def _edits_of(path: VaultPath, before: str, after: str, remarks: list[str]) -> Iterator[dict[str, Value]]:
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
            remarks.append(f"A replacement in `{path}` is left out: a workflow must find what it replaces.")
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
    cut = cut_frontmatter(text)
    if cut is None:
        return {}, text
    (start, end), body = cut
    try:
        return dict(load_properties(text[start:end]).values), text[body:]
    except YAMLError:
        return {}, text[body:]


class _Piece(Record):
    """A word, a day, two braces or another character of a text; the same if a workflow says the same for it."""

    written: str
    raw: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Piece) and self.written == other.written

    def __hash__(self) -> int:
        return hash(self.written)

    @property
    def is_fixed(self) -> bool:
        return self.raw == "/" or self.written != self.raw or TOKEN.match(self.raw) is not None


class _Blank(NamedTuple):
    """Where a variable stands: its value in each example, and what it is called if nothing else has these values."""

    values: tuple[Value, ...]
    name: str
    kind: VariableKind | None = None
    """What the variable takes; None for what the values are."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as texts, by which a variable is found again."""
        return tuple(map(text_of, self.values))


_Pieces = tuple[_Piece, ...]
_Parts = Sequence[_Piece | _Blank]
_T = TypeVar("_T", _Piece, _Pieces)


class _Merge:
    """Joins the same place of several examples, with a variable where they differ."""

    def __init__(
        self, found: DraftedSteps, days: Sequence[date], each: Sequence[Sequence[Mapping[str, Value]]]
    ) -> None:
        self._found = found
        self._days = days
        self._known: dict[tuple[str, ...], list[str]] = {}
        # A day that stands in changes of different days is none that moves with them.
        same = set[str].intersection(*(set(_ANY_DAY.findall(str(steps))) for steps in each))
        self._constant = same if len(set(days)) > 1 else set[str]()
        self._names = list(self._names_in(each[0])) if len(days) == 1 else []

    def step(self, each: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        op = str(each[0]["op"])
        # Variables are called after properties rather than after the place in which they stand.
        first = [name for name in ("properties",) if any(name in one for one in each)]
        names = dict.fromkeys((*first, *(name for one in each for name in one)))
        made: dict[str, Value] = {}
        for name in names:
            values = [one.get(name, {} if name == "properties" else "") for one in each]
            if name == "op":
                made[name] = op
            elif name in path_fields(op):
                made[name] = self._path(op, [str(value) for value in values])
            elif name == "properties":
                properties = self._properties(
                    str(each[0]["path"]), [dict(one) for one in values if isinstance(one, Mapping)]
                )
                made |= {name: properties} if properties else {}
            elif name == "edits":
                edits = [one[0] for one in values if isinstance(one, list)]
                made[name] = [self.step([one for one in edits if isinstance(one, Mapping)])]
            else:
                made[name] = self._value(name, values)
        return {name: made[name] for one in each for name in one if name in made}

    def _properties(self, path: str, each: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        names = dict.fromkeys(name for one in each for name in one)
        for name in [name for name in names if any(name not in one for one in each)]:
            del names[name]
            self._found.remarks.append(f"The property `{name}` of `{path}` is left out: not every change has it.")
        # A variable is called after the property that has its value and nothing else.
        shortest = sorted(names, key=lambda name: len(str(each[0][name])))
        made = {name: self._value(name, [one[name] for one in each]) for name in shortest}
        return {name: made[name] for name in names}

    def _value(self, name: str, each: Sequence[Value]) -> Value:
        first, whole = each[0], _Blank(tuple(each), name)
        if len({*whole.texts}) > 1 and whole.texts in self._known:
            return self._template(whole)
        if all(isinstance(one, str) for one in each):
            parts = self._parts(name, [self._cut(str(one), at) for at, one in enumerate(each)])
            # Braces of the notes themselves may look like half a template beside a variable.
            return self._write(parts) if find_cut_template(_numbered_text(parts)) is None else self._template(whole)
        if isinstance(first, list) and all(isinstance(one, list) and len(one) == len(first) for one in each):
            columns = zip(*[one for one in each if isinstance(one, list)], strict=True)
            return [self._value(name, column) for column in columns]
        if isinstance(first, Mapping) and all(isinstance(one, Mapping) and one.keys() == first.keys() for one in each):
            inner = [one for one in each if isinstance(one, Mapping)]
            return {key: self._value(key, [one[key] for one in inner]) for key in first}
        if all(one == first for one in each):
            return first
        return self._template(whole)

    def _path(self, op: str, each: Sequence[str]) -> str:
        """Return the same path of all examples, of which a variable gives whole folders, or a name and nothing more.

        Of a note that is changed where it is, a variable gives its name, or else the note.
        """
        is_new, stays = op == "create_note", op not in ("create_note", "move_note")
        texts = [self._cut(text, at) for at, text in enumerate(each)]
        last = "title" if is_new else "name"
        ends = [[text.rpartition("/")[0], text.rpartition("/")[2].removesuffix(".md")] for text in each]
        folders, stems = ([self._cut(text, at) for at, text in enumerate(column)] for column in zip(*ends, strict=True))
        whole = _Blank(tuple(each), "note", "note") if stays else _Blank(tuple(each), "path")
        choices: list[_Parts] = [self._parts(last, texts, everywhere=is_new)]
        if stays and any(part.texts not in self._known for part in choices[0] if isinstance(part, _Blank)):
            choices = []
        if all(folder for folder, _ in ends) or not any(folder for folder, _ in ends):
            slash = self._cut("/", 0) if folders[0] else ()
            extension = self._cut(each[0][len(each[0].removesuffix(".md")) :], 0)
            name_alone: list[_Piece | _Blank] = [*slash, _Blank(tuple(_raw(one) for one in stems), last), *extension]
            choices.append([*folders[0], *name_alone])
            choices += [] if stays else [[_Blank(tuple(map(_raw, folders)), "folder"), *name_alone]]
        for parts in choices:
            if not has_stray_brace(_numbered_text(parts)) and all(
                self._fill_path(parts, at) == text for at, text in enumerate(each)
            ):
                return self._write(parts)
        return self._template(whole)

    def _fill_path(self, parts: _Parts, example: int) -> str | None:
        blanks = [part for part in parts if isinstance(part, _Blank)]

        def resolve(reference: Reference) -> Value:
            if reference.root != "variables":
                return moment_text(reference, datetime.combine(self._days[example], time()))
            return blanks[int(reference.names[0])].values[example]

        try:
            return TemplateFiller(resolve).path(_numbered_text(parts))
        except InvalidArguments:
            return None

    def _parts(self, name: str, each: Sequence[_Pieces], *, everywhere: bool = False) -> _Parts:
        if len(each) == 1:
            return self._named_parts(each[0], everywhere=everywhere)
        parts: list[_Piece | _Blank] = []
        for lines in _differences([_lines(one) for one in each]):
            if all(len(one) == len(lines[0]) for one in lines):
                for row in zip(*lines, strict=True):
                    parts += _line_parts(name, row)
            else:
                parts += _blank(name, [tuple(piece for line in one for piece in line) for one in lines])
        return parts

    def _named_parts(self, text: _Pieces, *, everywhere: bool) -> _Parts:
        parts: list[_Piece | _Blank] = []
        at = 0
        while at < len(text):
            for pieces, name in self._names:
                raw = _raw(pieces)
                is_short = len(raw) < (MIN_NAME_CHARS if raw.isascii() else MIN_NAME_CHARS - 1) and len(pieces) < len(
                    text
                )
                escaped = _escapes(text[:at])
                if text[at : at + len(pieces)] == pieces and not escaped and (everywhere or not is_short):
                    parts.append(_Blank((raw,), name))
                    at += len(pieces)
                    break
            else:
                parts.append(text[at])
                at += 1
        return parts

    def _names_in(self, steps: Sequence[Mapping[str, Value]]) -> Iterator[tuple[_Pieces, str]]:
        found: dict[_Pieces, str] = {}
        for step in steps:
            if step["op"] != "create_note":
                continue
            title = self._cut(note_name(str(step["path"])), 0)
            titles = [*_between_days(title)] or ([] if any(map(_is_day, title)) else [title])
            found |= {one: "title" for one in titles if one not in found}
            named = [(name, value) for name, value in _property_texts(step) if name not in _KINDS_OF_NOTES]
            text = str(step.get("text", ""))
            named += [(str(one.lastgroup), one[str(one.lastgroup)]) for one in _NAMED.finditer(text)]
            for name, value in named:
                pieces = self._cut(value.strip(), 0)
                if pieces and any(pieces == one[at : at + len(pieces)] for one in titles for at in range(len(one))):
                    found.setdefault(pieces, name)
        yield from sorted(found.items(), key=lambda one: -len(one[0]))

    def _cut(self, text: str, example: int) -> _Pieces:
        made: list[_Piece] = []
        at = 0
        for found in _ANY_DAY.finditer(text):
            raw = found[0]
            written = raw if raw in self._constant else _shift(raw, self._days[example])
            if written is not None:
                made += _words(text[at : found.start()])
                made.append(_Piece(raw if _escapes(made) else written, raw))
                at = found.end()
        return (*made, *_words(text[at:]))

    def _write(self, parts: _Parts) -> str:
        self._found.remarks += [
            f"The day `{part.raw}` stays as it is: write one that moves as `{{{{today}}}}`, or with its form, such as"
            " `{{now:DD/MM/YYYY}}` or `{{date:+1d:DD/MM/YYYY}}`."
            for part in parts
            if isinstance(part, _Piece) and _OTHER_DAY.fullmatch(part.written) and part.raw not in self._constant
        ]
        return "".join(self._template(part) if isinstance(part, _Blank) else part.written for part in parts)

    def _template(self, blank: _Blank) -> str:
        variables = self._found.variables
        kind = blank.kind or _kind_of(blank.values)
        same = self._known.setdefault(blank.texts, [])
        name = next((one for one in same if kind in ("text", "date") or variables[one].kind == kind), None)
        if name is None:
            base = re.sub(r"\W+", "_", blank.name).strip("_")[:50]
            base = base if re.match(r"[^\W\d]", base) else f"value_{base}".rstrip("_")
            name = next(one for at in range(1, 1000) if (one := base if at == 1 else f"{base}_{at}") not in variables)
            variables[name] = DraftedVariable(
                kind, all(value not in ("", None) for value in blank.values), blank.values[0]
            )
            same.append(name)
        return f"{{{{variables.{name}}}}}"


def _line_parts(name: str, each: Sequence[_Pieces]) -> Iterator[_Piece | _Blank]:
    """Yield the same line of all examples; what differs is filled in together if no word stands between."""
    if any(len(each[0]) * len(one) > MAX_WORD_PAIRS for one in each):
        yield from _blank(name, each)
        return
    merged: list[list[_Pieces]] = []
    for run in _differences(each):
        pieces = list(run)
        while merged and _is_same(merged[-1]) and not _is_same(pieces) and (cut := _escapes(merged[-1][0])):
            pieces = [(*before[-cut:], *one) for before, one in zip(merged[-1], pieces, strict=True)]
            merged[-1] = [one[:-cut] for one in merged[-1]]
        is_between = len(merged) > 1 and _is_same(merged[-1]) and not any(one.is_fixed for one in merged[-1][0])
        if is_between and not _is_same(pieces) and not _is_same(merged[-2]):
            between, before = merged.pop(), merged.pop()
            pieces = [(*one, *two, *three) for one, two, three in zip(before, between, pieces, strict=True)]
        merged.append(pieces)
    for pieces in merged:
        yield from _blank(name, pieces)


def _blank(name: str, each: Sequence[_Pieces]) -> Iterator[_Piece | _Blank]:
    if _is_same(each):
        yield from each[0]
    else:
        yield _Blank(tuple(_raw(one) for one in each), name)


def _differences(each: Sequence[Sequence[_T]]) -> Iterator[Sequence[tuple[_T, ...]]]:
    first, *others = each
    places: list[dict[int, int]] = []
    for other in others:
        blocks = SequenceMatcher(None, first, other, autojunk=False).get_matching_blocks()
        places.append({block.a + shift: block.b + shift for block in blocks for shift in range(block.size)})
    ends = [0] * len(each)
    start: list[int] | None = None
    at: int
    for at in range(len(first) + 1):
        found: list[int] = [at, *(one.get(at, -1) for one in places)] if at < len(first) else [*map(len, each)]
        if -1 in found:
            continue
        if found != ends or at == len(first):
            if start is not None:
                yield [tuple(one[a:b]) for one, a, b in zip(each, start, ends, strict=True)]
            if found != ends:
                yield [tuple(one[a:b]) for one, a, b in zip(each, ends, found, strict=True)]
            start = None
        start = found if start is None else start
        ends = [one + 1 for one in found]


def _escapes(text: Sequence[_Piece]) -> int:
    """Return how many pieces at the end of a text would make two braces of the template after it."""
    last = "".join(piece.raw for piece in text[-2:])
    return 2 if last == "\\{" else int(last.endswith("\\"))


def _is_same(each: Sequence[_Pieces]) -> bool:
    return all(one == each[0] for one in each)


def _lines(text: _Pieces) -> list[_Pieces]:
    ends = [at + 1 for at, piece in enumerate(text) if piece.raw == "\n"]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if start < end]


def _between_days(title: _Pieces) -> Iterator[_Pieces]:
    edges = [-1, *(at for at, piece in enumerate(title) if _is_day(piece)), len(title)]
    for start, end in pairwise(edges):
        part = title[start + 1 : end]
        while part and part[0].raw in " -–—_.,:":
            part = part[1:]
        while part and part[-1].raw in " -–—_.,:":
            part = part[:-1]
        if part:
            yield part


def _is_day(piece: _Piece) -> bool:
    return piece.raw not in (piece.written, "{{")


def _property_texts(step: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    properties = step.get("properties")
    for name, value in properties.items() if isinstance(properties, Mapping) else ():
        yield from ((name, one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def _raw(text: _Pieces) -> str:
    return "".join(piece.raw for piece in text)


def _numbered_text(parts: _Parts) -> str:
    numbers = iter(range(len(parts)))
    return "".join(f"{{{{variables.{next(numbers)}}}}}" if isinstance(part, _Blank) else part.written for part in parts)


def _kind_of(values: Sequence[Value]) -> VariableKind:
    if all(isinstance(value, bool) for value in values):
        return "yes-no"
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "number"
    if all(isinstance(value, list) for value in values):
        return "list"
    return "date" if all(isinstance(value, str) and _is_date(value) for value in values) else "text"


def _is_date(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _words(text: str) -> Iterator[_Piece]:
    for found in _PIECE.finditer(text):
        yield _Piece("\\{{" if found[0] == "{{" else found[0], found[0])


def _shift(text: str, day: date) -> str | None:
    if _TWO_ORDERS.fullmatch(text) is None and (found := _texts_near(day).get(text)) is not None:
        shift, form = found
        if form == _FORMS[0]:
            return "{{today}}" if shift == 0 else f"{{{{date:{shift:+d}d}}}}"
        return f"{{{{now:{form}}}}}" if shift == 0 else f"{{{{date:{shift:+d}d:{form}}}}}"
    numbers = sorted(map(int, re.findall(r"\d+", text)))
    near = (day + timedelta(days=shift) for shift in range(-NEAR_DAYS, NEAR_DAYS + 1))
    may_be_near = any(numbers in (sorted((one.day, one.year)), sorted((one.day, one.month, one.year))) for one in near)
    return text if may_be_near or _DAY.fullmatch(text) else None


@cache
def _texts_near(day: date) -> Mapping[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for form in _FORMS:
        for shift in range(-NEAR_DAYS, NEAR_DAYS + 1):
            text = format_moment(form, datetime.combine(day, time()) + timedelta(days=shift))
            found.setdefault(text, (shift, form))
    return found


def _text(digest: Digest, fetch: Fetch) -> str | None:
    data = fetch(digest)
    text = None if data is None else decode_text(data)
    return None if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n")
