"""Notes that violate conventions at random, to see whether these are still found."""

import random

from msgspec.structs import replace

from bridge.features.properties.rules import Rule, RuleKind, RuleScope, count_kept, infer_rules
from bridge.index.note import IndexedNote
from bridge.markdown.note import Value
from bridge.types import VaultPath
from tests.changes.vaults import Paper

MIN_SHARE = 0.8

Key = tuple[RuleScope, RuleKind, str]


def key_of(rule: Rule) -> Key:
    return rule.scope, rule.kind, rule.name.casefold()


def violate(note: IndexedNote, dice: random.Random) -> IndexedNote:
    """Break one or more rules that a note may keep: something is missing, of another type, or misspelt."""
    properties: dict[str, Value] = dict(note.properties)
    for name in list(properties):
        match dice.randrange(4):
            case 0:
                del properties[name]
            case 1:
                properties[name] = dice.choice([17, True, "wrong", ["wrong"], {"a": 1}])
            case 2:
                properties[f"{name}{dice.randrange(10**6)}"] = properties.pop(name)
    tags = tuple(tag for tag in note.tags if dice.random() < 0.5)
    changed = replace(note, properties=properties, tags=tags)
    if dice.random() < 0.5:
        changed = replace(changed, packed_headings="[]")
    if dice.random() < 0.5:
        changed = replace(changed, packed_links="[]")
    if dice.random() < 0.5:
        folder = note.path.rpartition("/")[0]
        changed = replace(changed, path=VaultPath(f"{folder}/".lstrip("/") + f"untitled {dice.randrange(10**6)}.md"))
    return changed


def find_again(paper: Paper, seed: int, share: float = 0.1) -> tuple[int, int, int, int]:
    """Infer rules, violate them in a share of the notes, and infer them again.

    Returns:
        The rules that nearly every note kept before, how many of them were found again, all rules that were found
        after, and how many of those fewer than 80 % of the notes kept before.
    """
    dice = random.Random(seed)
    notes = [note for path, note in sorted(paper.notes.items()) if path.endswith(".md")]
    clean = infer_rules(notes)
    firm = {key_of(rule) for rule in clean if rule.share >= 0.9}
    chosen = set(dice.sample(range(len(notes)), round(len(notes) * share)))
    again = infer_rules([violate(note, dice) if at in chosen else note for at, note in enumerate(notes)])
    found = {key_of(rule) for rule in again}
    false = [rule for rule in again if count_kept(rule, notes).share < MIN_SHARE]
    return len(firm), len(firm & found), len(again), len(false)
