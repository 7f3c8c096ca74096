"""Writes workflows: from notes that are alike, from a starter or a text."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.agreement import ask_user
from bridge.api.arguments import require_writable_text
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Element, Segment, notice
from bridge.api.note_names import snapshot
from bridge.api.registry import get_operation, operation
from bridge.api.write import WriteArguments, Written, execute_requests, session_of
from bridge.changes.requests.create_note import CreateNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.features.history.public import OWN_SESSION
from bridge.features.tools.public import rank
from bridge.features.workflows.change_examples import (
    NoteChange,
    asks_for_all,
    daily_of,
    draft_changes,
    draft_index,
    is_roll_over,
    read_change,
    select_notes,
)
from bridge.features.workflows.examine import WorkflowYaml, problem_lines, variable_text
from bridge.features.workflows.examples import MAX_EXAMPLES, DraftedSteps, Example, day_of, draft_note, read_example
from bridge.features.workflows.parse import Problem, WorkflowStep, WorkflowVariable, starter_text
from bridge.features.workflows.read import note_text, read_text, workflow_note, workflow_yaml
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.names import note_name
from bridge.state.change_records import ChangeFilter
from bridge.text.budget import cut
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.text.invisible import inline, one_line
from bridge.text.secrets import require_plain
from bridge.types import SHORT_DIGEST, Digest, VaultPath
from bridge.vault.paths import file_name_for

Examples = Annotated[tuple[VaultPath, ...], Meta(max_length=MAX_EXAMPLES)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]

MAX_ARGUMENT = 400
"""Characters of an argument of a step that are told."""

FIRST_WORDS = 2
"""Words with which a description begins that say whether it asks for a change."""

MAX_CHANGES = 50
"""Notes of one change that are compared."""
CHANGES = ("set_properties", "edit_note", "move_note", "change_notes", "add_task", "toggle_task", "daily_note")
MIN_CHANGE, MIN_NEW, MIN_LEAD = 0.35, 0.25, 2.0
"""Likeness of a description to a change, from which on it asks for it, and to a new note, from which on for that, if
the change is not so many times likelier."""

ROLL_OVER = DraftedSteps((), {}, starter="daily-roll-over", remark="The starter `daily-roll-over` does this.")

ONE_NOTE = "It does one note at a time: the description names no tag, property or folder that the examples share."

MIN_LIKENESS = 0.6
"""Share of properties or headings that two notes have in common if they are of one kind."""


class WrittenWorkflow(Written, kw_only=True):
    """A workflow that was written.

    Attributes:
        workflow_digest: The digest of its block; until the user approves it, no agent runs it.
        problems: Its faults and remarks, each with its line in the block.
        variables: What it needs to be told.
        steps: Its steps in short.
        left_out: Properties of the examples that are not in it: too few have them, or a plugin writes them.
        text_left_out: What the examples say and it does not: headings, how many lines of them, and the first of these.
    """

    workflow_digest: Digest
    problems: tuple[Problem, ...]
    variables: tuple[WorkflowVariable, ...] = ()
    steps: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    text_left_out: tuple[str, ...] = ()


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
        "make a workflow of changes that were made",
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
        examples: Notes of one kind, to make more of them, or the ids of changes or `session` to do the same again:
            what differs becomes variables. One note is compared with those like it in its folder.
        starter: A workflow that comes with the bridge, such as `daily-roll-over` or `weekly-review`; `list_workflows`
            lists them.
        text: Its YAML. Give one of `examples`, `starter` and `text`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The text or the properties of an example cannot be read, the text holds a secret, examples are
            notes and changes, or the description asks for a change and the examples are notes.
    """
    vault = call.vault
    vault.require_keyword()
    if [bool(examples), starter is not None, text is not None].count(True) != 1:
        raise InvalidArguments("Give one of `examples`, `starter` and `text`.")
    require_plain(name=name, description=description)
    drafted = DraftedSteps((), {}, starter=starter)
    if examples:
        own = VaultPath(session_of(call))
        examples = tuple(own if one == OWN_SESSION and not vault.files.has(one) else one for one in examples)
        drafted = await asyncio.to_thread(draft_from, vault, name, description, examples)
    if drafted.steps:
        output = "{{steps.note.path}}" if any(step["id"] == "note" for step in drafted.steps) else ""
        block = workflow_yaml(description or name, drafted.variables, drafted.steps, output)
    elif drafted.starter is None:
        block = text or ""
    else:
        block = starter_text(drafted.starter)
        told = f"description: {json.dumps(description, ensure_ascii=False)}"
        block = re.sub(r"(?m)^description: .*", lambda _: told, block, count=1) if description else block
    require_writable_text("text", block)
    require_plain(text=block)
    found = read_text(vault.files, block)
    if not found.workflow.steps:
        raise InvalidArguments(f"Line {found.problems[0].line} of the text: {found.problems[0].message}")
    folder = agents_folder(vault.settings).workflows
    stem = file_name_for(name, lambda one: vault.files.has(VaultPath(f"{folder}/{one}.md")), default="Workflow")
    path = VaultPath(f"{folder}/{stem}.md")
    note = workflow_note(stem, description or found.workflow.description, block, drafted.sources)
    request = CreateNote(path=path, text=note)
    made = await execute_requests(call, [request], options, operation="author_workflow")
    if made.state == "applied" and not (options.dry_run or found.faults):
        await ask_user(call, replace(found, path=path).decision)
    if drafted.remark is not None:
        made = replace(made, warnings=(*made.warnings, drafted.remark))
    return describe_written(call, made, block, drafted)


