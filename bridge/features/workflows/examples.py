"""Drafts a note from notes that are alike: what they share stays, what differs becomes a variable or is left empty."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import count, islice, takewhile
from typing import Final

from bridge.bases.values import text_of
from bridge.features.workflows.parse import VariableKind
from bridge.features.workflows.templates import find_cut_template, has_stray_brace, map_texts
from bridge.markdown.moment_format import format_moment
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.text.budget import cut
from bridge.text.fold import fold_case
from bridge.types import VaultPath

MAX_EXAMPLES: Final = 5
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
    *("dddd, MMMM Do, YYYY", "dddd D MMMM YYYY", "GGGG-[W]WW"),
)
"""Forms in which a workflow can write the day of a note, those first that are meant where two come to the same."""
_FOLDER_FORMS: Final = ("YYYY", "YYYY-MM", "MM", "MMMM", "MM-MMMM", "MM MMMM", "YYYY-MM-DD", "GGGG-[W]WW", "[Q]Q")
_NEAR_DAYS: Final = (0, -1, 1, -7, 7)
_WRITTEN_TODAY: Final = re.compile(
    r"creat|modif|updat|edited|erstell|geändert|créé|creado|criado|aggiorn|созда|измен|创建|修改|更新|作成|생성|수정",
    re.IGNORECASE,
)
"""Names of properties that say when a note was written."""
_KINDS: Final = frozenset({"tags", "cssclasses", "categories", "type"})
"""Properties that say what kind of note it is, of which what all examples share stays."""

_UNIT: Final = re.compile(r"^ {0,3}(`{3,}|~{3,}|\$\$|%%)[^\n]*\n.*?^ {0,3}\1[ \t]*$|^[^\n]*$", re.MULTILINE | re.DOTALL)
_LABEL: Final = re.compile(
    r"((?P<row>\| *)?(?:[-*+>] +)*(?:\[.\] +)?[*_]{0,2}"
    r"[^\W\d_][^:|\n\[\]`]{0,40}(?:[*_]{1,2}::?|::?[*_]{0,2})(?(row) *\|))(?:\s.*)?"
)
"""A line with a name and a value, as in `**Author**: Ada`, in a list or a table of two columns."""
_STRUCTURE: Final = re.compile(
    r"#{1,2} .*|(?:[-*_] ?){3,}|[-*+](?: \[.\])?|!\[\[[^\]]*\.base.*|> ?\[!.*"
    r"|(`{3,}|~{3,})(?:dataview|dataviewjs|tasks|base|query)\b.*",
    re.DOTALL,
)
"""What stays of a single note: headings, rules, empty items, callouts and queries."""
_TICK: Final = re.compile(r"^(\s*[-*+] )\[\S\] ")
_VARIABLE: Final = re.compile(r"\{\{variables\.[^}]+\}\}")
_TEMPLATE: Final = re.compile(r"(?<!\\)\{\{")
_LINK: Final = re.compile(r"\[\[[^\[\]|#]+\]\]")
_WORD: Final = re.compile(r"\{\{[^}]*\}\}|[^\W_]+|.", re.DOTALL)


class Example(Record):
    """A note of which others are to be made."""

    path: VaultPath
    properties: Mapping[str, Value]
    text: str


class DraftedNote(Record):
    """What examples have in common."""

    arguments: Mapping[str, Value]
    """Those of `create_note`."""
    variables: Mapping[str, Mapping[str, Value]]
    left_out: tuple[str, ...]
    """Properties that too few of the examples have."""


def draft_note(examples: Sequence[Example], daily: Callable[[date], VaultPath]) -> DraftedNote:
    """Return what makes notes like the examples, given what the path of the daily note of a day is."""
    draft = _Draft(examples)
    path, properties, text = draft.path(daily), draft.properties(), draft.text()
    # A property may stay empty, but no name and no text in which a value stands.
    parts = str([path, text, *(value for value in properties.values() if not _VARIABLE.fullmatch(str(value)))])
    whole = str([path, *properties.values(), text])
    variables: dict[str, Mapping[str, Value]] = {
        id_: facts if f"{{{{variables.{id_}}}}}" in parts else {**facts, "required": False}
        for id_, facts in sorted(draft.variables.items(), key=lambda one: whole.index(f"{{{{variables.{one[0]}}}}}"))
    }
    arguments: dict[str, Value] = {"path": path}
    arguments |= {"properties": properties} if properties else {}
    arguments |= {"text": text} if text else {}
    return DraftedNote(arguments, variables, draft.left_out)


class _Draft:
    """Finds the variables one after the other, and puts each into the texts that are read later."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        self._blanks: list[dict[str, str]] = [{} for _ in examples]
        """What stands in each example in the place of which template."""
        self.variables: dict[str, Mapping[str, Value]] = {}
        names = dict.fromkeys(name for one in examples for name in one.properties)
        counts = {name: sum(name in one.properties for one in examples) for name in names}
        self._values: dict[str, list[Value]] = {
            name: [one.properties.get(name) for one in examples] for name in names if counts[name] * 2 > len(examples)
        }
        self.left_out = tuple(name for name in names if name not in self._values)

    def path(self, daily: Callable[[date], VaultPath]) -> str:
        stems = [note_name(one.path) for one in self._examples]
        days = [found for stem in stems if (found := _day_of(stem)) is not None]
        if len(days) < len(stems):
            days = []
        is_daily = bool(days) and all(map(str.__eq__, map(daily, days), (one.path for one in self._examples)))
        texts = [day.isoformat() for day in days]
        if is_daily or self._is_day_of_writing(texts):
            self._blanks = [dict(_days_near(day)) for day in days]
        elif days and all(map(str.__contains__, stems, texts)):
            self._variable(self._name_of(texts) or "date", texts)
            days = []
        return "{{daily}}" if is_daily else "/".join([*self._folder(days), f"{self._stem(stems)}.md"])

    def _is_day_of_writing(self, days: Sequence[str]) -> bool:
        written = [values for name, values in self._values.items() if _WRITTEN_TODAY.search(name)]
        same = (sum(map(str.startswith, map(text_of, values), days)) for values in written)
        return bool(days) and (not written or any(count * 2 > len(days) for count in same))

    def _stem(self, stems: Sequence[str]) -> str:
        """Return the name of the file; what differs of it is a variable, called after a property with that value."""
        words = [_WORD.findall(one) for one in self._fill(stems)]
        same = "".join(words[0])
        if all(one == words[0] for one in words) and not any(map(str.isalnum, words[0])) and not has_stray_brace(same):
            return same
        begin, end = _shared_words(words), _shared_words([one[::-1] for one in words])[::-1]
        titles = ["".join(one[len(begin) : len(one) - len(end)]) for one in words]
        if not all(title.strip() and "{{" not in title for title in titles) or has_stray_brace("".join((*begin, *end))):
            begin, end, titles = [], [], [*stems]
        return "".join([*begin, self._variable(self._name_of(titles) or "title", titles), *end])

    def _folder(self, days: Sequence[date]) -> Iterator[str]:
        moments = [datetime.combine(day, time()) for day in days]
        for parts in zip(*(one.path.split("/")[:-1] for one in self._examples), strict=False):
            forms = [form for form in _FOLDER_FORMS if [format_moment(form, one) for one in moments] == [*parts]]
            template = f"{{{{now:{forms[0]}}}}}" if forms else self._find_template(parts)
            if template is None or has_stray_brace(template):
                return
            yield template

    def properties(self) -> dict[str, Value]:
        # Short values are found in longer ones, such as a name in a link.
        by_length = sorted(self._values, key=lambda name: len(str(self._values[name][0])))
        made = {name: self._property(name, self._values[name]) for name in by_length}
        return {name: made[name] for name in self._values}

    def _property(self, name: str, values: Sequence[Value]) -> Value:
        given = [value for value in values if value not in (None, "", [])]
        made = values[0] if not given else _moment_template(given[0]) if _WRITTEN_TODAY.search(name) else None
        if made is not None or not given:
            return made
        is_kind = fold_case(name) in _KINDS
        lists = [one for one in given if isinstance(one, list)] if is_kind else []
        if shared := [one for one in lists[0] if all(one in each for each in lists)] if lists == given else []:
            return _escape(shared)
        texts = [one for one in given if isinstance(one, str)]
        made = self._find_template(texts) if len(texts) == len(values) else None
        if made is None or not _TEMPLATE.search(made):
            made = None
            is_fixed = (
                is_kind or isinstance(given[0], bool) or (len(values) > 1 and _kind_of(given) in ("text", "list"))
            )
            if (
                is_fixed
                and given.count(given[0]) * 2 > len(values)
                and (is_kind or given.count(given[0]) == len(values))
            ):
                made = _escape(given[0])
            elif fold_case(name) == "aliases":
                made = []
            elif len(texts) == len(values) and all(map(_LINK.fullmatch, texts)):
                made = f"[[{self._variable(name, [one[2:-2] for one in texts])}]]"
        return self._variable(name, values) if made is None or find_cut_template(str(made)) else made

    def text(self) -> str:
        """Return the lines that all examples have, or most of them if values explain how they differ."""
        units = [[*self._units(at)] for at in range(len(self._examples))]
        counts = [Counter(key for key, _, _ in each) for each in units]
        written = [{key: text for key, text, _ in each[::-1]} for each in units]
        made, after_gap = list[str](), False
        for key, text, gap in units[0]:
            after_gap |= gap
            enough = sorted(each[key] for each in counts)[(len(units) - 1) // 2 if _TEMPLATE.search(key) else 0]
            line = text if len(units) > 1 and all(each.get(key) == text for each in written) else key
            if made.count(line) < enough and find_cut_template(line) is None:
                made += ["", line] if made and after_gap else [line]
                after_gap = False
        return "\n".join([*made, ""]) if made else ""

    def _units(self, at: int) -> Iterator[tuple[str, str, bool]]:
        """Yield lines and blocks of an example: what they are compared by, their text, and whether a gap is above."""
        gap, fill = False, self._filler(at)
        for found in islice(_UNIT.finditer(self._examples[at].text), MAX_UNITS):
            text = fill(_TICK.sub(r"\1[ ] ", found[0].rstrip()))
            label = _LABEL.fullmatch(text)
            gap |= not text
            if text and (label or len(self._examples) > 1 or _STRUCTURE.fullmatch(text)):
                yield (label[1] + ("  |" if label["row"] else "") if label else text), text, gap
                gap = False

    def _find_template(self, texts: Sequence[str]) -> str | None:
        """Return the template that makes most of these texts; None if no variable so far explains how they differ."""
        filled, times = Counter(self._fill(texts)).most_common(1)[0]
        is_most = times == len(texts) or (times * 2 > len(texts) and _TEMPLATE.search(filled))
        return filled if is_most and find_cut_template(filled) is None else None

    def _fill(self, texts: Sequence[str]) -> list[str]:
        return [self._filler(at)(text) for at, text in enumerate(texts)]

    def _filler(self, at: int) -> Callable[[str], str]:
        blanks = {fold_case(value): template for value, template in self._blanks[at].items()}
        values = "|".join(map(_pattern, sorted(self._blanks[at], key=len, reverse=True)))
        # Not behind a backslash, which would make two braces of a template.
        pattern = re.compile(rf"\{{\{{|(?<!\\)(?<!\\\{{)(?:{values})" if values else r"\{\{", re.IGNORECASE)
        blanks["{{"] = "\\{{"
        return lambda text: pattern.sub(lambda found: blanks.get(fold_case(found[0]), found[0]), text)

    def _name_of(self, texts: Sequence[str]) -> str | None:
        known = ((name, [*map(text_of, values)]) for name, values in self._values.items())
        return next((name for name, values in known if values == [*texts]), None)

    def _variable(self, name: str, values: Sequence[Value]) -> str:
        base = re.sub(r"\W+", "_", name).strip("_")[:50]
        base = base if re.match(r"[^\W\d]", base) else f"value_{base}".rstrip("_")
        id_ = next(one for at in count(1) if (one := base if at == 1 else f"{base}_{at}") not in self.variables)
        given = [value for value in values if value not in (None, "", [])]
        kind, template = _kind_of(given), f"{{{{variables.{id_}}}}}"
        example = next(filter(None, map(text_of, given)), "")
        self.variables[id_] = {"type": kind, "description": f"Such as {cut(example, 80)}" if example else ""}
        if len(given) == len(values) and kind in ("text", "date"):
            for blanks, text in zip(self._blanks, map(str, values), strict=True):
                if len(text) >= MIN_VALUE_CHARS - (not text.isascii()) and "\n" not in text:
                    blanks.setdefault(text, template)
        return template


def _day_of(stem: str) -> date | None:
    found = _DAY.search(stem)
    if found is None:
        return None
    year, month, day = (int(found[name] or found[f"{name}2"]) for name in "ymd")
    for numbers in ((year, month, day), (year, day, month)):
        try:
            made = date(*numbers)
        except ValueError:
            continue
        if found[0] in _days_near(made):
            return made
    return None


@cache
def _days_near(day: date) -> Mapping[str, str]:
    """Return what makes the texts of a day and of those near to it."""
    found: dict[str, str] = {}
    for shift in _NEAR_DAYS:
        moment = datetime.combine(day + timedelta(days=shift), time())
        for form in _FORMS:
            plain = f"date:{shift:+d}d" if shift else "today"
            template = plain if form == _FORMS[0] else f"{plain}:{form}" if shift else f"now:{form}"
            found.setdefault(format_moment(form, moment), f"{{{{{template}}}}}")
    return found


def _moment_template(value: Value) -> str | None:
    if _is_date(value):
        return "{{today}}"
    found = _TIME.fullmatch(str(value))
    return f"{{{{now:YYYY-MM-DD[{found[1]}]HH:mm{':ss' if found[2] else ''}}}}}" if found else None


def _is_date(value: Value) -> bool:
    try:
        return isinstance(value, str) and len(value) == len("2026-01-31") and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _kind_of(values: Sequence[Value]) -> VariableKind:
    if all(isinstance(value, bool) for value in values):
        return "yes-no"
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "number"
    if any(isinstance(value, list) for value in values):
        return "list"
    return "date" if all(map(_is_date, values)) else "text"


def _shared_words(each: Sequence[Sequence[str]]) -> list[str]:
    """Return the words that all names begin with; no article, and no part of what may be one name."""
    shared = [words[0] for words in takewhile(lambda words: len({*words}) == 1, zip(*each, strict=False))]
    letters = "".join(word for word in shared if word.isalpha())
    if len(each) == 1 or (letters and (len(letters) <= MIN_VALUE_CHARS or max(letters) >= "\u0250")):
        shared = [*takewhile(lambda word: not word.isalnum(), shared)]
    while shared and shared[-1].isalnum():
        shared.pop()
    return shared


def _pattern(value: str) -> str:
    """Return a pattern for a value; where words are spaced it is a word of its own."""
    begin, end = (r"(?<!\w)" if value[0].isascii() else ""), (r"(?!\w)" if value[-1].isascii() else "")
    return f"{begin}{re.escape(value)}{end}"


def _escape(value: Value) -> Value:
    return map_texts(value, lambda text: text.replace("{{", "\\{{"))
