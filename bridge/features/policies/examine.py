"""Lists and checks policies."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Scalar
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.errors import BridgeError
from bridge.features.policies.block import TYPE
from bridge.features.policies.model import Policy, Problem, VariableKind
from bridge.features.policies.parse import STARTERS, starter_description
from bridge.features.policies.read import ReadPolicy, approved_digests, open_policy, read_note
from bridge.records import Record
from bridge.types import Digest, VaultPath

PolicyYaml = Annotated[str, Meta(max_length=65_536)]


class PolicyVariable(Record):
    """A variable of a policy.

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


class ListedPolicy(Record):
    """A policy in a list.

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
    variables: tuple[PolicyVariable, ...]
    sound: bool
    problems: tuple[Problem, ...]
    unreadable: str | None = None


class PolicyStarter(Record):
    """A policy that comes with the bridge, for `author_policy`.

    Attributes:
        name: Its name, for the argument `starter`.
        description: What it does.
    """

    name: str
    description: str


class PolicyPage(ListPage):
    """The policies of a vault.

    Attributes:
        policies: By path.
        starters: Policies that can be taken as a start.
    """

    policies: tuple[ListedPolicy, ...]
    starters: tuple[PolicyStarter, ...]


@operation(
    example={"limit": 5},
    tasks=(
        "list policies",
        "which policies has the user approved",
        "which workflows can I run",
        "is a policy correct",
        "check a policy for mistakes",
        "which variables does a policy need",
    ),
)
async def list_policies(
    call: Call,
    path: VaultPath | None = None,
    page: PageArguments = Page(50),
) -> PolicyPage:
    """List the policies: notes of `type: policy` with a workflow, which agents may run once the user approved it.

    Each is checked: its fields, what it refers to, steps that never run, and changes that do not fit.

    Args:
        path: Only the policy of this note.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The note is no policy, or has not exactly one block.
    """
    vault = call.vault
    approved = await approved_digests(call)
    if path is not None:
        return PolicyPage((describe_policy(path, await open_policy(call, path), approved),), (), total=1)
    vault.require_keyword()
    paths = sorted(each for each, note in vault.index.notes.items() if note.note_type == TYPE)

    def listing() -> Iterator[ListedPolicy]:
        for each in page.cut(paths):
            try:
                yield describe_policy(each, read_note(vault, each), approved)
            except BridgeError as error:
                yield ListedPolicy(each, "", None, False, False, (), False, (), error.message)

    shown = await asyncio.to_thread(lambda: tuple(listing()))
    starters = tuple(PolicyStarter(name, starter_description(name)) for name in STARTERS)
    return PolicyPage(shown, starters, **page.place(len(paths)))


def describe_policy(path: VaultPath, found: ReadPolicy, approved: Mapping[VaultPath, Digest]) -> ListedPolicy:
    is_approved = approved.get(path) == found.digest
    return ListedPolicy(
        path,
        found.policy.description,
        found.digest,
        is_approved,
        not is_approved and path in approved,
        tuple(describe_variables(found.policy)),
        not found.faults,
        found.problems,
    )


def describe_variables(policy: Policy) -> Iterator[PolicyVariable]:
    for one in policy.variables.values():
        default = one.default
        if isinstance(default, list):
            default = tuple(each for each in default if isinstance(each, str | int | float | bool | None))
        elif not isinstance(default, str | int | float | bool | None):
            default = None
        yield PolicyVariable(one.name, one.kind, one.required, default, one.choices, one.meaning)
