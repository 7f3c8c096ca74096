"""Drafts a note from notes that are alike: what they share stays, what differs becomes a variable or is left empty."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from difflib import SequenceMatcher
from functools import cache
from itertools import count, islice, takewhile
from typing import Final

from yaml import YAMLError

from bridge.api.note_times import tells_time
from bridge.bases.values import text_of
from bridge.errors import InvalidArguments
from bridge.features.workflows.parse import VariableKind
from bridge.features.workflows.templates import find_cut_template, find_references, has_stray_brace, map_texts
from bridge.markdown.edit.properties import read_items
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.moment_format import format_moment
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.markdown.tasks import is_date
from bridge.records import Record
from bridge.text.budget import cut
from bridge.text.counts import count_of
from bridge.text.fold import fold_case, nfc
from bridge.text.invisible import one_line
from bridge.text.scripts import CLUSTER, MARK, NAME_CHARACTER
from bridge.types import VaultPath

MAX_EXAMPLES: Final = 5
DAILY_TEMPLATE: Final = "{{daily}}"
MAX_UNITS: Final = 1_000
"""Lines and blocks of code of a note that are compared."""
MIN_VALUE_CHARS: Final = 3
"""Characters of a value that is looked for in texts; fewer where an alphabet is not the Latin one."""

_DAY: Final = re.compile(
    r"(?<!\d)(?:"
    r"(?P<y>\d{4})[-./年]?(?P<m>\d\d?)[-./月]?(?P<d>\d\d?)日?"
    r"|(?P<d2>\d\d?)[-./](?P<m2>\d\d?)[-./](?P<y2>\d{4}))(?!\d)"
)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d(:\d\d)?")
_FORMS: Final = (
    *("YYYY-MM-DD", "DD.MM.YYYY", "D.M.YYYY", "DD/MM/YYYY", "D/M/YYYY", "MM/DD/YYYY", "M/D/YYYY", "DD-MM-YYYY"),
    *("YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "YYYY年M月D日", "YYYY年MM月DD日", "D MMMM YYYY", "Do MMMM YYYY"),
    *("D MMM YYYY", "MMMM D, YYYY", "MMMM Do, YYYY", "MMM D, YYYY", "dddd, D MMMM YYYY", "dddd, MMMM D, YYYY"),
    *("dddd, MMMM Do, YYYY", "dddd D MMMM YYYY", "MMM. Do, YYYY", "MMM Do, YYYY", "GGGG-[W]WW"),
)
"""Forms in which a workflow can write the day of a note, those first that are meant where two come to the same."""
FOLDER_FORMS: Final = ("YYYY", "YYYY-MM", "MM", "MMMM", "MM-MMMM", "MM MMMM", "YYYY-MM-DD", "GGGG-[W]WW", "[Q]Q")
_NEAR_DAYS: Final = (0, -1, 1, -7, 7)
_STATE: Final = re.compile(r"(?:sr|srs|fsrs|anki|fc|recall)[-_ ].+", re.IGNORECASE)
"""Names of properties in which plugins keep when a note is to be learnt again."""
_KINDS: Final = frozenset({"tags", "cssclasses", "categories", "type"})
"""Properties that say what kind of note a single one is."""

_UNIT: Final = re.compile(r"^ {0,3}(`{3,}|~{3,}|\$\$|%%)[^\n]*\n.*?^ {0,3}\1[ \t]*$|^[^\n]*$", re.MULTILINE | re.DOTALL)
_LABEL: Final = re.compile(
    r"(?P<label>(?P<row>\| *)?(?:[-*+>] +)*(?:\[.\] +)?(?P<name>[*_]{0,2}[^\W\d_][^:：|\n\[\]`]{0,40})"
    r"(?:::?[*_]{0,2}(?=\s|$)|：[*_]{0,2})(?(row) *\|))(?P<space>[ \t]*)(?P<value>.*?)(?(row) *\|?)"
)
"""A line with a name and a value, as in `**Author**: Ada`, in a list or a table of two columns."""
_STRUCTURE: Final = re.compile(
    r"#{1,2} .*|(?:[-*_] ?){3,}|[-*+](?: \[.\])?|!\[\[[^\]]*\.base.*|> ?\[!.*"
    r"|(`{3,}|~{3,})(?:dataview|dataviewjs|tasks|base|query)\b.*",
    re.DOTALL,
)
"""What stays of a single note: headings, rules, empty items, callouts and queries."""
_EMBED: Final = re.compile(r"\s*!(?:\[\[[^\]]+\]\]|\[[^\]]*\]\([^)]*\))\s*")
_MARKS: Final = re.compile(rf"(?:(?!{NAME_CHARACTER})[^{{}}.])+")
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_HEADING: Final = re.compile(r"(#{1,6})[ \t].*")
_TICK: Final = re.compile(r"^(\s*[-*+] )\[\S\] ")
_VARIABLE: Final = re.compile(r"\{\{variables\.[^}]+\}\}")
TEMPLATE: Final = re.compile(r"(?<!\\)\{\{")
_WHOLE_TEMPLATE: Final = re.compile(r"(?<!\\)\{\{[^{}]*\}\}")
_TEMPLATE_OR_LINK: Final = re.compile(rf"{_WHOLE_TEMPLATE.pattern}|https?://[^\s()\[\]<>]+")
_FORMAT: Final = re.compile(r"(\{\{variables\.[^:}]+):[^}]*")
"""The form in which a day stands."""
_PIECE: Final = re.compile(
    r"\\?\{\{(?:[^{}]*\}\})?|\d{4}-\d\d-\d\d"
    rf"|(?:[^\W_\u2e80-\U0003ffff](?:{MARK}|[\u200c\u200d])*)+|{CLUSTER}",
    re.DOTALL,
)
"""A template, a day, a word, or a character, as one of a language without spaces."""
_WORD: Final = re.compile(rf"https?://[^\s()\[\]<>\"'{{}}|]+(?!\S*\{{\{{)|{_PIECE.pattern}", re.DOTALL)
"""One of these, or an address without templates."""
_LINK_PLACE: Final = re.compile(r".*[\[|](?=[^\]])(?:.*/)?|[\[\]]")
"""What a link says besides the name of its note."""
_NAMED_PLACE: Final = re.compile(
    rf"\[([^\]]+)\]\($|([\w-]+)=[\"']$|^[->*+\s]*([^\W\d_](?:{NAME_CHARACTER}| ){{1,20}})\W*$"
)
"""What is before the address of a link, the value of an attribute, or a value behind its name."""
_CALLOUT: Final = re.compile(r"> ?\[!\w+\][-+]? *(.+)")
_BRACKETS: Final = dict(zip(")]}）》」』】”", "([{（《「『【“", strict=True))
MAX_LEFT_OUT: Final = 20
"""Sections of which it is told what is not in a draft."""
MAX_COMPARED: Final = 30
"""Lines between equal ones that are compared with each other."""
MAX_GAPS: Final = 3
"""Places of a line that may differ."""
MIN_BEGIN: Final = 15
"""Letters with which a line must begin so that the rest of it may differ as it likes."""
MIN_SAME: Final = 0.66
"""What is the same of a line, as a share of what differs."""


class Example(Record):
    """A note of which others are to be made."""

    path: VaultPath
    properties: Mapping[str, Value]
    text: str


def read_example(path: VaultPath, data: bytes) -> Example:
    text = nfc(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n"))
    if (cut := cut_frontmatter(text)) is None:
        return Example(path, {}, text)
    (start, end), body = cut
    with suppress(YAMLError):
        values = load_properties(text[start:end]).values
        return Example(path, {name: _read_links(value) for name, value in values.items()}, text[body:])
    raise InvalidArguments(f"The properties of `{path}` cannot be read.")


def _read_links(value: Value) -> Value:
    """Return a value with the links in it as such: without quotes they are lists in lists to YAML."""
    links: list[Value] = []
    for one in value if isinstance(value, list) else ():
        match one:
            case [str(name)] | [[str(name)]]:
                links.append(f"[[{name}]]")
            case _:
                links.append(one)
    return links or value


class DraftedSteps(Record):
    """Steps that make more of what examples are, or do again what was done."""

    steps: Sequence[Mapping[str, Value]]
    variables: Mapping[str, Mapping[str, Value]]
    left_out: tuple[str, ...] = ()
    """Properties that are not in it: too few of the examples have them, or a plugin writes them."""
    text_left_out: tuple[str, ...] = ()
    """What the examples say and it does not: headings, how many lines of them, and the first of these."""
    starter: str | None = None
    """The starter that does it instead."""
    remark: str | None = None
    sources: tuple[VaultPath, ...] = ()
    """The notes of whose words they are made."""


Parts = Sequence[str | tuple[str, ...]]
"""A text as far as all examples have it, and what each has in between."""


class ExampleComparison:
    """Compares texts of several examples: finds variables for what differs, and puts them into what is read later."""

    def __init__(self, size: int) -> None:
        self.variables: dict[str, dict[str, Value]] = {}
        self._blanks: list[dict[str, str]] = [{} for _ in range(size)]
        """What stands in each example in the place of which template."""
        self._fillers: dict[tuple[int, bool, int], Callable[[str], str]] = {}

    def know(self, blanks: Sequence[Mapping[str, str]]) -> None:
        """Take what stands in each example in the place of which template; what was known before counts."""
        for known, new in zip(self._blanks, blanks, strict=True):
            for text, template in new.items():
                known.setdefault(text, template)

    def fill(self, texts: Sequence[str], *, exact: bool = False) -> list[str]:
        return [self.filler(at, exact=exact)(text) for at, text in enumerate(texts)]

    def filler(self, at: int, *, exact: bool = False) -> Callable[[str], str]:
        """Return what puts templates into a text of an example; with `exact`, in the place of equal letters only."""
        known, fold = self._blanks[at], str if exact else fold_case
        if (made := self._fillers.get((at, exact, len(known)))) is not None:
            return made
        blanks = {fold(value): template for value, template in known.items()} | {"{{": "\\{{"}
        values = "|".join(map(word_pattern, sorted(known, key=len, reverse=True)))
        # Not behind a backslash, which would make two braces of a template.
        way = rf"\{{\{{|(?<!\\)(?<!\\\{{)(?:{values})" if values else r"\{\{"
        pattern = re.compile(way, 0 if exact else re.IGNORECASE)
        made = self._fillers[at, exact, len(known)] = lambda text: pattern.sub(
            lambda found: blanks.get(fold(found[0]), found[0]), text
        )
        return made

    def variable(
        self, name: str, values: Sequence[Value], kind: VariableKind | None = None, *, default: Value = None
    ) -> str:
        """Return the template of a new variable, given its values in the examples, some of which may be empty."""
        base = re.sub(rf"(?:(?!{NAME_CHARACTER}).)+", "_", nfc(name), flags=re.DOTALL).strip("_")[:50]
        base = base if re.match(r"[^\W\d]", base) else f"value_{base}".rstrip("_")
        id_ = next(one for at in count(1) if (one := base if at == 1 else f"{base}_{at}") not in self.variables)
        given = [value for value in values if not _is_empty(value)]
        kind, template = kind or _kind_of(given), f"{{{{variables.{id_}}}}}"
        shown = [*dict.fromkeys(cut(one_line(text_of(value)), 80) for value in given)]
        self.variables[id_] = {"type": kind, "description": " · ".join(shown[:3])}
        self.variables[id_] |= {} if default is None else {"default": default}
        if len(values) == len(self._blanks) and kind != "list":
            texts = ["" if _is_empty(value) else text_of(value) for value in values]
            fits = [len(text) >= MIN_VALUE_CHARS - (not text.isascii()) and "\n" not in text for text in texts]
            forms = [forms_of(text, template) if is_date(text) else {text: template} for text in texts]
            self.know([each if fit else {} for each, fit in zip(forms, fits, strict=True)])
        return template

    def variables_of(self, steps: Sequence[Mapping[str, Value]]) -> Mapping[str, Mapping[str, Value]]:
        return {id_: self.variables[id_] for id_ in variables_in([*steps])}

    def parts(self, texts: Mapping[int, str], *, exact: bool = False) -> Parts:
        """Return what some examples have in common, given their texts by their numbers; `exact` ones are no prose."""
        filled, words = [self.filler(at, exact=exact)(text) for at, text in texts.items()], _PIECE if exact else _WORD
        return _join(map(_settle, _align([*map(words.findall, filled)]))) or [""]

    def write(self, parts: Parts, texts: Mapping[int, str], name: str, default: Value = None) -> str | None:
        """Return a template with a variable for each part that differs; None if a value would cut it."""
        before = dict(self.variables)
        raw = [{template: text for text, template in self._blanks[at].items()} for at in texts]
        made = ""
        for part in parts:
            if isinstance(part, str):
                made += part
                continue
            values = [
                _WHOLE_TEMPLATE.sub(lambda found, known=known: known.get(found[0], ""), one).replace("\\{{", "{{")  # type: ignore[misc]
                for known, one in zip(raw, part, strict=True)
            ]
            known = (self._blanks[at] for at in texts)
            if all(
                one.isdigit() and any(one in other != one for other in of)
                for of, one in zip(known, values, strict=True)
            ):
                # The last digits of an id, as in an address, nobody gives beside the id.
                self.variables = before
                return None
            place = _NAMED_PLACE.search(made)
            called = next(filter(None, place.groups())) if place is not None else name
            called = name if TEMPLATE.search(called) else called
            made += self.variable(called, values, "text" if len(parts) > 1 else None, default=default)
        if find_cut_template(made) is None:
            return made
        self.variables = before
        return None


def are_alike(parts: Parts, *, framed: bool = False) -> bool:
    """Return whether texts say enough of the same.

    The same beginning with a template is enough; with `framed`, marks on both sides of what differs are, too.
    """
    gaps = [part for part in parts if not isinstance(part, str)]
    same = sum(_weight(part) for part in parts if isinstance(part, str))
    differing = sum(sum(map(_weight, gap)) / len(gap) for gap in gaps)
    begin, end = (part if isinstance(part, str) else "" for part in (parts[0], parts[-1]))
    is_framed = framed and len(parts) == 3 and min(len(begin.strip()), len(end.strip())) > 1
    # What is listed differs from note to note.
    is_listed = _LIST_ITEM.match("".join(part if isinstance(part, str) else part[0] for part in parts))
    enough = (
        is_framed
        or _is_begin([begin])
        or (len(gaps) <= MAX_GAPS and same >= max(MIN_VALUE_CHARS, MIN_SAME * differing))
    )
    return not gaps or (enough and not is_listed)


def draft_note(
    examples: Sequence[Example], daily: Callable[[date], VaultPath], comparison: ExampleComparison | None = None
) -> DraftedSteps:
    """Return what makes notes like the examples, given what the path of the daily note of a day is."""
    comparison = comparison or ExampleComparison(len(examples))
    draft = _Draft(examples, comparison)
    path, properties, text = draft.path(daily), draft.properties(), draft.text()
    step: dict[str, Value] = {"id": "note", "do": "create_note", "path": path}
    step |= {"properties": properties} if properties else {}
    step |= {"text": text} if text else {}
    # A property or the value of a label may stay empty, but no name and no text in which a value stands.
    lines = [line for line in text.split("\n") if line not in draft.labelled]
    each = [one for value in properties.values() for one in (value if isinstance(value, list) else [value])]
    needed = variables_in([path, lines, [one for one in each if not _VARIABLE.fullmatch(str(one))]])
    for id_ in variables_in(step):
        facts = comparison.variables[id_]
        if id_ in needed:
            facts.pop("default", None)
        elif "default" not in facts:
            facts["required"] = False
    return DraftedSteps([step], comparison.variables_of([step]), draft.left_out, tuple(draft.text_left_out()))


def variables_in(value: Value) -> list[str]:
    return [*dict.fromkeys(one.names[0] for one in find_references(value) if one.root == "variables")]


class _Unit(Record):
    """A line or a block of code of a note."""

    text: str
    gap: int
    """The number of empty lines above it."""
    section: int
    """The unit that is its heading, or itself; -1 above the first."""

    @property
    def label(self) -> re.Match[str] | None:
        return _LABEL.fullmatch(self.text)


def _units_of(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    gap, section = 0, -1
    for found in islice(_UNIT.finditer(text), MAX_UNITS):
        if line := _TICK.sub(r"\1[ ] ", found[0].rstrip()):
            section = len(units) if _HEADING.fullmatch(line) else section
            units.append(_Unit(line, gap, section))
        gap = 0 if line else gap + 1
    return units


class _Draft:
    """Finds the parts of a note one after the other."""

    def __init__(self, examples: Sequence[Example], comparison: ExampleComparison) -> None:
        self._examples = examples
        self.comparison = comparison
        self._asked: Mapping[str, str] = {}
        """The properties that are variables."""
        self.labelled: set[str] = set()
        """The lines of the text that are a label and its value."""
        names = dict.fromkeys(name for one in examples for name in one.properties)
        counts = {name: sum(name in one.properties for one in examples) for name in names}
        self._values: dict[str, list[Value]] = {
            name: [one.properties.get(name) for one in examples]
            for name in names
            if counts[name] * 2 > len(examples) and not _STATE.fullmatch(name)
        }
        self.left_out = tuple(name for name in names if name not in self._values)
        self._kept: list[set[int]] = [set() for _ in examples]
        """The units of each example that the draft says."""
        self._units: list[list[_Unit]] = [_units_of(one.text) for one in examples]

    def path(self, daily: Callable[[date], VaultPath]) -> str:
        stems = [note_name(one.path) for one in self._examples]
        days = [found for stem in stems if (found := day_of(stem)) is not None]
        if len(days) < len(stems):
            days = []
        is_daily = bool(days) and all(map(str.__eq__, map(daily, days), (one.path for one in self._examples)))
        texts = [day.isoformat() for day in days]
        if is_daily or self._is_day_of_writing(texts):
            self.comparison.know([days_near(day) for day in days])
        else:
            days = []
        return DAILY_TEMPLATE if is_daily else "/".join([*self._folder(days), f"{self._stem(stems)}.md"])

    def _is_day_of_writing(self, days: Sequence[str]) -> bool:
        written = [values for name, values in self._values.items() if tells_time(name)]
        same = (sum(map(str.startswith, map(text_of, values), days)) for values in written)
        return bool(days) and (not written or any(count * 2 > len(days) for count in same))

    def _stem(self, stems: Sequence[str]) -> str:
        """Return the name of the file; what differs of it is a variable, called after a property with that value."""
        for name, values in self._values.items():
            inside = fold_case(name) not in _KINDS and all(
                isinstance(value, str) and value in stem != value for value, stem in zip(values, stems, strict=True)
            )
            if inside and len({*map(str, values)}) > min(1, len(values) - 1) and min(map(len, map(str, values))) > 1:
                self.comparison.variable(name, values)
        words = [_WORD.findall(one) for one in self.comparison.fill(stems, exact=True)]
        same = "".join(words[0])
        # Of a single name nobody knows what else of it stays.
        rest = _WHOLE_TEMPLATE.sub("", same) if len(stems) == 1 or not _VARIABLE.search(same) else ""
        is_told = not any(map(str.isalnum, rest))
        if all(one == words[0] for one in words) and is_told and not has_stray_brace(same):
            return same
        begin, end = _shared_words(words), _shared_words([one[::-1] for one in words])[::-1]
        titles = ["".join(one[len(begin) : len(one) - len(end)]) for one in words]
        if not all(map(_is_balanced, titles)):
            begin, end, titles = [], [], [*map("".join, words)]
        if not all(title.strip() and "{{" not in title for title in titles) or has_stray_brace("".join((*begin, *end))):
            begin, end, titles = [], [], [*stems]
        return "".join([*begin, self.comparison.variable(self._name_of(titles) or "title", titles, "text"), *end])

    def _folder(self, days: Sequence[date]) -> Sequence[str]:
        """Return the folders of the note; where nothing explains how those of the examples differ, a variable."""
        moments = [datetime.combine(day, time()) for day in days]
        each, made = [one.path.split("/")[:-1] for one in self._examples], list[str]()
        for parts in zip(*each, strict=False):
            forms = [form for form in FOLDER_FORMS if [format_moment(form, one) for one in moments] == [*parts]]
            template = f"{{{{now:{forms[0]}}}}}" if forms else self._find_template(parts)
            if template is None or has_stray_brace(template):
                break
            made.append(template)
        are_explained = {len(made)} == {*map(len, each)}
        if are_explained or not all(each):
            return made
        return [self.comparison.variable("folder", [*map("/".join, each)], "text")]

    def properties(self) -> dict[str, Value]:
        # Short values are found in longer ones, such as a name in a link.
        by_length = sorted(self._values, key=lambda name: len(str(self._values[name][0])))
        made = {name: self._property(name, self._values[name]) for name in by_length}
        self._asked = {name: str(value) for name, value in made.items() if _VARIABLE.fullmatch(str(value))}
        return {name: made[name] for name in self._values}

    def _property(self, name: str, values: Sequence[Value]) -> Value:
        given = [value for value in values if not _is_empty(value)]
        written = moment_template(given[0]) if given and tells_time(name) else None
        if not given or written is not None:
            return written or ([] if any(value in ("[]", []) or value == [None] for value in values) else values[0])
        empty = len(given) < sum(name in one.properties for one in self._examples)
        single, is_kind = len(values) == 1, fold_case(name) in _KINDS
        if any(isinstance(value, list) for value in given) or fold_case(name) == "aliases":
            return self._list(name, values, [] if empty else None, fixed=is_kind and single)
        texts = {at: text_of(value) for at, value in enumerate(values) if not _is_empty(value)}
        made = self._find_template([*texts.values()]) if len(texts) == len(values) else None
        if made is not None and TEMPLATE.search(made):
            return made
        is_constant = isinstance(given[0], bool | str) and not is_date(str(given[0]))
        is_same = is_constant and given.count(given[0]) == len(given)
        if is_same and not empty and (not single or is_kind or isinstance(given[0], bool)):
            return escape(given[0])
        if len(texts) == len(values) > 1 and all(isinstance(one, str) for one in given):
            parts = self.comparison.parts(texts, exact=True)
            gaps = [part for part in parts if not isinstance(part, str)]
            bodies = [one.text for one in self._examples]
            is_part = len(gaps) == 1 < len(parts) and not any(map(str.__contains__, bodies, texts.values()))
            elsewhere = is_part and all(map(str.__contains__, bodies, gaps[0]))
            if elsewhere and (made := self.comparison.write(parts, texts, name)) is not None:
                return made
        return self.comparison.variable(name, values, default="" if empty else None)

    def _list(self, name: str, values: Sequence[Value], default: Value, *, fixed: bool) -> Value:
        """Return what all lists have, and a variable for what only some have."""
        lists = [
            [one for one in read_items(value) if not _is_empty(one)] if not _is_empty(value) else [] for value in values
        ]
        filled = [
            [self.comparison.filler(at)(one) if isinstance(one, str) else escape(one) for one in each]
            for at, each in enumerate(lists)
        ]
        same = [one for one in filled[0] if all(one in each for each in filled)] if len(values) > 1 or fixed else []
        rest = [
            [raw for raw, one in zip(*pair, strict=True) if one not in same] for pair in zip(lists, filled, strict=True)
        ]
        if not any(rest):
            return same
        variable = self.comparison.variable(name, rest, "list", default=None if same else default)
        return variable if not same else [*same, variable]

    def text(self) -> str:
        """Return the lines that the examples have, with variables for what differs; of a single one, its structure."""
        whole: list[str] = []
        base, last = self._units[0], -1
        for group in self._groups():
            number = group[0]
            line = self._line(group)
            if line is None or find_cut_template(line) is not None:
                continue
            says = re.compile(".*".join(map(re.escape, _WHOLE_TEMPLATE.split(line))), re.DOTALL | re.IGNORECASE)
            for at, unit in group.items():
                one = self._units[at][unit]
                if one.label or one.section == unit or says.fullmatch(escape_text(one.text)):
                    self._kept[at].add(unit)
            between = [one.gap for one in base[last + 1 : number]]
            gap = max([base[number].gap, *map(bool, between)]) if whole else base[number].gap
            whole += [""] * (gap if whole or self._values else 0) + [line]
            last = number
        return "\n".join([*whole, ""]) if whole else ""

    def _line(self, group: Mapping[int, int]) -> str | None:
        units = {at: self._units[at][unit] for at, unit in group.items()}
        texts = {at: unit.text for at, unit in units.items()}
        labels = {at: found for at, unit in units.items() if (found := unit.label) is not None}
        if units[0].section == group[0]:
            return Counter(self.comparison.filler(at)(text) for at, text in texts.items()).most_common(1)[0][0]
        if len(labels) < len(units):
            parts = self.comparison.parts(texts)
            # A picture of one note is not asked for in the next.
            is_picture = all(map(_EMBED.fullmatch, texts.values())) and not all(isinstance(one, str) for one in parts)
            is_told = are_alike(parts, framed=True) and not is_picture
            return self.comparison.write(parts, texts, self._heading(group[0])) if is_told else None
        base, values = labels[0], {at: found["value"] for at, found in labels.items()}
        name, made = base["name"].strip("*_ "), ""
        if len(self._examples) > 1:
            parts = self.comparison.parts(values)
            alike = parts if are_alike(parts) else [tuple(values.values())]
            made = self._of_property(name, values) or self.comparison.write(alike, values, name, default="") or ""
        label = self.comparison.filler(0)(base["label"])
        line = f"{label} {made} |" if base["row"] else f"{label}{base['space'] if made else ''}{made}".rstrip()
        self.labelled.add(line)
        return line

    def _heading(self, unit: int) -> str:
        """Return what stands above a line of the first example: the title of its callout, or its heading."""
        above = self._units[0][unit - 1].text if unit else ""
        section = self._units[0][unit].section
        heading = self._units[0][section].text if section >= 0 else ""
        named = found[1] if (found := _CALLOUT.fullmatch(above)) else heading
        plain = _WHOLE_TEMPLATE.sub("", self.comparison.filler(0)(named)).strip("# ")
        return plain if any(map(str.isalnum, plain)) else "text"

    def _of_property(self, name: str, values: Mapping[int, str]) -> str | None:
        """Return the variable of the property that a label names, if their values differ only in how they link."""
        own = next((one for one in self._asked if fold_case(one) == fold_case(name)), None)
        if own is None or not any(values.values()):
            return None
        pairs = ((text_of(self._values[own][at]), value) for at, value in values.items())
        is_same = all(_LINK_PLACE.sub("", first or "") == _LINK_PLACE.sub("", second) for first, second in pairs)
        return self._asked[own] if is_same else None

    def _groups(self) -> Iterator[Mapping[int, int]]:
        """Yield the units of the first example that enough others have, and where these have them."""
        several, size = len(self._examples) > 1, len(self._examples)
        sections = [{unit.section: "" for unit in units} for units in self._units]
        for section in [*sections[0]]:
            found = {0: section}
            for at in range(1, size):
                if (other := self._find_section(section, at, sections[at])) is not None:
                    found[at] = other
                    del sections[at][other]
            if len(found) * 2 <= size and several:
                continue
            if section >= 0 and (several or _STRUCTURE.fullmatch(self._units[0][section].text)):
                yield found
            bodies = {
                at: [number for number, unit in enumerate(self._units[at]) if unit.section == own != number]
                for at, own in found.items()
            }
            pairs = {at: self._pair(at, bodies[0], body) for at, body in bodies.items() if at}
            for number in bodies[0]:
                group = {0: number} | {at: pair[number] for at, pair in pairs.items() if number in pair}
                unit = self._units[0][number]
                is_form = unit.label or _STRUCTURE.fullmatch(unit.text)
                is_told = is_form or TEMPLATE.search(self.comparison.filler(0)(unit.text))
                enough = len(bodies) // 2 + 1 if is_told else len(bodies)
                if len(group) >= enough and (several or is_form):
                    yield group

    def _find_section(self, section: int, at: int, left: Mapping[int, str]) -> int | None:
        def title(at: int, unit: int) -> str:
            text = self._units[at][unit].text if unit >= 0 else ""
            return fold_case(_MARKS.sub("", self.comparison.filler(at)(text)))

        mine = title(0, section)
        return next((other for other in left if title(at, other) == mine), None)

    def _key(self, at: int, unit: int) -> str:
        found = self._units[at][unit].label
        text = self._units[at][unit].text
        return fold_case(found["name"].strip("*_ ")) if found is not None else self.comparison.filler(at)(text)

    def _pair(self, at: int, base: Sequence[int], others: Sequence[int]) -> Mapping[int, int]:
        """Return which lines of an example are those of the first: equal ones, the same labels, and what is alike."""
        here, there = ([self._key(one, unit) for unit in body] for one, body in ((0, base), (at, others)))
        found: dict[int, int] = {}
        for kind, first, end, begin, until in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
            if kind == "equal":
                found |= zip(base[first:end], others[begin:until], strict=True)
            elif kind == "replace" and max(end - first, until - begin) <= MAX_COMPARED:
                is_only, to = end - first == until - begin == 1, begin
                words = {others[row]: {*_WORD.findall(there[row])} for row in range(begin, until)}
                for place, one in enumerate(base[first:end], first):
                    mine = {*_WORD.findall(here[place])}
                    for number, other in enumerate(others[to:until], to + 1):
                        if not is_only and len(mine & words[other]) * 2 < min(len(mine), len(words[other])):
                            continue
                        texts = {0: self._units[0][one].text, at: self._units[at][other].text}
                        if are_alike(self.comparison.parts(texts), framed=is_only):
                            found[one], to = other, number
                            break
        return found

    def text_left_out(self) -> Iterator[str]:
        """Yield what the examples say and the draft does not."""
        lines: dict[str, list[str]] = {}
        for at, units in enumerate(self._units):
            for number, unit in enumerate(units):
                if number not in self._kept[at]:
                    section = self.comparison.filler(at)(units[unit.section].text) if unit.section >= 0 else ""
                    lines.setdefault(section, []).append(unit.text)
        for section, left in islice(lines.items(), MAX_LEFT_OUT):
            yield f"{section or '-'}: {count_of(len(left), 'line')}, such as {cut(one_line(left[0]), 60)}"
        if len(lines) > MAX_LEFT_OUT:
            yield f"{len(lines) - MAX_LEFT_OUT} more sections"

    def _find_template(self, texts: Sequence[str]) -> str | None:
        """Return the template that makes most of these texts; None if no variable so far explains how they differ."""
        filled, times = Counter(self.comparison.fill(texts, exact=True)).most_common(1)[0]
        is_most = times == len(texts) or (times * 2 > len(texts) and TEMPLATE.search(filled))
        return filled if is_most and find_cut_template(filled) is None else None

    def _name_of(self, texts: Sequence[str]) -> str | None:
        known = ((name, [*map(text_of, values)]) for name, values in self._values.items())
        return next((name for name, values in known if values == [*texts]), None)


def _align(each: Sequence[Sequence[str]]) -> Parts:
    """Return the words that all have in the same order, and what each has in between."""
    places: list[dict[int, int]] = []
    for other in each[1:]:
        blocks = SequenceMatcher(None, each[0], other, autojunk=False).get_matching_blocks()
        places.append({one.a + at: one.b + at for one in blocks for at in range(one.size)})
    parts: list[str | tuple[str, ...]] = []
    begins = [0] * len(each)
    for number in range(len(each[0]) + 1):
        ends = [number, *(place.get(number, -1) for place in places)]
        if number == len(each[0]):
            ends = [*map(len, each)]
        if -1 in ends:
            continue
        gap = tuple("".join(words[begin:end]) for words, begin, end in zip(each, begins, ends, strict=True))
        parts += [gap] if any(gap) else []
        parts += each[0][number : number + 1]
        begins = [end + 1 for end in ends]
    return _widen(_join(parts))


def _join(parts: Iterable[str | tuple[str, ...]]) -> list[str | tuple[str, ...]]:
    joined: list[str | tuple[str, ...]] = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] += part
        elif part:
            joined.append(part)
    return joined


def _widen(parts: Parts) -> Parts:
    """Let what differs take in the word beside it that only some have, the like of a bracket, and what says little."""
    words = [one for part in parts for one in (_WORD.findall(part) if isinstance(part, str) else [part])]
    at = 0
    while at < len(words):
        first, end, gap = at, at + 1, words[at]
        if not isinstance(gap, str):
            same = [*takewhile(lambda one: isinstance(one, str), words[end:])]
            begin = [one for one in words[:at] if isinstance(one, str)]
            if end + len(same) < len(words) and _weight("".join(map(str, same))) < MIN_VALUE_CHARS:
                end += len(same) + 1
            elif not all(map(_is_whole, gap)) and end < len(words):
                end += 1
            elif not all(map(_is_whole, gap)) and at and not (len(begin) == at and _is_begin(begin)):
                first -= 1
            words[first:end] = [_concatenate(words[first:end], len(gap))]
        at = first if end - first > 1 else end
    return _join(words)


def keep_end(parts: Parts) -> Parts:
    """Return texts of which only the end stays, in which there is a template; nothing if there is none."""
    *rest, end = parts
    size = next((len(part) for part in rest if not isinstance(part, str)), 0)
    return [_concatenate(rest, size), end] if size and isinstance(end, str) and TEMPLATE.search(end) else []


def _concatenate(parts: Sequence[str | tuple[str, ...]], size: int) -> tuple[str, ...]:
    each = [(part,) * size if isinstance(part, str) else part for part in parts]
    return tuple(map("".join, zip(*each, strict=True)))


def _settle(gap: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Return the template that most have where they differ; what differs itself if there is none."""
    if isinstance(gap, str):
        return gap
    keys = [_FORMAT.sub(r"\1", one) for one in gap]
    key, times = Counter(keys).most_common(1)[0]
    if times * 2 > len(gap) and TEMPLATE.search(key) and key == keys[0]:
        return gap[0]
    is_first = _WHOLE_TEMPLATE.fullmatch(gap[0]) and sum(keys[0] in one for one in keys) * 2 > len(gap) > 2
    return gap[0] if is_first else gap


