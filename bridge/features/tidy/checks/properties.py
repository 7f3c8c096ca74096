"""Properties and tags: names in several spellings, values of another type, values that a rule does not allow."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from typing import Final

from bridge.changes.requests.edit_note import SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.features.properties.public import (
    PropertyCount,
    Rule,
    RuleScope,
    ValueKind,
    applies_to,
    count_properties,
    find_violations,
    infer_rules,
    kind_of_value,
)
from bridge.features.tidy.check_scope import MAX_NAMED, CheckScope, TidyFinding, propose, tidy_check
from bridge.features.tidy.plan_note import code_words, name_notes, plan_link
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.frontmatter import OBSIDIAN_PROPERTIES
from bridge.markdown.note import Value
from bridge.text.closest import find_closest
from bridge.text.counts import count_of
from bridge.text.fold import fold_case, fold_letters
from bridge.text.series import step_between
from bridge.types import VaultPath

MAX_SLIP_SHARE = 0.25
"""The share of the other spelling up to which one is a slip."""


@tidy_check("property_names", "Properties whose names differ only in case or separators.")
def property_names(scope: CheckScope) -> Iterator[TidyFinding]:
    counts = count_properties(scope.notes.values())
    having: defaultdict[str, list[VaultPath]] = defaultdict(list)
    # Templates are changed along.
    for path, note in scope.graph_snapshot.notes.items():
        for name in note.properties if path.lower().endswith(".md") else ():
            having[name].append(path)
    alike: defaultdict[str, list[PropertyCount]] = defaultdict(list)
    for count in counts:
        alike[fold_letters(count.name)].append(count)
        for spelling in count.spellings:
            if spelling != count.name:
                yield _respell(spelling, count.name, sorted(having[spelling]), 0.95, "Obsidian takes both for one")
    for main, *others in alike.values():
        for other in others:
            if main.kinds.most_common(1)[0][0] != other.kinds.most_common(1)[0][0]:
                continue
            paths = sorted(path for spelling in other.spellings for path in having[spelling])
            slip = other.spellings.total() <= MAX_SLIP_SHARE * main.spellings.total()
            why = "the same letters with other separators"
            yield _respell(other.name, main.name, paths, 0.88 if slip else 0.7, why)


def _respell(name: str, to: str, paths: list[VaultPath], confidence: float, why: str) -> TidyFinding:
    folded = fold_case(name) == fold_case(to)
    return propose(
        # Where a note has both, a person must say which value stays.
        RenameProperty(path=paths[0], name=name, to=to, on_clash="refuse" if folded else "keep"),
        f"Rename the property {code_words(name)} ({name_notes(paths)}) to {code_words(to)}",
        why,
        confidence,
        notes=tuple(paths[:MAX_NAMED]),
        key=f"all {name} {to}",
    )


MIN_NOTES_WITH_PROPERTY: Final = 10
"""Notes that must have the property."""

USUAL_TYPE_SHARE: Final = 0.9
"""Share of them that must have the same type."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?")
_OBSIDIAN: Final = {"number": "number", "checkbox": "checkbox", "multitext": "list"}


@tidy_check("property_types", "Values of another type than the same property has in other notes.")
def property_types(scope: CheckScope) -> Iterator[TidyFinding]:
    expected, settled = dict[str, ValueKind](), set[str]()
    for count in count_properties(scope.notes.values()):
        filled = count.kinds.total() - count.kinds["empty"]
        kind, often = count.kinds.most_common(1)[0]
        chosen = _OBSIDIAN.get(scope.style.property_types.get(count.name, ""))
        is_usual = filled >= MIN_NOTES_WITH_PROPERTY and often >= USUAL_TYPE_SHARE * filled
        # Obsidian takes a property for a list once it was one; what nobody has two of is better left a text.
        if chosen is not None and (chosen != "list" or count.has_several or (is_usual and kind == "list")):
            expected[fold_case(count.name)] = chosen  # type: ignore[assignment]
            settled.add(fold_case(count.name))
        elif chosen is None and is_usual:
            expected[fold_case(count.name)] = kind
    stated = _by_name(rule for rule in scope.stated if rule.kind == "type")
    for note in scope.fresh():
        for name, value in note.properties.items():
            kind = expected.get(fold_case(name), "empty")
            if fold_case(name) in OBSIDIAN_PROPERTIES or (converted := convert_value(value, kind)) is None:
                continue
            if any(kind not in rule.expected for rule in stated.get(fold_case(name), ()) if applies_to(rule, note)):
                continue
            yield propose(
                SetProperties(path=note.path, digest=note.digest, properties={name: converted}),
                f"In {plan_link(note.path)}, make {code_words(name)} a {kind}: {code_words(_show(converted)[:60])}",
                "Obsidian takes it for one" if fold_case(name) in settled else f"it is a {kind} in other notes",
                0.9,
                key=name,
                kind="violation",
            )


def _show(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).lower()


def convert_value(value: Value, kind: ValueKind) -> Value:
    is_kind = kind_of_value(value)
    if kind == "list" and is_kind in ("text", "link", "number", "date"):
        # Several values in one text would become one item.
        return None if isinstance(value, str) and re.search(r"[,;\n]", value) else [value]
    if not isinstance(value, str) or is_kind != "text":
        return None
    if kind == "number" and _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return int(number) if number.is_integer() and "." not in value else number
    if kind == "checkbox" and value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    return None


MIN_VALUE_SIMILARITY = 0.8
"""Similarity of a value and the allowed one that is meant."""


