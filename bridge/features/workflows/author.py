"""Writes workflows: from notes that are alike, from a starter or a text."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict, replace
from yaml import YAMLError

from bridge.api.agreement import ask_user
from bridge.api.arguments import require_writable_text
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Element, notice
from bridge.api.note_names import snapshot
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.create_note import CreateNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.features.workflows.examine import WorkflowYaml, problem_lines
from bridge.features.workflows.examples import MAX_EXAMPLES, DraftedNote, Example, draft_note
from bridge.features.workflows.parse import Problem, starter_text
from bridge.features.workflows.read import note_text, read_text, workflow_note, workflow_yaml
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.names import note_name
from bridge.text.fold import fold_case
from bridge.text.secrets import require_plain
from bridge.types import SHORT_DIGEST, Digest, VaultPath
from bridge.vault.obsidian_settings import daily_path, read_obsidian_settings
from bridge.vault.paths import file_name_for

Examples = Annotated[tuple[VaultPath, ...], Meta(max_length=MAX_EXAMPLES)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]

MIN_LIKENESS = 0.6
"""Share of properties or headings that two notes have in common if they are of one kind."""


class WrittenWorkflow(Written, kw_only=True):
    """A workflow that was written.

    Attributes:
        workflow_digest: The digest of its block; until the user approves it, no agent runs it.
        problems: Its faults and remarks, each with its line in the block.
        left_out: Properties of the examples that are not in it, for too few examples have them.
    """

    workflow_digest: Digest
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...] = ()


@operation(
    example={
        "name": "Salt",
        "text": "{version: 1, steps: [{id: note, do: create_note, path: Reading/Salt.md}]}",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    tasks=(
        "turn notes that are alike into a workflow",
        "draft a workflow from examples",
        "start with a ready-made workflow",
        "roll unfinished tasks over to today",
        "write a weekly review",
        "a workflow that archives projects that are done",
    ),
)
async def author_workflow(
    call: Call,
    name: Name,
    description: Annotated[str, Meta(max_length=2_000)] = "",
    examples: Examples = (),
    starter: Annotated[str, Meta(max_length=60)] | None = None,
    text: WorkflowYaml | None = None,
    *,
    options: WriteArguments,
) -> WrittenWorkflow:
    """Write a workflow into the agents' folder; the user must approve it before an agent runs it.

    It is a note, so `edit_note` revises it; then it must be approved again.

    Args:
        name: Its name, also that of its note.
        description: What it does and when to use it.
        examples: Notes of one kind, of which it is drafted: what differs becomes variables. One is compared with the
            notes like it in its folder.
        starter: A workflow that comes with the bridge, such as `daily-roll-over` or `weekly-review`; `list_workflows`
            lists them.
        text: Its YAML. Give one of `examples`, `starter` and `text`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The properties of an example cannot be read, or the text holds a secret.
    """
    vault = call.vault
    vault.require_keyword()
    if [bool(examples), starter is not None, text is not None].count(True) != 1:
        raise InvalidArguments("Give one of `examples`, `starter` and `text`.")
    require_plain(name=name, description=description)
    left_out: Sequence[str] = ()
    if examples:
        drafted = await asyncio.to_thread(draft_from_notes, call, examples)
        block, left_out = (
            drafted_yaml(description or f"Write a note like {note_name(examples[0])}.", drafted),
            drafted.left_out,
        )
    else:
        block = starter_text(starter) if starter is not None else text or ""
    require_writable_text("text", block)
    require_plain(text=block)
    found = read_text(vault.files, block)
    folder = agents_folder(vault.settings).workflows
    stem = file_name_for(name, lambda one: vault.files.has(VaultPath(f"{folder}/{one}.md")), default="Workflow")
    path = VaultPath(f"{folder}/{stem}.md")
    note = workflow_note(stem, description or found.workflow.description, block)
    request = CreateNote(path=path, text=note)
    made = await execute_requests(call, [request], options, operation="author_workflow")
    if made.state == "applied" and not (options.dry_run or found.faults):
        await ask_user(call, replace(found, path=path).decision)
    return describe_written(call, made, block, left_out)


def draft_from_notes(call: Call, paths: Sequence[VaultPath]) -> DraftedNote:
    """Return what notes have in common; a single one is compared with those most like it in its folder. Blocks."""
    alike = find_alike(paths[0], snapshot(call.vault)) if len(paths) == 1 else ()
    settings = read_obsidian_settings(call.vault.root)
    return draft_note([read_example(call.vault, path) for path in (*paths, *alike)], partial(daily_path, settings))


def find_alike(path: VaultPath, notes: Notes) -> Sequence[VaultPath]:
    """Return the notes beside a note that have nearly the same properties, or headings if it has no properties."""

    def traits(note: IndexedNote) -> set[str]:
        return {*map(fold_case, note.properties)} or {*map(fold_case, note.heading_texts)}

    def likeness(other: VaultPath) -> float:
        here, there = traits(notes[path]), traits(notes[other])
        return len(here & there) / max(1, len(here | there))

    folder = path.rpartition("/")[0]
    beside = [other for other in notes if other != path and other.rpartition("/")[0] == folder]
    found = [other for other in beside if path in notes and likeness(other) >= MIN_LIKENESS]
    return sorted(found, key=lambda other: (-likeness(other), other))[: MAX_EXAMPLES - 1]


def read_example(vault: OpenVault, path: VaultPath) -> Example:
    text = note_text(vault, path).removeprefix("\ufeff").replace("\r\n", "\n")
    if not path.lower().endswith(".md"):
        raise InvalidArguments(f"`{path}` is no note.", hint="Give the paths of notes whose names end with `.md`.")
    if (cut := cut_frontmatter(text)) is None:
        return Example(path, {}, text)
    (start, end), body = cut
    with suppress(YAMLError):
        return Example(path, dict(load_properties(text[start:end]).values), text[body:])
    raise InvalidArguments(f"The properties of `{path}` cannot be read.")


def drafted_yaml(description: str, drafted: DraftedNote) -> str:
    step = {"id": "note", "do": "create_note", **drafted.arguments}
    return workflow_yaml(description, drafted.variables, [step], "The note is {{steps.note.path}}.")


def describe_written(call: Call, made: Written, block: str, left_out: Sequence[str] = ()) -> WrittenWorkflow:
    found = read_text(call.vault.files, block, call.vault)
    return WrittenWorkflow(
        **asdict(made),
        workflow_digest=found.digest,
        problems=found.problems,
        left_out=tuple(left_out),
    )


def written_workflow_view(written: WrittenWorkflow) -> Iterable[Element]:
    yield from written_view(written)
    yield notice(f"digest of the workflow: {written.workflow_digest[:SHORT_DIGEST]}; the user must approve it.")
    yield from problem_lines(written.problems)
