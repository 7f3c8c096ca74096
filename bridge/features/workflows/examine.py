"""Lists and checks workflows."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Scalar
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.errors import BridgeError
from bridge.features.workflows.model import Problem, VariableKind, Workflow
from bridge.features.workflows.parse import STARTERS, starter_description
from bridge.features.workflows.read import ReadWorkflow, approved_digests, find_workflows, open_workflow, read_note
from bridge.records import Record
from bridge.types import Digest, VaultPath

WorkflowYaml = Annotated[str, Meta(max_length=65_536)]


class WorkflowVariable(Record):
    """A variable of a workflow.

    Attributes:
        name: Its name.
        type: What it takes.
        required: Whether it must be given.
        default: Its value if it is not given; null without one.
        choices: The values of a `choice`.
        description: What it is for; may be empty.
    """

    name: str
    type: VariableKind
    required: bool
    default: Scalar | tuple[Scalar, ...]
    choices: tuple[str, ...]
    description: str


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
        tuple(describe_variables(found.workflow)),
        not found.faults,
        found.problems,
    )


def describe_variables(workflow: Workflow) -> Iterator[WorkflowVariable]:
    for one in workflow.variables.values():
        default = one.default
        if isinstance(default, list):
            default = tuple(each for each in default if isinstance(each, str | int | float | bool | None))
        elif not isinstance(default, str | int | float | bool | None):
            default = None
        yield WorkflowVariable(one.name, one.kind, one.required, default, one.choices, one.meaning)
