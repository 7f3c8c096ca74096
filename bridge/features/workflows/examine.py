"""Lists and checks workflows."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.markup import Column, Element, Line, Segment, Table, notice
from bridge.api.page import ListPage, Page, PageArguments, page_notice
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
    Column("variables", " · takes {}", value=lambda one: [each.name for each in one.variables]),
    Column("digest", lambda digest: f" · digest {digest[:SHORT_DIGEST]}" if digest else "", pipe=True),
    Column("problems", lambda some: f" · {count_of(len(some), 'problem')}" if some else ""),
    Column("unreadable", lambda text: f" · {inline(text)}" if text else ""),
)


def workflow_page_view(page: WorkflowPage) -> Iterable[Element]:
    """Show workflows, one per line, and the starters; or all about one."""
    if not page.starters:
        for one in page.workflows:
            yield from _workflow(one)
        return
    yield page_notice(page.workflows, page, "workflow")
    yield Table(WORKFLOWS, page.workflows)
    names = ", ".join(one.name for one in page.starters)
    way = Segment("`vaultside author-workflow NAME --starter STARTER`", short="`author_workflow` (`starter`)")
    yield notice(way, f" writes one. The starters: {names}.")


def _workflow(one: ListedWorkflow) -> Iterable[Element]:
    state = "sound" if one.sound else "cannot run"
    approved = "approved" if one.approved else "not approved by the user"
    yield notice(f"{state} · {approved} · digest {(one.digest or '')[:SHORT_DIGEST]}")
    if one.description:
        yield Line(inline(one.description))
    for variable in one.variables:
        yield Line(variable_text(variable))
    yield from problem_lines(one.problems)


def problem_lines(problems: Iterable[Problem]) -> Iterable[Line]:
    for one in problems:
        yield Line(f"line {one.line}: {inline(one.message)}" + ("" if one.serious else " (a remark)"))


def variable_text(one: WorkflowVariable) -> str:
    choices = f" of {', '.join(map(inline, one.choices))}" if one.choices else ""
    presumed = list(one.default) if isinstance(one.default, tuple) else one.default
    default = "" if presumed is None else f", by default {inline(str(presumed))}"
    needed = "" if one.required else ", optional" * (not default)
    meaning = f": {inline(one.description)}" if one.description else ""
    return f"{inline(one.name)} ({one.type}{choices}{default}{needed}){meaning}"