def _is_begin(words: Sequence[str]) -> bool:
    """Return whether a line that begins so may go on as it likes."""
    text = "".join(words)
    return bool(TEMPLATE.search(text)) and _weight(text) > MIN_BEGIN


def _weight(text: str) -> int:
    """Return how much a text says: its letters and digits, where words are not spaced twice."""
    plain = _TEMPLATE_OR_LINK.sub("", text)
    return 6 * len(_TEMPLATE_OR_LINK.findall(text)) + sum(1 + (one >= "\u2e80") for one in plain if one.isalnum())


def _is_whole(text: str) -> bool:
    """Return whether somebody may give a text as a value: it has no space at an end and no bracket alone."""
    return bool(text) and text == text.strip() and _is_balanced(text)


def _is_balanced(text: str) -> bool:
    open_: list[str] = []
    for one in text:
        if one in _BRACKETS.values():
            open_.append(one)
        elif one in _BRACKETS and (not open_ or open_.pop() != _BRACKETS[one]):
            return False
    return not open_


def _is_empty(value: Value) -> bool:
    return value in (None, "", "[]", []) or (isinstance(value, list) and all(map(_is_empty, value)))


def day_of(stem: str) -> date | None:
    found = _DAY.search(stem)
    if found is None:
        return None
    year, month, day = (int(found[name] or found[f"{name}2"]) for name in "ymd")
    for numbers in ((year, month, day), (year, day, month)):
        try:
            made = date(*numbers)
        except ValueError:
            continue
        if found[0] in days_near(made):
            return made
    return None


