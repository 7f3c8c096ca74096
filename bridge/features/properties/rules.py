"""Rules that notes of a folder or type keep, and what violates them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, Literal

from msgspec import field
from msgspec.structs import replace

from bridge.features.properties.census import bare_value, kind_of_value, single_values, value_key
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import is_index_note, title_of
from bridge.markdown.names import note_name
from bridge.markdown.note import Value, property_of
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath

RuleKind = Literal["required", "type", "values", "condition", "tag", "name", "heading", "link"]

NAME_PATTERNS: Final[Mapping[str, re.Pattern[str]]] = {
    "YYYY-MM-DD": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "YYYY-MM-DD …": re.compile(r"\d{4}-\d{2}-\d{2}\D.*"),
    "digits": re.compile(r"\d{6,14}"),
    "digits …": re.compile(r"\d{6,14}\D.*"),
    "kebab-case": re.compile(r"[^\WA-Z_]+(?:-[^\WA-Z_]+)+"),
    "Title Case": re.compile(
        r"(?:[A-Z0-9][\w'’.&-]*|a|an|and|as|at|by|for|in|of|on|or|the|to|with|&)(?:,? (?:[A-Z0-9]"
        r"[\w'’.&-]*|a|an|and|as|at|by|for|in|of|on|or|the|to|with|&))+"
    ),
}
"""Patterns of file names without extension, the narrowest first."""


class Condition(Record):
    """An expression of Obsidian's Bases, and the notes for which it is true."""

    text: str
    paths: frozenset[VaultPath]


class RuleScope(Record):
    """The notes that a rule is about: those below a folder, or of a type, that fulfil a condition if there is one."""

    folder: str = ""
    note_type: str = ""
    where: Condition | None = None

    def contains(self, note: IndexedNote) -> bool:
        if self.where is not None and note.path not in self.where.paths:
            return False
        if self.note_type:
            return note.note_type == self.note_type
        return not self.folder or note.path.startswith(f"{self.folder}/")


class Rule(Record):
    """A rule, and how many notes keep it."""

    scope: RuleScope
    kind: RuleKind
    name: str
    """The property, tag, heading, pattern or link target; empty for a condition on no single property."""
    expected: tuple[str, ...] = ()
    """The types or values that are allowed, sorted, or the condition."""
    notes: int = 0
    """Notes to which the rule applies."""
    kept: int = 0
    """How many of them keep it."""
    source: VaultPath | None = None
    """The schema note that says it; None for a rule that was inferred."""
    must: Condition | None = None
    """What must be true, for the kind `condition`."""

    @property
    def share(self) -> float:
        return self.kept / self.notes if self.notes else 0.0


def find_violation(rule: Rule, note: IndexedNote) -> str | None:
    """Return what a note has instead of what a rule expects: empty where something is missing, None if it is kept."""
    match rule.kind:
        case "required":
            has = has_property(note, rule.name)
        case "tag":
            has = any(f"{fold_case(tag)}/".startswith(f"{fold_case(rule.name)}/") for tag in note.tags)
        case "heading":
            has = fold_case(rule.name) in {fold_case(text.strip()) for text in note.heading_texts}
        case "link":
            has = fold_case(rule.name) in {fold_case(target) for target, _ in note.targets}
        case "name":
            title = title_of(note.path)
            return None if NAME_PATTERNS[rule.name].fullmatch(title) else title
        case "condition":
            kept = rule.must is not None and note.path in rule.must.paths
            return None if kept else show_value(property_of(note.properties, rule.name)) if rule.name else ""
        case "type" | "values":
            return _find_wrong_value(rule, property_of(note.properties, rule.name))
    return None if has else ""


def _find_wrong_value(rule: Rule, value: Value) -> str | None:
    if rule.kind == "type":
        kind = kind_of_value(value)
        return None if kind == "empty" or kind in rule.expected else show_value(value)
    allowed = {fold_case(each) for each in rule.expected}
    items = (item for item in single_values(value) if kind_of_value(item) != "empty")
    return next((show_value(item) for item in items if value_key(item)[1] not in allowed), None)


def has_property(note: IndexedNote, name: str) -> bool:
    folded = fold_case(name)
    return name in note.properties or any(fold_case(own) == folded for own in note.properties)


def applies_to(rule: Rule, note: IndexedNote) -> bool:
    """Return whether a rule says anything about a note: on most properties only where filled in, on links to others."""
    if not rule.scope.contains(note) or (rule.kind == "link" and _is_named(note, rule.name)):
        return False
    if rule.kind not in ("type", "values", "condition") or not rule.name:
        return True
    return kind_of_value(property_of(note.properties, rule.name)) != "empty"


