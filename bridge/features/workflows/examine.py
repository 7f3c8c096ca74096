"""Lists and checks workflows."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.change_view import forecast_lines, written_view
from bridge.api.markup import Answer, Column, Element, Line, Table, notice, page_notice, path_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.errors import BridgeError
from bridge.features.workflows.parse import (
    STARTERS,
    Problem,
    WorkflowVariable,
    starter_description,
)
from bridge.features.workflows.read import ReadWorkflow, approved_digests, find_workflows, open_workflow, read_note
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST, Digest, VaultPath

WorkflowYaml = Annotated[str, Meta(max_length=65_536)]


class ListedWorkflow(Record):
    """A workflow in a list.

    Attributes:
        path: Its note.
        description: What it does.
        digest: The digest of its block, which the user approves by `decide`; null if it cannot be read.
        approved: Whether the user approved it as it is, so that agents may run it.
        changed: Whether it was changed since it was approved.
        variables: What it needs to be told.
        sound: Whether it can run.
        problems: Faults and remarks, each with its line in the note.
        unreadable: Why it cannot be read; null if it can.
    """

    path: VaultPath
    description: str
    digest: Digest | None
    approved: bool
    changed: bool
    variables: tuple[WorkflowVariable, ...]
    sound: bool
    problems: tuple[Problem, ...]
    unreadable: str | None = None


class WorkflowStarter(Record):
    """A workflow that comes with the bridge, for `author_workflow`.

    Attributes:
        name: Its name, for the argument `starter`.
        description: What it does.
    """

    name: str
    description: str


class WorkflowPage(ListPage):
    """The workflows of a vault.

    Attributes:
        workflows: By path.
        starters: Workflows that can be taken as a start.
    """

    workflows: tuple[ListedWorkflow, ...]
    starters: tuple[WorkflowStarter, ...]


@operation(
    example={"limit": 5},
    tasks=(
        "list workflows",
        "which workflows has the user approved",
        "which workflows can I run",
        "is a workflow correct",
        "check a workflow for mistakes",
        "which variables does a workflow need",
    ),
)
async def list_workflows(
    call: Call,
    path: VaultPath | None = None,
    page: PageArguments = Page(50),
) -> WorkflowPage:
    """List the workflows: notes of `type: workflow` with steps, which agents may run once the user approved them.

    Each is checked: its fields, what it refers to, steps that never run, and changes that do not fit.

    Args:
        path: Only the workflow of this note.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The note is no workflow, or has not exactly one block.
    """
    vault = call.vault
    approved = await approved_digests(call)
    if path is not None:
        return WorkflowPage((describe_workflow(path, await open_workflow(call, path), approved),), (), total=1)
    vault.require_keyword()
    paths = find_workflows(vault)

    def listing() -> Iterator[ListedWorkflow]:
        for each in page.cut(paths):
            try:
                yield describe_workflow(each, read_note(vault, each), approved)
            except BridgeError as error:
                yield ListedWorkflow(each, "", None, False, False, (), False, (), error.message)

    shown = await asyncio.to_thread(lambda: tuple(listing()))
    starters = tuple(WorkflowStarter(name, starter_description(name)) for name in STARTERS)
    return WorkflowPage(shown, starters, **page.place(len(paths)))


def describe_workflow(path: VaultPath, found: ReadWorkflow, approved: Mapping[VaultPath, Digest]) -> ListedWorkflow:
    is_approved = approved.get(path) == found.digest
    return ListedWorkflow(
        path,
        found.workflow.description,
        found.digest,
        is_approved,
        not is_approved and path in approved,
        tuple(found.workflow.variables.values()),
        not found.faults,
        found.problems,
    )


WORKFLOWS = (
    Column("path", role="path"),
    Column("approved", lambda approved: " · approved" if approved else " · not approved"),
    Column("changed", lambda changed: " (changed since)" if changed else ""),
    Column("description", lambda text: f" · {inline(text)}" if text else ""),
    Column("variables", lambda some: f" · takes {', '.join(one['name'] for one in some)}" if some else ""),
    Column("digest", lambda digest: f" · digest {digest[:SHORT_DIGEST]}" if digest else "", detail=True),
    Column("problems", lambda some: f" · {count_of(len(some), 'problem')}" if some else ""),
    Column("unreadable", lambda text: f" · {inline(text)}" if text else ""),
)


def workflow_page_view(answer: Answer) -> Iterable[Element]:
    """Show workflows, one per line, and the starters; or all about one."""
    if not answer["starters"]:
        for one in answer["workflows"]:
            yield from _workflow(one)
        return
    yield page_notice(answer, "workflows", "workflow")
    yield Table(WORKFLOWS, answer["workflows"])
    names = ", ".join(one["name"] for one in answer["starters"])
    yield notice(f"`author_workflow` writes one, also from a starter: {names}.")


def _workflow(one: Mapping[str, Any]) -> Iterable[Element]:
    state = "sound" if one["sound"] else "cannot run"
    approved = "approved" if one["approved"] else "not approved by the user"
    yield notice(f"{state} · {approved} · digest {one['digest'][:SHORT_DIGEST]}")
    if one["description"]:
        yield Line(inline(one["description"]))
    for variable in one["variables"]:
        yield Line(_variable(variable))
    yield from _problems(one["problems"])


def outcome_view(answer: Answer) -> Iterable[Element]:
    if not answer["approved"]:
        yield notice(f"Not approved by the user; its digest is {answer['workflow_digest'][:SHORT_DIGEST]}.")
    holds = {True: "yes", False: "no", None: "not asked"}
    if answer["conditions"]:
        yield Line("conditions: " + ", ".join(f"{one['id']} {holds[one['holds']]}" for one in answer["conditions"]))
    for one in answer["steps"]:
        yield Line(f"{one['id']}: {_step(one)}", *((" · ", path_of(one["path"])) if one["path"] else ()))
    if answer["output"]:
        yield Line(inline(answer["output"]))
    yield from forecast_lines(answer["forecast"])
    yield from written_view(answer)


def written_workflow_view(answer: Answer) -> Iterable[Element]:
    yield from written_view(answer)
    yield notice(f"digest of the workflow: {answer['workflow_digest'][:SHORT_DIGEST]}; the user must approve it.")
    yield from _problems(answer["problems"])


def _problems(problems: Iterable[Mapping[str, Any]]) -> Iterable[Line]:
    for one in problems:
        yield Line(f"line {one['line']}: {inline(one['message'])}" + ("" if one["serious"] else " (a remark)"))


def _variable(one: Mapping[str, Any]) -> str:
    choices = f" of {', '.join(map(inline, one['choices']))}" if one["choices"] else ""
    default = "" if one["default"] is None else f", by default {inline(str(one['default']))}"
    needed = "" if one["required"] else ", optional" * (not default)
    meaning = f": {inline(one['description'])}" if one["description"] else ""
    return f"{inline(one['name'])} ({one['type']}{choices}{default}{needed}){meaning}"


def _step(one: Mapping[str, Any]) -> str:
    if one["state"] == "skipped":
        return f"{one['do']} skipped"
    found = "" if one["found"] is None else f", {one['found']:,} found"
    times = f" {one['turns']:,} times" if one["turns"] > 1 else ""
    return f"{one['do']}{times}{found}"