def draft_from(vault: OpenVault, name: str, description: str, examples: Sequence[VaultPath]) -> DraftedSteps:
    """Return what makes notes like the examples, or does what was changed in them; blocks."""
    changes = [each for one in examples for each in find_changes(vault, one)]
    if changes:
        for path in filter(vault.files.has, examples):
            raise InvalidArguments(
                f"`{path}` is a note, and other examples are changes.",
                hint="Give notes alone, to make more of them, or changes alone, to do the same again.",
            )
        return draft_from_changes(vault, changes, description)
    notes = [read_example(path, readable_note(vault, path)) for path in examples]
    lately = find_lately(vault, examples)
    asked = find_asked_change(description or name)
    moves = any("move" in one.kinds for one in lately)
    if any(repeats_day_before(vault, note) for note in notes):
        return ROLL_OVER
    if asked is not None and lately and (asked != "move_note" or moves):
        return draft_from_changes(vault, [[one] for one in lately], description)
    # A noun phrase tells of the notes, as “a book I read” does: an order begins with the change.
    if asked is not None and find_asked_change(" ".join(description.split()[:FIRST_WORDS])):
        raise InvalidArguments(
            "The description asks for a change of notes, and the examples are notes.",
            hint="Make the change once or twice, and give the ids of these changes as `examples`: `list_changes` has "
            "them. For another note like these, say so in the description.",
        )
    ids = ", ".join(dict.fromkeys(f"`{one.change}`" for one in lately))
    remark = f"It makes a new note. For what was changed in the examples, give {ids} as examples." if ids else None
    return replace(draft_from_notes(vault, notes), remark=remark)


def draft_from_notes(vault: OpenVault, notes: Sequence[Example]) -> DraftedSteps:
    """Return what makes notes like these; a single one is compared with those most like it in its folder."""
    alike = find_alike(notes[0].path, snapshot(vault)) if len(notes) == 1 else ()
    others = [read_example(path, readable_note(vault, path)) for path in alike]
    drafted = draft_index(notes, vault) or draft_note([*notes, *others], daily_of(vault))
    return replace(drafted, sources=tuple(dict.fromkeys(one.path for one in (*notes, *others))))


def find_changes(vault: OpenVault, example: str) -> list[list[NoteChange]]:
    """Return what the change or the changes of the session did that an example names; nothing if it names a note."""
    if vault.files.has(VaultPath(example)):
        return []
    if vault.store.journal.change(example) is None:
        return [read_change(vault, change) for change in vault.review.of_session(example, "applied")[::-1]]
    change = vault.review.change(example)
    if change.state != "applied":
        raise InvalidArguments(f"The change `{example}` is {change.state}.", hint="Give changes that were made.")
    return [read_change(vault, change)]


def find_lately(vault: OpenVault, paths: Sequence[VaultPath]) -> list[NoteChange]:
    """Return what was last done to each of some notes other than to create it, if it is the same; of one, how often."""
    found: list[NoteChange] = []
    for path in paths:
        criteria = ChangeFilter(path=path, state="applied")
        for change in vault.review.changes(criteria, MAX_EXAMPLES if len(paths) == 1 else 1, 0)[::-1]:
            with suppress(InvalidArguments):
                made = read_change(vault, change) if not change.facts.targets else []
                found += [one for one in made if one.after.path == path]
    return [one for one in found if one.kinds == found[-1].kinds != ("create",)]


