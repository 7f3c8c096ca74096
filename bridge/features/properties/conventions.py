"""Which rules the notes of a folder or type keep."""

import asyncio
from collections.abc import Iterable
from typing import Annotated, Literal

from annotated_types import Interval

from bridge.api.among import choose_among
from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.not_found import unknown_names
from bridge.api.registry import operation
from bridge.api.stated_rules import read_schemas, without_templates
from bridge.api.vault_notes import snapshot
from bridge.features.properties.report import FEW, Name, select_notes
from bridge.index.note import IndexedNote
from bridge.records import dataclass
from bridge.schema.conventions import count_kept, infer_rules
from bridge.schema.rules import Rule, applies_to, find_violation
from bridge.types import Among, VaultPath

Least = Annotated[float, Interval(ge=0.5, le=1.0)]


@dataclass(frozen=True, slots=True)
class Convention:
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


@dataclass(frozen=True, slots=True)
class ConventionList:
    """The conventions of the notes.

    Attributes:
        conventions: What schema notes state first, then from the outermost folder to the innermost, then by type.
        total: Count before `limit`.
        notes: Notes looked at.
        notices: Remarks, such as on a missing folder or a schema note that cannot be understood.
    """

    conventions: tuple[Convention, ...]
    total: int
    notes: int
    notices: tuple[str, ...] = ()


@operation(
    example={"folder": "Bread", "limit": 5},
    tasks=(
        "which conventions do the notes of a folder follow",
        "infer the schema of notes",
        "what properties should a note in this folder have",
        "naming pattern of the files in a folder",
    ),
)
async def conventions(
    call: Call,
    folder: Folder | None = None,
    note_type: Name | None = None,
    least: Least = 0.8,
    limit: Annotated[int, Interval(ge=1, le=500)] = 100,
    among: Among | None = None,
) -> ConventionList:
    """List the rules of schema notes, and those that notes of a folder or type keep, from at least eight notes each.

    Args:
        folder: Only notes under this folder.
        note_type: Only notes whose property `type` is this.
        least: The share of notes that must keep an inferred rule.
        limit: Maximum conventions.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    vault = call.vault
    vault.require_keyword()
    every = snapshot(vault, choose_among(vault, among, (folder,)))
    schemas, problems = await read_schemas(vault, every)

    def infer() -> ConventionList:

        notes = list(without_templates(vault, select_notes(every, folder, note_type)))
        stated = [rule for rule in (count_kept(each, notes) for each in schemas) if rule.notes]
        said = {(rule.scope, rule.kind, rule.name.casefold()) for rule in stated}
        inferred = infer_rules(notes, least)
        rules = [*stated, *(rule for rule in inferred if (rule.scope, rule.kind, rule.name.casefold()) not in said)]
        found = tuple(describe_rule(rule, notes) for rule in rules[:limit])
        return ConventionList(found, len(rules), len(notes), (*problems, *unknown_names(every, folder)))

    return await asyncio.to_thread(infer)


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
        tuple(violators[:FEW]),
    )
