"""Which notes violate the conventions of other notes, or the rules that a person wrote down."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.note_names import unknown_names
from bridge.api.registry import operation
from bridge.api.where import notes_among
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.properties.report import MAX_NOTES, select_notes
from bridge.features.properties.rules import Rule, applies_to, count_kept, find_violation, find_violations, infer_rules
from bridge.features.properties.schema_note import read_schemas, without_templates
from bridge.index.note import IndexedNote
from bridge.markdown.edit.properties import PropertyBlock
from bridge.records import Record
from bridge.state.dismissals import dismissal_key
from bridge.text.closest import find_closest
from bridge.text.fold import fold_case
from bridge.text.lines import LineIndex
from bridge.types import Among, VaultPath


class Convention(Record):
    """A rule that most notes of a folder or type keep, or that a schema note states.

    Attributes:
        folder: The folder of the notes; empty for the whole vault.
        note_type: The type of the notes, if the rule is about a type.
        kind: What the rule is about; `required` is a property that they have, `type` and `values` what it may hold,
            `condition` what must be true, `name` the pattern of file names.
        name: The property, tag, heading, link target, or pattern.
        expected: The types or values that are kept, or the condition.
        where: The condition for notes to which the rule applies; empty without one.
        schema_note: The schema note that states the rule; null for an inferred one.
        share: The share of notes that keep it, from 0 to 1.
        notes: Notes to which it applies.
        violators: The first notes that violate it, at most 3.
    """

    folder: Folder
    note_type: str
    kind: Literal["required", "type", "values", "condition", "tag", "name", "heading", "link"]
    name: str
    expected: tuple[str, ...]
    where: str
    schema_note: VaultPath | None
    share: float
    notes: int
    violators: tuple[VaultPath, ...]


class RuleViolation(Record):
    """A note that violates a rule.

    Attributes:
        path: The note.
        line: The line of the property; null where something is missing or the file's name is meant.
        kind: What the rule is about, as in `conventions`.
        name: The property, tag, heading, link target, or pattern.
        found: What the note has instead; empty if something is missing.
        expected: The types or values that are allowed, or the condition.
        suggestion: The allowed value that is most similar, if one is.
        schema_note: The schema note that says so; null for an inferred rule.
        share: For an inferred rule, the share of notes that keep it.
    """

    path: VaultPath
    line: int | None
    kind: Literal["required", "type", "values", "condition", "tag", "name", "heading", "link"]
    name: str
    found: str
    expected: tuple[str, ...]
    suggestion: str | None
    schema_note: VaultPath | None
    share: float | None


class CheckedNotes(Record):
    """The violations in notes.

    Attributes:
        violations: Those of schema notes first, then those of the rules that most notes keep.
        total: Count before `limit`.
        notes: Notes looked at.
        rules: Rules that were checked.
        notices: Remarks, such as on a schema note that cannot be understood.
        dismissed: How many more were dismissed; absent if none.
        conventions: The rules that apply to these notes, if asked for: what schema notes state first, then from the
            outermost folder to the innermost, then by type.
    """

    violations: tuple[RuleViolation, ...]
    total: int
    notes: int
    rules: int
    notices: tuple[str, ...] = ()
    dismissed: int | None = None
    conventions: tuple[Convention, ...] | None = None


@operation(
    example={"folder": "Bread", "limit": 5},
    tasks=(
        "check notes against the conventions of their folder",
        "validate the frontmatter of notes",
        "find notes with missing or misspelt properties",
        "which notes violate the schema",
        "which conventions do the notes of a folder follow",
        "what properties should a note in this folder have",
        "naming pattern of the files in a folder",
    ),
)
async def check_notes(
    call: Call,
    paths: Annotated[tuple[VaultPath, ...], Meta(max_length=1_000)] = (),
    folder: Folder | None = None,
    rules: Literal["both", "inferred", "schema"] = "both",
    conventions: bool = False,
    limit: Annotated[int, Meta(ge=1, le=500)] = 100,
    among: Among | None = None,
) -> CheckedNotes:
    """List what in notes violates the rules of schema notes, and the conventions of other notes.

    Args:
        paths: Only these notes.
        folder: Only notes under this folder.
        rules: `schema` are the rules that notes of `type: schema` state, `inferred` those that notes of a folder or
            type keep, from at least eight notes, and four in five of them.
        conventions: List the rules, too.
        limit: Maximum violations, and rules.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    vault.require_keyword()
    every = notes_among(vault, among, folder, paths)
    dismissed = {(path, one.name) for one in await dismissed_rows(call, "violation") for path in one.paths}
    stated, problems = await read_schemas(vault, every) if rules != "inferred" else ([], ())

    def check() -> CheckedNotes:

        notes = list(without_templates(vault, select_notes(every, None)))
        asked = list(without_templates(vault, select_notes(every, folder)))
        asked = [note for note in asked if not paths or note.path in paths]
        inferred = infer_rules(notes) if rules != "schema" else []
        every_one = find_violations(asked, stated, inferred, notes)
        found = [
            one for one in every_one if not dismissed or (one[1].path, dismissal_key(one[0].name)) not in dismissed
        ]
        shown = tuple(describe_violation(vault, *one) for one in found[:limit])
        notices = (*problems, *unknown_names(every, folder))
        left_out = len(every_one) - len(found) or None
        listed = tuple(list_rules(stated, inferred, notes, asked))[:limit] if conventions else None
        return CheckedNotes(shown, len(found), len(asked), len(stated) + len(inferred), notices, left_out, listed)

    return await asyncio.to_thread(check)


