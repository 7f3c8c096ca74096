"""The parts of a profile that need no graph."""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.stated_rules import read_schemas, without_templates
from bridge.api.vault_notes import snapshot
from bridge.api.write import client_name
from bridge.features.profiles.records import (
    AboutNote,
    IndexState,
    NoteHistory,
    OpenTask,
    ProfiledSection,
    ViolatedRule,
)
from bridge.types import Among, VaultPath

if TYPE_CHECKING:
    from bridge.engine.open_vault import OpenVault
    from bridge.index.note import Notes
    from bridge.markdown.note import Note
    from bridge.schema.rules import Rule

MOST_TASKS: Final = 20
MOST_MEMORIES: Final = 10
LEAST: Final = 0.8
"""The share of notes that must keep an inferred rule, as in `check_notes`."""


def outline_of(note: "Note") -> tuple[ProfiledSection, ...]:
    """Return the sections of a note with the words of each, without properties."""
    from bridge.markdown.frontmatter import cut_frontmatter
    from bridge.markdown.sections import section_names
    from bridge.text.words import count_words

    cut = cut_frontmatter(note.text)
    start, starts = cut[1] if cut else 0, [heading.span[0] for heading in note.headings]
    ends = [*starts, len(note.text)]
    before = count_words(note.text[start : ends[0]])
    first = [ProfiledSection("", note.text.count("\n", 0, start) + 1, before)] if before else []
    return (
        *first,
        *(
            ProfiledSection(name, heading.line, count_words(note.text[heading.span[1] : end]))
            for name, heading, end in zip(section_names(note.headings), note.headings, ends[1:], strict=True)
        ),
    )


async def violated_rules(vault: "OpenVault", among: Among, path: VaultPath) -> tuple[ViolatedRule, ...]:
    """Return the rules of schema notes, of a note's own folder and of its type that it does not keep."""
    every = snapshot(vault, among)
    stated, _ = await read_schemas(vault, every)
    return await asyncio.to_thread(_violated_rules, vault, every, path, stated)


def _violated_rules(
    vault: "OpenVault", every: "Notes", path: VaultPath, stated: "Sequence[Rule]"
) -> tuple[ViolatedRule, ...]:
    from bridge.schema.conventions import infer_rules
    from bridge.schema.violations import find_violations

    note, folder = every[path], path.rpartition("/")[0]
    notes = list(without_templates(vault, every.values()))
    beside = [each for each in notes if each.path.startswith(f"{folder}/")] if folder else notes
    inferred = [rule for rule in infer_rules(beside, LEAST) if not rule.scope.note_type and rule.scope.folder == folder]
    if note.note_type:
        alike = [each for each in notes if each.note_type == note.note_type]
        inferred += [rule for rule in infer_rules(alike, LEAST) if rule.scope.note_type == note.note_type]
    asked = list(without_templates(vault, [note]))
    return tuple(
        ViolatedRule(rule.kind, rule.name, found[:200], rule.expected, rule.source)
        for rule, _, found in find_violations(asked, stated, inferred)
    )


def last_change(vault: "OpenVault", path: VaultPath) -> NoteHistory | None:
    """Return the last change of a note that was made through the bridge."""
    from bridge.state.change_records import ChangeFilter

    changes = vault.review.changes(ChangeFilter(path=path, state="applied"), 1, 0)
    return next(
        (NoteHistory(one.id, iso(one.time), one.operation, one.client, one.reason) for one in changes),
        None,
    )


def index_state(vault: "OpenVault", path: VaultPath) -> IndexState:
    """Return what the index holds of a note."""
    held = vault.inspect(path)
    embedded = sum(passage.embedded for passage in held.passages)
    return IndexState(held.state, len(held.passages), embedded, held.problems)


def open_tasks(vault: "OpenVault", path: VaultPath) -> tuple[OpenTask, ...]:
    """Return the first tasks of a note that are neither done nor cancelled."""
    from bridge.markdown.tasks import parse_task
    from bridge.vault.obsidian_settings import read_obsidian_settings

    is_open = read_obsidian_settings(vault.root).tasks.is_open
    tasks = (task for task in vault.index.notes[path].tasks if is_open(task.status))
    return tuple(OpenTask(task.line, parse_task(task.text).text, task.due) for task in tasks)[:MOST_TASKS]


def memories_about(call: Call, path: VaultPath) -> tuple[AboutNote, ...]:
    """Return the memories about a note that a caller may see."""
    from bridge.notebook.visibility import Audience

    vault = call.vault
    vault.memories.follow(vault.index.view("agents").notes)
    visible = vault.memories.visible(Audience(client=client_name(call)), time.time())
    found = (
        memory
        for memory in visible.memories.values()
        if any(vault.names.resolve(name, memory.path).path == path for name in memory.about)
    )
    newest = sorted(found, key=lambda memory: (-memory.updated, memory.path))
    return tuple(AboutNote(memory.path, memory.title) for memory in newest[:MOST_MEMORIES])