def draft_from_changes(vault: OpenVault, made: Sequence[Sequence[NoteChange]], description: str) -> DraftedSteps:
    single = [*chain(*made)]
    sources = tuple(dict.fromkeys(one.after.path for one in single))
    kinds = {one.kinds for one in single}
    if any(repeats_day_before(vault, one.after) for one in single):
        return ROLL_OVER
    if kinds == {("create",)} and len(single) == len(made):
        return draft_from_notes(vault, [one.after for one in single])
    if len(kinds) == 1:
        selection = select_notes(single, snapshot(vault), description if len(single) == len(made) else None)
        given, total = selection or (None, 0)
        remark = f"It is for {count_of(total, 'note')} as the vault is now." if selection else None
        remark = ONE_NOTE if selection is None and asks_for_all(description) else remark
        drafted = draft_changes([[one] for one in single][:MAX_CHANGES], vault, given)
        return replace(drafted, remark=remark, sources=sources)
    # What was done several times, such as all of it, or each part of it.
    parts: dict[tuple[tuple[str, ...], ...], list[Sequence[NoteChange]]] = {}
    for each in made:
        parts.setdefault(tuple(one.kinds for one in each), []).append(each)
    is_even = len({*map(len, parts.values())}) == 1
    rounds = zip(*parts.values(), strict=True) if is_even else [made]
    return replace(draft_changes([[*chain(*each)] for each in rounds], vault), sources=sources)


def find_asked_change(text: str) -> str | None:
    """Return the change that a description asks for; None if it may ask for a new note."""
    ranked = rank(text, [get_operation(name) for name in ("create_note", *CHANGES)])
    new = next(likeness for likeness, one in ranked if one.name == "create_note")
    likeness, best = ranked[0]
    # “Rename notes” has a word of new notes, too, as “Weekly note” has one of the daily note.
    is_change = new < MIN_NEW or (best.name != "daily_note" and likeness >= MIN_LEAD * new)
    return best.name if is_change and likeness >= MIN_CHANGE else None


def repeats_day_before(vault: OpenVault, note: Example) -> bool:
    """Return whether a daily note begins with what was left open the day before."""
    day = day_of(note_name(note.path))
    before = VaultPath(note.path.replace(f"{day}", f"{day - timedelta(days=1)}")) if day is not None else note.path
    return before != note.path and vault.files.has(before) and is_roll_over(note_text(vault, before), note.text)


def readable_note(vault: OpenVault, path: VaultPath) -> bytes:
    text = note_text(vault, path)
    if not path.lower().endswith(".md"):
        raise InvalidArguments(f"`{path}` is no note.", hint="Give the paths of notes whose names end with `.md`.")
    return text.encode("utf-8", "surrogateescape")


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


def describe_written(call: Call, made: Written, block: str, drafted: DraftedSteps) -> WrittenWorkflow:
    found = read_text(call.vault.files, block, call.vault)
    return WrittenWorkflow(
        **asdict(made),
        workflow_digest=found.digest,
        problems=found.problems,
        variables=tuple(found.workflow.variables.values()),
        steps=tuple(map(describe_step, found.workflow.steps)),
        left_out=drafted.left_out,
        text_left_out=drafted.text_left_out,
    )


def describe_step(step: WorkflowStep) -> str:
    given = {"each": step.each} if step.each is not None else {}
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in {**given, **step.arguments}.items()
    }
    told = (f"{name}: {cut(one_line(text), MAX_ARGUMENT)}" for name, text in texts.items())
    return f"{step.id}: {step.do} · {' · '.join(told)}"


def written_workflow_view(written: WrittenWorkflow) -> Iterable[Element]:
    yield from written_view(written)
    # A person reads the whole of it in the diff, as does a model before it is written.
    whole = () if written.dry_run or not written.change_id else (*map(variable_text, written.variables), *written.steps)
    yield from (notice(Segment("", short=line)) for line in whole)
    if left := written.left_out:
        yield notice(f"Left out of it, properties: {', '.join(map(inline, left))}")
    if left := written.text_left_out:
        yield notice(f"Left out of it, text: {' | '.join(map(inline, left))}")
    subject = f"{written.path}@{written.workflow_digest[:SHORT_DIGEST]}"
    if any(one.serious for one in written.problems):
        yield notice("It cannot run yet; `edit_note` corrects it. Then the user must approve it.")
    else:
        yield notice(f"The user must approve it: `vaultside decide {shlex.quote(subject)} accept`.")
    yield from problem_lines(written.problems)