@cache
def days_near(day: date) -> Mapping[str, str]:
    """Return what makes the texts of a day and of those near to it."""
    found: dict[str, str] = {}
    for shift in _NEAR_DAYS:
        moment = datetime.combine(day + timedelta(days=shift), time())
        for form in _FORMS:
            plain = f"date:{shift:+d}d" if shift else "today"
            template = plain if form == _FORMS[0] else f"{plain}:{form}" if shift else f"now:{form}"
            found.setdefault(format_moment(form, moment), f"{{{{{template}}}}}")
    return found


def forms_of(text: str, template: str, also: Sequence[str] = ()) -> Mapping[str, str]:
    """Return what a day is written as in any form, and the templates of these."""
    moment = datetime.fromisoformat(text)
    forms = {format_moment(form, moment): f"{template[:-2]}:{form}}}}}" for form in (*also, *_FORMS)[::-1]}
    return {**forms, text: template}


def moment_template(value: Value) -> str | None:
    if is_date(str(value)):
        return "{{today}}"
    found = _TIME.fullmatch(str(value))
    return f"{{{{now:YYYY-MM-DD[{found[1]}]HH:mm{':ss' if found[2] else ''}}}}}" if found else None


def _kind_of(values: Sequence[Value]) -> VariableKind:
    if all(isinstance(value, bool) for value in values):
        return "yes-no"
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "number"
    if any(isinstance(value, list) for value in values):
        return "list"
    return "date" if all(map(is_date, map(str, values))) else "text"


def _shared_words(each: Sequence[Sequence[str]]) -> list[str]:
    """Return the words that all names begin with; no article, and no part of what may be one name."""
    shared = [words[0] for words in takewhile(lambda words: len({*words}) == 1, zip(*each, strict=False))]
    letters = "".join(word for word in shared if word.isalpha())
    if len(each) == 1 or (letters and (len(letters) <= MIN_VALUE_CHARS or max(letters) >= "\u0250")):
        shared = [*takewhile(lambda word: not word.isalnum(), shared)]
    return shared


def word_pattern(value: str) -> str:
    """Return a pattern for a value; where words are spaced it is a word of its own."""
    begin, end = (r"(?<![^\W_])" if value[0].isascii() else ""), (r"(?![^\W_])" if value[-1].isascii() else "")
    return f"{begin}{re.escape(value)}(?!{MARK}){end}"


def escape(value: Value) -> Value:
    return map_texts(value, escape_text)


def escape_text(text: str) -> str:
    return text.replace("{{", "\\{{")
