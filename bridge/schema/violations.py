"""Finds what violates rules that are stated or inferred."""

from collections.abc import Sequence

from bridge.index.note import IndexedNote
from bridge.schema.rules import Rule, RuleScope, applies_to, find_violation
from bridge.types import VaultPath


def find_violations(
    notes: Sequence[IndexedNote], stated: Sequence[Rule], inferred: Sequence[Rule]
) -> list[tuple[Rule, IndexedNote, str]]:
    """Return each violation with what the note has instead; what a schema note says overrules what is inferred."""
    found: list[tuple[Rule, IndexedNote, str]] = []
    inside: dict[RuleScope, list[IndexedNote]] = {}
    seen: set[tuple[VaultPath, str, str, tuple[str, ...]]] = set()
    said: set[tuple[VaultPath, str]] = set()
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
            if (wrong := find_violation(rule, note)) is not None:
                seen.add(key)
                found.append((rule, note, wrong))
    return found