def _is_named(note: IndexedNote, target: str) -> bool:
    name = fold_case(note_name(VaultPath(target.partition("#")[0])))
    return name in map(fold_case, (title_of(note.path), *note.aliases))


def show_value(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    return "a list" if isinstance(value, list | tuple) else "an object"


MIN_NOTES: Final = 8
"""Notes that a rule must be about."""

MAX_VALUES: Final = 12
"""Different values that a rule may allow."""

MAX_EXCEPTION_SHARE: Final = 0.04
"""The share of notes up to which a value is an exception and no member of the set."""


NAMING_PROPERTIES: Final = frozenset({"tags", "tag", "aliases", "alias"})
"""Properties that say more with each new value."""

MIN_AROUND: Final = 0.5
"""The share of the notes in a note's own folder that must keep a rule for it to say something about the note."""

Traits = Mapping[RuleKind, Mapping[str, str]]
"""The names of each kind that a note has."""


def infer_rules(notes: Sequence[IndexedNote], least: float = 0.8) -> list[Rule]:
    """Return the rules that at least this share of the notes of a folder or type keep.

    A rule of the whole vault or an outer folder is not repeated for the folders in it.
    """
    found: list[Rule] = []
    known: set[tuple[object, ...]] = set()
    traits = {note.path: _read_traits(note) for note in notes}
    for scope, inside in find_scopes(notes):
        outer = [] if scope.note_type else [RuleScope(folder) for folder in _outer_folders(scope.folder)]
        for rule in _candidates(scope, inside, least, traits):
            if not any((place, rule.kind, rule.name, rule.expected) in known for place in outer):
                known.add((scope, rule.kind, rule.name, rule.expected))
                found.append(rule)
    return found


def find_scopes(notes: Iterable[IndexedNote]) -> Iterator[tuple[RuleScope, list[IndexedNote]]]:
    folders: defaultdict[str, list[IndexedNote]] = defaultdict(list)
    types: defaultdict[str, list[IndexedNote]] = defaultdict(list)
    for note in notes:
        for folder in ("", *_outer_folders(note.path)[1:]):
            folders[folder].append(note)
        if note.note_type:
            types[note.note_type].append(note)
    for folder in sorted(folders, key=lambda each: (each.count("/") + bool(each), each)):
        if len(folders[folder]) >= MIN_NOTES:
            yield RuleScope(folder), folders[folder]
    for note_type in sorted(types):
        if len(types[note_type]) >= MIN_NOTES:
            yield RuleScope(note_type=note_type), types[note_type]


def _outer_folders(path: str) -> list[str]:
    parts = path.split("/")[:-1] if path else []
    return ["", *accumulate(parts, "{}/{}".format)] if path else []


def count_kept(rule: Rule, notes: Iterable[IndexedNote]) -> Rule:
    concerned = [note for note in notes if applies_to(rule, note)]
    kept = sum(find_violation(rule, note) is None for note in concerned)
    return replace(rule, notes=len(concerned), kept=kept)


def _candidates(
    scope: RuleScope, notes: list[IndexedNote], least: float, traits: Mapping[VaultPath, Traits]
) -> Iterator[Rule]:
    least_notes = least * len(notes)
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    having: defaultdict[str, dict[VaultPath, IndexedNote]] = defaultdict(dict)
    for note in notes:
        for name in note.properties:
            folded = fold_case(name)
            spellings[folded][name] += 1
            having[folded][note.path] = note
    for folded, spelled in spellings.items():
        name = _most_common(spelled)
        if folded == "type" and scope.note_type:
            continue
        if spelled.total() >= max(least_notes, MIN_NOTES):
            yield Rule(scope, "required", name, (), len(notes), min(spelled.total(), len(notes)))
        yield from _value_rules(scope, name, having[folded].values(), least)
    for kind in ("tag", "heading", "link"):
        yield from _common_names(scope, kind, [traits[note.path][kind] for note in notes], least_notes)
    for pattern, matcher in NAME_PATTERNS.items():
        kept = sum(matcher.fullmatch(title_of(note.path)) is not None for note in notes)
        if kept >= least_notes:
            yield Rule(scope, "name", pattern, (), len(notes), kept)
            break


def _value_rules(scope: RuleScope, name: str, notes: Collection[IndexedNote], least: float) -> Iterator[Rule]:
    if len(notes) < MIN_NOTES:
        return
    values = [property_of(note.properties, name) for note in notes]
    kinds = Counter(kind for value in values if (kind := kind_of_value(value)) != "empty")
    filled = kinds.total()
    if filled < MIN_NOTES:
        return
    kind, count = kinds.most_common(1)[0]
    if count >= least * filled:
        yield Rule(scope, "type", name, (kind,), filled, count)
    if fold_case(name) in NAMING_PROPERTIES:
        return
    items: Counter[str] = Counter()
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for value in values:
        if kind_of_value(value) in ("text", "list", "link"):
            said = {value_key(item)[1]: bare_value(item) for item in single_values(value) if item is not None}
            items.update(said.keys())
            for folded, each in said.items():
                spelled[folded][each] += 1
    members = sorted(value for value, each in items.items() if value and each >= max(2, MAX_EXCEPTION_SHARE * filled))
    expected = tuple(_most_common(spelled[value]) for value in members)
    # Where nearly every note has a value of its own, none is wrong.
    if members and len(members) <= min(MAX_VALUES, filled // 4):
        rule = count_kept(Rule(scope, "values", name, expected), notes)
        if rule.share >= least and sum(items[value] for value in members) >= filled * least:
            yield rule


def _most_common(spellings: Counter[str]) -> str:
    return max(spellings, key=lambda each: (spellings[each], each))


def _common_names(scope: RuleScope, kind: RuleKind, names: Sequence[Mapping[str, str]], least: float) -> Iterator[Rule]:
    counts = Counter(folded for each in names for folded in each)
    for folded, count in counts.items():
        if count >= max(least, MIN_NOTES):
            name = _most_common(Counter(each[folded] for each in names if folded in each))
            yield Rule(scope, kind, name, (), len(names), count)


def _read_traits(note: IndexedNote) -> Traits:
    title = fold_case(title_of(note.path))
    headings = {fold_case(text.strip()): text.strip() for text in note.heading_texts}
    families = (name for tag in note.tags for name in accumulate(tag.split("/"), "{}/{}".format))
    return {
        "tag": {fold_case(name): name for name in sorted(families)},
        "heading": {folded: text for folded, text in headings.items() if folded not in ("", title)},
        "link": {fold_case(target): target for target, _ in note.targets if target},
    }


def find_violations(
    notes: Sequence[IndexedNote], stated: Sequence[Rule], inferred: Sequence[Rule], among: Iterable[IndexedNote]
) -> list[tuple[Rule, IndexedNote, str]]:
    """Return each violation with what the note has instead; what a schema note says overrules what is inferred.

    Args:
        among: The notes from which the rules were inferred.
    """
    found: list[tuple[Rule, IndexedNote, str]] = []
    inside: dict[RuleScope, list[IndexedNote]] = {}
    seen: set[tuple[VaultPath, str, str, tuple[str, ...]]] = set()
    said: set[tuple[VaultPath, str]] = set()
    surroundings = Surroundings.of(among)
    for rule in (*stated, *sorted(inferred, key=lambda each: -each.share)):
        if rule.scope not in inside:
            inside[rule.scope] = [note for note in notes if rule.scope.contains(note)]
        name = rule.name.casefold()
        for note in inside[rule.scope]:
            if rule.source is not None:
                said.add((note.path, name))
            elif (note.path, name) in said:
                continue
            key = note.path, rule.kind, name, rule.expected if rule.kind == "condition" else ()
            if key in seen or not applies_to(rule, note):
                continue
            wrong = find_violation(rule, note)
            if wrong is not None and (rule.source is not None or surroundings.agree(rule, note)):
                seen.add(key)
                found.append((rule, note, wrong))
    return found


class Surroundings(Record):
    """The notes by their folders, which know better what is usual there than the folders around them."""

    notes: Mapping[str, Sequence[IndexedNote]]
    _kept: dict[tuple[int, str], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, notes: Iterable[IndexedNote]) -> "Surroundings":
        together: defaultdict[str, list[IndexedNote]] = defaultdict(list)
        for note in notes:
            together[note.path.rpartition("/")[0]].append(note)
        return cls(together)

    def agree(self, rule: Rule, note: IndexedNote) -> bool:
        """Return whether a rule that was inferred for a folder is one of a note's own folder, and not of an index."""
        if rule.scope.note_type:
            return True
        folder = note.path.rpartition("/")[0]
        key = id(rule), folder
        if key not in self._kept:
            self._kept[key] = count_kept(rule, self.notes.get(folder, ())).share >= MIN_AROUND
        return self._kept[key] and not is_index_note(note.path)