def list_rules(
    stated: Iterable[Rule], inferred: Iterable[Rule], notes: Sequence[IndexedNote], asked: Sequence[IndexedNote]
) -> Iterator[Convention]:
    """Yield the rules that apply to some notes; what is stated of a property replaces what is inferred of it."""
    counted = [count_kept(rule, notes) for rule in stated]
    said = {(rule.scope, rule.kind, rule.name.casefold()) for rule in counted}
    for rule in (*counted, *(one for one in inferred if (one.scope, one.kind, one.name.casefold()) not in said)):
        if any(applies_to(rule, note) for note in asked):
            yield describe_rule(rule, asked)


def describe_rule(rule: Rule, notes: Iterable[IndexedNote]) -> Convention:
    violators = [note.path for note in notes if applies_to(rule, note) and find_violation(rule, note) is not None]
    return Convention(
        Folder(rule.scope.folder),
        rule.scope.note_type,
        rule.kind,
        rule.name,
        rule.expected,
        rule.scope.where.text if rule.scope.where else "",
        rule.source,
        round(rule.share, 3),
        rule.notes,
        tuple(violators[:MAX_NOTES]),
    )


def describe_violation(vault: OpenVault, rule: Rule, note: IndexedNote, found: str) -> RuleViolation:
    return RuleViolation(
        path=note.path,
        line=property_line(vault, note.path, rule.name) if rule.kind in ("type", "values", "condition") else None,
        kind=rule.kind,
        name=rule.name,
        found=found[:200],
        expected=rule.expected,
        suggestion=find_closest(found, rule.expected) if rule.kind == "values" else None,
        schema_note=rule.source,
        share=round(rule.share, 3) if rule.source is None else None,
    )


def property_line(vault: OpenVault, path: VaultPath, name: str) -> int | None:
    try:
        block = PropertyBlock.read(path, vault.files.read(path)[0].decode("utf-8-sig", "replace"))
    except BridgeError:
        return None
    folded = fold_case(name)
    starts = [entry.lines[0] for entry in block.entries if fold_case(entry.name or "") == folded]
    return LineIndex(block.text).at(block.span[0] + starts[0]) if starts else None
