"""Templates in the values of a workflow: what they refer to, and putting values in their place.

A value is put in once and never read again, so that nothing in it is a template, an expression or YAML.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final, Literal, cast

from bridge.bases.values import Date, Result, parse_date, parse_duration, shift_date, text_of
from bridge.errors import InvalidArguments
from bridge.features.workflows.parse import MAX_CHARS, Workflow, WorkflowVariable
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.moment_format import format_moment
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.text.closest import find_closest
from bridge.text.fold import nfc
from bridge.text.scripts import NAME_CHARACTER
from bridge.vault.paths import clean_name, file_name_for

Root = Literal["variables", "steps", "conditions", "item", "today", "now", "date", "daily"]

_TEMPLATE: Final = re.compile(r"\\\{\{|\{\{([^{}\n]{1,200})\}\}")
_NAMED_VALUE: Final = re.compile(rf"(variables|steps|conditions|item)((?:\.(?:{NAME_CHARACTER}|-)+)*)(?::\s*(\S.*))?")
_SHIFT: Final = re.compile(r"([+-])\s*(\d{1,5})\s*([dwmy])")
_UNITS: Final = {"d": "d", "w": "w", "m": "M", "y": "y"}
_PARTS: Final = {"variables": range(1, 4), "conditions": range(1, 2), "steps": range(2, 5), "item": range(3)}
"""How many names each takes."""
_DEPTH: Final = {"variables": 3, "conditions": 0, "steps": 4, "item": 2}
"""How many it takes for a property of a note."""
_SPACED_TEMPLATE: Final = re.compile(rf"([ \t]*)(?:{_TEMPLATE.pattern})")
DAY_IN_NAME: Final = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_LINE_END: Final = re.compile(r"[ \t]*$", re.MULTILINE)
_WHOLE_TEMPLATE: Final = re.compile(rf"\\\{{\{{(?:\{{*[^{{}}\n]*\}}\}})?|{_TEMPLATE.pattern}")
"""A template, or braces that are meant as such."""
_CUT_TEMPLATE: Final = re.compile(
    r"\{\{\s*(?:(?:variables|steps|conditions|item)\.[^\s:{}]+(?::[^{}\n]+)?|today|(?:now|date|daily):[^{}\s]+)\s*\}?"
    r"|\{?\s*(?<![\w.])(?:(?:variables|steps|conditions|item)\.[^\s:{}]+(?::[^{}\n]+)?|today|(?:now|date|daily):[^{}\s]+)\s*\}\}"
)
"""What would be a template if all its braces were there."""
HINT: Final = (
    "Templates are {{variables.NAME}}, {{variables.DATE:DD.MM.YYYY}}, {{steps.ID.path}}, {{item}}, {{item.FIELD}}, "
    "{{conditions.ID}}, {{today}}, {{now:HH:mm}}, {{date:+1d}}, {{date:+1d:DD.MM.YYYY}} and {{daily:-1d}}; write \\{{ "
    "for two braces."
)


class TemplateReference(Record):
    """What a template refers to."""

    root: Root
    names: tuple[str, ...] = ()
    detail: str = ""
    """The format of `now` or a named day, the shift of `date` (and its format) or `daily`, or the daily template."""

    def __str__(self) -> str:
        return ".".join((self.root, *self.names)) + (f":{self.detail}" if self.detail else "")


Resolve = Callable[[TemplateReference], Value]
"""Returns the value of a reference, or raises InvalidArguments."""


def parse_reference(text: str) -> TemplateReference:
    """Return what a template refers to, given what stands between its braces."""
    inner = text.strip()
    if inner in ("today", "date"):
        return TemplateReference("today")
    if inner == "now":
        return TemplateReference("now")
    word, colon, detail = inner.partition(":")
    if inner in ("daily", "daily:template"):
        return TemplateReference("daily", (), detail)
    if colon and word == "now" and detail.strip():
        format_moment(detail.strip(), datetime.now().astimezone())
        return TemplateReference("now", (), detail.strip())
    shift, _, form = detail.strip().partition(":")
    if colon and word in ("date", "daily") and _SHIFT.fullmatch(shift.strip()) and (word == "date" or not form):
        format_moment(form, datetime.now().astimezone())
        return TemplateReference(cast("Root", word), (), detail.strip())
    found = _NAMED_VALUE.fullmatch(inner)
    names = tuple(found[2].split(".")[1:]) if found else ()
    if found and found[1] != "item":
        names = *map(nfc, names[:1]), *names[1:]
    is_property = len(names) > 1 and names[-2] == "properties"
    if found is None or len(names) not in _PARTS[found[1]] or (len(names) == _DEPTH[found[1]] and not is_property):
        raise InvalidArguments(f"`{{{{{inner[:60]}}}}}` is no template.", hint=HINT)
    form = (found[3] or "").strip()
    format_moment(form, datetime.now().astimezone())
    return TemplateReference(cast("Root", found[1]), names, form)


def map_texts(value: Value, change: Callable[[str], Value]) -> Value:
    match value:
        case str():
            return change(value)
        case Mapping():
            return {name: map_texts(each, change) for name, each in value.items()}
        case list() | tuple():
            return [map_texts(each, change) for each in value]
        case _:
            return value


def texts_in(value: Value) -> list[str]:
    found: list[str] = []
    map_texts(value, found.append)
    return found


def find_references(value: Value) -> Iterator[TemplateReference]:
    for text in texts_in(value):
        for found in _TEMPLATE.finditer(text):
            if found[1] is not None:
                yield parse_reference(found[1])


def only_reference(value: Value) -> TemplateReference | None:
    found = _TEMPLATE.fullmatch(value.strip()) if isinstance(value, str) else None
    return parse_reference(found[1]) if found is not None and found[1] is not None else None


def has_stray_brace(path: str) -> bool:
    """Return whether a brace in a path belongs neither to a template nor to another brace."""
    left = 0
    for brace in re.findall(r"[{}]", _WHOLE_TEMPLATE.sub("", path)):
        left += 1 if brace == "{" else -1
        if left < 0:
            return True
    return left > 0


def find_cut_template(text: str) -> str | None:
    found = _CUT_TEMPLATE.search(_WHOLE_TEMPLATE.sub("", text))
    return None if found is None else found[0]


def put_sample(path: str, sample: str | None = None) -> str | None:
    """Return a path with a sample in place of each template; None if the path is one template and nothing else."""
    if only_reference(path) is not None:
        return None

    def put(found: re.Match[str]) -> str:
        if found[1] is None:
            return "{{"
        return f"{{{{{re.sub(r'[:/].*', '…', found[1])}}}}}" if sample is None else sample

    return _TEMPLATE.sub(put, path)


def moment_text(reference: TemplateReference, now: datetime) -> str:
    if reference.root == "now":
        return format_moment(reference.detail or "YYYY-MM-DD HH:mm", now)
    shifted, _, form = reference.detail.partition(":")
    if reference.root == "date" and (shift := _SHIFT.fullmatch(shifted.strip())):
        span = parse_duration(f"{shift[1]}{shift[2]}{_UNITS[shift[3]]}")
        assert span is not None  # noqa: S101 - as the pattern says
        return format_moment(form or "YYYY-MM-DD", shift_date(Date(now, has_time=False), span).moment)
    return f"{now:%Y-%m-%d}"


class TemplateFiller:
    """Puts values in the place of templates, within a number of characters for a whole run."""

    def __init__(self, resolve: Resolve, left: int = MAX_CHARS) -> None:
        self._resolve = resolve
        self.left = left
        self.cleaned: dict[str, str] = {}
        """Values that name files, and what a name may have of them."""

    def resolve(self, reference: TemplateReference) -> Value:
        """Return what a template stands for; a day in its format."""
        found = self._resolve(reference)
        if not reference.detail or reference.root not in _PARTS or found in (None, ""):
            return found
        named = DAY_IN_NAME.search(str(found)) if reference.names[-1] == "name" else None
        if (day := parse_date(named[0] if named is not None else str(found))) is None:
            raise InvalidArguments(f"`{{{{{reference}}}}}` is no day but `{str(found)[:60]}`, which has no format.")
        return format_moment(reference.detail, day.moment)

    def fill(self, value: Value, *, typed: bool = True) -> Value:
        """Return a value with its templates filled in; an entry of a list that is one adds what it has, once."""
        if isinstance(value, Mapping):
            return {name: self.fill(each, typed=typed) for name, each in value.items()}
        if isinstance(value, list | tuple):
            filled: list[Value] = []
            for one in value:
                new = self.fill(one, typed=typed)
                several = only_reference(one) is not None
                added = new if isinstance(new, list | tuple) else [new]
                filled += [each for each in added if not several or (each not in (None, "") and each not in filled)]
            return filled

        def fill_text(text: str) -> Value:
            only = only_reference(text)
            if only is None:
                return self._put(text)
            found = self.resolve(only)
            self._spend(found)
            if typed:
                return None if found == "" else found
            return found if isinstance(found, list | tuple) else self._put(text)

        return map_texts(value, fill_text)

    def text(self, value: str) -> str:
        def put(found: re.Match[str]) -> str:
            new = "{{" if found[2] is None else self._insert(found[2])
            # Nothing behind a label needs no space.
            return found[1] + new if new or not _LINE_END.match(value, found.end()) else ""

        return _SPACED_TEMPLATE.sub(put, value)

    def _put(self, value: str) -> str:
        text = self.text(value)
        if cut_frontmatter(text.lstrip("\ufeff")) is not None and cut_frontmatter(value) is None:
            raise InvalidArguments(
                "A value would bring properties of its own.", hint="Give what it says without the lines `---`."
            )
        return text

    def path(self, value: str) -> str:
        """Return a path with its templates filled in.

        What stands for the whole path, or for the folders with which it begins, may name folders. Anything else is a
        name, in which no folder can be.
        """

        def put(found: re.Match[str]) -> str:
            if found[1] is None:
                return "{{"
            reference = parse_reference(found[1])
            new = self._insert(found[1])
            if reference.root in ("today", "now", "date"):
                return new
            if found.start() == 0 and value[found.end() : found.end() + 1] in ("", "/"):
                if {".", ".."}.intersection(new.replace("\\", "/").split("/")) or new.startswith("/"):
                    raise InvalidArguments(f"`{{{{{reference}}}}}` is `{new[:100]}`, which is no folder of the vault.")
                return new.rstrip("/")
            if reference.root == "variables":
                # Only a whole name can be one that a system keeps for a device.
                is_whole = f"/{value}"[found.start()] == "/" and value[found.end() : found.end() + 1] in ("", "/", ".")
                name = clean_name(new) or "Untitled"
                name = file_name_for(new, lambda _: False, default="Untitled") if is_whole else name
                if name != new:
                    self.cleaned[new] = name
                return name
            return re.sub(r"[\\/\x00-\x1f]+", " ", new).strip(". ") or "Untitled"

        return _TEMPLATE.sub(put, value)

    def text_of(self, value: Value, reference: TemplateReference) -> str:
        if isinstance(value, Mapping) or (
            isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value)
        ):
            raise InvalidArguments(
                f"`{{{{{reference}}}}}` is no text.", hint="Name a field of it, such as `{{item.path}}`."
            )
        return text_of(list(value) if isinstance(value, tuple) else value)

    def _insert(self, inner: str) -> str:
        reference = parse_reference(inner)
        new = self.text_of(self.resolve(reference), reference)
        self._spend(new)
        return new

    def _spend(self, value: Value) -> None:
        self.left -= len(value) if isinstance(value, str | list | tuple) else 1
        if self.left < 0:
            raise InvalidArguments(
                f"The workflow writes more than {MAX_CHARS:,} characters.", hint="Give shorter variables."
            )


MAX_VALUE_CHARS: Final = 100_000
"""Characters of all values together."""

MAX_ITEMS: Final = 500

_EMPTY_VALUES: Final[Mapping[str, Value]] = {"list": [], "yes-no": False}
_YES_NO: Final[Mapping[str, bool]] = {"yes": True, "true": True, "no": False, "false": False}
_KINDS: Final[Mapping[str, str]] = {
    "text": "a text",
    "number": "a number",
    "yes-no": "yes or no",
    "list": f"a list of at most {MAX_ITEMS} texts or numbers",
    "date": "a day such as 2026-01-31 or tomorrow",
    "note": "the path of a note",
}


ReadMeaning = Callable[[WorkflowVariable, str], str]
"""Returns the day, or the path of the note, that a text means as the value of a variable."""


def bind_variables(workflow: Workflow, given: Mapping[str, Value], read: ReadMeaning) -> dict[str, Value]:
    given = {nfc(name): value for name, value in given.items()}
    for name in given:
        if name not in workflow.variables:
            near = find_closest(name, workflow.variables)
            names = ", ".join(f"`{each}`" for each in workflow.variables) or "none"
            hint = f"Did you mean `{near}`?" if near else f"It takes {names}."
            raise InvalidArguments(f"The workflow has no variable `{name[:60]}`.", hint=hint)
    values = [(one, given.get(name, one.default)) for name, one in workflow.variables.items()]
    if missing := [one for one, value in values if one.required and value in (None, "")]:
        told = ", ".join(f"`{one.name}`{f' ({one.description})' * bool(one.description)}" for one in missing)
        raise InvalidArguments(
            f"{'This variable has' if len(missing) == 1 else 'These variables have'} no value: {told}."
        )
    bound = {one.name: _bind(one, value, read) for one, value in values}
    if sum(_length(value) for value in bound.values()) > MAX_VALUE_CHARS:
        raise InvalidArguments(f"The variables have more than {MAX_VALUE_CHARS:,} characters together.")
    return bound


def expression_values(workflow: Workflow, values: Mapping[str, Value]) -> Mapping[str, Result]:
    dated = {name: parse_date(str(value)) for name, value in values.items() if workflow.variables[name].type == "date"}
    return {**values, **{name: date for name, date in dated.items() if date is not None}}


def _bind(one: WorkflowVariable, value: Value, read: ReadMeaning) -> Value:
    if value is None or value == "":
        return _EMPTY_VALUES.get(one.type, "")
    found = _read(one, value, read)
    if found is None:
        kind = _KINDS.get(one.type) or f"one of {', '.join(one.choices)}"
        raise InvalidArguments(f"The variable `{one.name}` must be {kind}.")
    return found


def _read(one: WorkflowVariable, value: Value, read: ReadMeaning) -> Value:
    """Return a value as its variable takes it; None if it does not fit."""
    found: Value = None
    match one.type, value:
        case "text" | "number", bool():
            pass
        case "text", str() | int() | float():
            found = str(value)
        case "number", str():
            with suppress(ValueError):
                found = float(value) if "." in value or "e" in value.casefold() else int(value[:30])
        case "yes-no", str():
            found = _YES_NO.get(value.strip().casefold())
        case ("number", int() | float()) | ("yes-no", bool()):
            found = value
        case "list", _:
            items = list(value) if isinstance(value, list | tuple) else [value]
            fits = len(items) <= MAX_ITEMS and all(isinstance(each, str | int | float) for each in items)
            found = items if fits else None
        case "choice", _:
            found = str(value) if str(value) in one.choices else None
        case "date" | "note", str():
            found = read(one, value)
    return None if isinstance(found, float) and not math.isfinite(found) else found


def _length(value: Value) -> int:
    return sum(map(_length, value)) if isinstance(value, list | tuple) else len(str(value))
