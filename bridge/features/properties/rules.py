"""Rules that notes of a folder or type keep, and what violates them."""

import re
from collections.abc import Mapping
from typing import Final, Literal

from bridge.features.properties.census import kind_of_value, single_values, value_key
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import title_of
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
        """The share of notes that keep the rule."""
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
    """Return whether a rule says anything about a note: most rules on a property only where that is filled in."""
    if not rule.scope.contains(note):
        return False
    if rule.kind not in ("type", "values", "condition") or not rule.name:
        return True
    return kind_of_value(property_of(note.properties, rule.name)) != "empty"


def show_value(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    return "a list" if isinstance(value, list | tuple) else "an object"