@tidy_check(
    "conventions", "Values that a schema note or the other notes of a folder do not allow, where a similar one is."
)
def conventions(scope: CheckScope) -> Iterator[TidyFinding]:
    notes = list(scope.notes.values())
    fresh = list(scope.fresh())

    @cache
    def size(within: RuleScope) -> int:
        return sum(map(within.contains, notes))

    inferred = [rule for rule in infer_rules(notes, 0.9) if rule.kind == "values"]
    stated = sorted((rule for rule in scope.stated if rule.kind == "values"), key=lambda each: size(each.scope))
    rules = _by_name((*stated, *inferred))
    for rule, note, found in find_violations(fresh, stated, inferred, notes):
        scope.budget.pause()
        # What a narrower rule for the note does not allow would be changed back by it.
        narrower = [
            {fold_case(value) for value in one.expected}
            for one in rules.get(fold_case(rule.name), ())
            if (one.source is None) == (rule.source is None)
            and one.scope != rule.scope
            and applies_to(one, note)
            and size(one.scope) <= size(rule.scope)
        ]
        allowed = (value for value in rule.expected if all(fold_case(value) in one for one in narrower))
        wanted = find_closest(found, allowed)
        name = next((own for own in note.properties if fold_case(own) == fold_case(rule.name)), None)
        if wanted is None or name is None or note.properties[name] != found:
            continue
        alike = SequenceMatcher(None, fold_case(found), fold_case(wanted)).ratio()
        if alike < MIN_VALUE_SIMILARITY or step_between(found, wanted):
            continue
        yield propose(
            SetProperties(path=note.path, digest=note.digest, properties={name: wanted}),
            f"In {plan_link(note.path)}, change {code_words(name)} from {code_words(found)} to {code_words(wanted)}",
            f"{plan_link(rule.source)} allows it" if rule.source else f"{rule.share:.0%} keep to such values",
            round(min(0.95, alike) if rule.source else min(0.9, alike * rule.share), 2),
            key=rule.name,
            kind="violation",
        )


def _by_name(rules: Iterable[Rule]) -> Mapping[str, Sequence[Rule]]:
    found: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        found[fold_case(rule.name)].append(rule)
    return found


PLURALS = (("ies", "y"), ("es", ""), ("s", ""))
MIN_PLURAL_CHARS = 5

Respelling = tuple[str, str, str, float]
"""A tag, what it should be, the evidence, and how sure that is."""


@tidy_check("tags", "Tags that differ only in case, separators or number.")
def tags(scope: CheckScope) -> Iterator[TidyFinding]:
    having: defaultdict[str, list[VaultPath]] = defaultdict(list)
    for path, note in scope.notes.items():
        for tag in note.tags:
            having[tag].append(path)
    notes: Mapping[str, Sequence[VaultPath]] = having
    common = _most_used(notes)
    found = (_by_case(notes), _by_separator(notes, common), _by_number(notes, common))
    for tag, to, why, sure in chain.from_iterable(found):
        rename = TagRename(tag, to)
        # Templates are changed along.
        every = scope.graph_snapshot.notes.items()
        changed = sorted(path for path, note in every if any(map(rename.apply, note.tags)))
        yield propose(
            RenameTag(path=changed[0], tag=tag, to=to),
            f"Rename the tag {code_words(tag)} ({name_notes(changed)}) to"
            f" {code_words(to)} ({count_of(len(notes[to]), 'note')})",
            why,
            sure,
            notes=tuple(changed[:MAX_NAMED]),
            key=f"all {tag} {to}",
        )


def _by_case(notes: Mapping[str, Sequence[VaultPath]]) -> Iterator[Respelling]:
    for spellings in _groups(notes, fold_case):
        main, other = spellings[:2]
        # Where each note with a spelling has the other one, too, they are there to be compared.
        if not set(notes[other]) <= set(notes[main]):
            yield other, main, f"Obsidian takes {' and '.join(map(code_words, spellings[:3]))} for one tag", 0.95


def _by_separator(notes: Mapping[str, Sequence[VaultPath]], common: Mapping[str, str]) -> Iterator[Respelling]:
    mains = {tag: notes[tag] for tag in common.values()}
    for spellings in _groups(mains, _without_separators):
        main, *others = spellings
        for other in others:
            yield other, main, "the same letters with other separators", 0.9


def _by_number(notes: Mapping[str, Sequence[VaultPath]], common: Mapping[str, str]) -> Iterator[Respelling]:
    for folded, tag in common.items():
        for ending, singular in PLURALS:
            stem = folded.removesuffix(ending) + singular
            if len(folded) < MIN_PLURAL_CHARS or not folded.endswith(ending) or stem not in common or stem == folded:
                continue
            less, more = sorted((tag, common[stem]), key=lambda one: len(notes[one]))
            # Where both are used a lot, both may be meant.
            sure = 0.86 if len(notes[less]) * 4 <= len(notes[more]) else 0.7
            yield less, more, "singular and plural of one word", sure
            break


def _groups(notes: Mapping[str, Sequence[VaultPath]], fold: Callable[[str], str]) -> Iterator[list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for tag in notes:
        found[fold(tag)].append(tag)
    for tags in found.values():
        if len(tags) > 1:
            yield _by_use(tags, notes)


def _by_use(tags: Iterable[str], notes: Mapping[str, Sequence[VaultPath]]) -> list[str]:
    """Return tags with the most used first; of those used as often, a shorter one, and one in lower case."""
    return sorted(tags, key=lambda tag: (-len(notes[tag]), len(tag), tag.swapcase()))


def _most_used(notes: Mapping[str, Sequence[VaultPath]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag in _by_use(notes, notes):
        found.setdefault(fold_case(tag), tag)
    return found


def _without_separators(tag: str) -> str:
    return "/".join(part.replace("-", "").replace("_", "") or part for part in fold_case(tag).split("/"))
