"""Listing policies, and checking one."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.hints import Scalar
from bridge.api.registry import operation
from bridge.errors import BridgeError
from bridge.features.policies.read import ReadPolicy, approvals, open_policy, read_note
from bridge.policies.block import TYPE
from bridge.policies.model import Policy, Problem, VariableKind
from bridge.policies.starters import STARTERS, starter_description
from bridge.records import dataclass
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.policies.trust import Approvals

PolicyYaml = Annotated[str, MaxLen(65_536)]


@dataclass(frozen=True, slots=True)
class PolicyVariable:
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


@dataclass(frozen=True, slots=True)
class ListedPolicy:
    """A policy in a list.

    Attributes:
        path: Its note.
        description: What it does.
        digest: The digest of its block.
        approved: Whether the user approved it as it is, so that agents may run it.
        changed: Whether it was changed since it was approved.
        variables: The names of its variables.
        problem: Its first fault, with the line; null if it can run.
    """

    path: VaultPath
    description: str
    digest: Digest | None
    approved: bool
    changed: bool
    variables: tuple[str, ...]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyStarter:
    """A policy that comes with the bridge, for `author_policy`.

    Attributes:
        name: Its name, for the argument `starter`.
        description: What it does.
    """

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class PolicyPage:
    """The policies of a vault.

    Attributes:
        policies: By path.
        total: Count before `limit` and `offset`.
        starters: Policies that can be taken as a start.
    """

    policies: tuple[ListedPolicy, ...]
    total: int
    starters: tuple[PolicyStarter, ...]


@operation(
    example={"limit": 5},
    tasks=("list policies", "which policies has the user approved", "which workflows can I run"),
)
async def list_policies(
    call: Call, limit: Annotated[int, Interval(ge=1, le=200)] = 50, offset: Annotated[int, Interval(ge=0)] = 0
) -> PolicyPage:
    """List the policies: notes of `type: policy` with a workflow, which agents may run once the user approved it.

    Args:
        limit: Maximum policies.
        offset: Policies to skip.
    """
    vault = call.vault
    vault.require_keyword()
    approved = await approvals(call)
    paths = sorted(path for path, note in vault.index.notes.items() if note.note_type == TYPE)

    def listing() -> Iterator[ListedPolicy]:
        for path in paths[offset : offset + limit]:
            try:
                yield summarise_policy(path, read_note(vault, path), approved)
            except BridgeError as error:
                yield ListedPolicy(path, "", None, False, False, (), error.message)

    shown = await asyncio.to_thread(lambda: tuple(listing()))
    starters = tuple(PolicyStarter(name, starter_description(name)) for name in STARTERS)
    return PolicyPage(shown, len(paths), starters)


def summarise_policy(path: VaultPath, found: ReadPolicy, approved: "Approvals") -> ListedPolicy:
    """Return a policy in the form of a list."""
    first = next(iter(found.faults), None)
    is_approved = approved.holds(path, found.digest)
    return ListedPolicy(
        path,
        found.policy.description,
        found.digest,
        is_approved,
        not is_approved and approved.knows(path),
        tuple(found.policy.variables),
        None if first is None else f"Line {first.line}: {first.message}",
    )


@dataclass(frozen=True, slots=True)
class CheckedPolicy:
    """What was found in a policy.

    Attributes:
        path: Its note; null for a text.
        description: What it does.
        digest: The digest of its block, for `approve_policy`.
        approved: Whether the user approved it as it is.
        sound: Whether it can run.
        variables: What it needs to be told.
        problems: Faults and remarks, each with its line.
    """

    path: VaultPath | None
    description: str
    digest: Digest
    approved: bool
    sound: bool
    variables: tuple[PolicyVariable, ...]
    problems: tuple[Problem, ...]


@operation(
    example={
        "text": "{version: 1, variables: {title: {type: text}}, "
        'steps: [{id: note, do: create_note, path: "Reading/{{variables.title}}.md"}]}'
    },
    tasks=("is a policy correct", "check a policy for mistakes", "which variables does a policy need"),
)
async def check_policy(call: Call, path: VaultPath | None = None, text: PolicyYaml | None = None) -> CheckedPolicy:
    """Check a policy: its fields, what it refers to, steps that never run, and changes that do not fit.

    Args:
        path: The note of the policy; give this or `text`.
        text: The YAML of a policy; give this or `path`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The note is no policy, or has not exactly one block.
    """
    found = await open_policy(call, path, text)
    approved = await approvals(call)
    return CheckedPolicy(
        found.path,
        found.policy.description,
        found.digest,
        approved.holds(path, found.digest),
        not found.faults,
        tuple(describe_variables(found.policy)),
        found.problems,
    )


def describe_variables(policy: Policy) -> Iterator[PolicyVariable]:
    """Yield the variables of a policy in the form of the result."""
    for one in policy.variables.values():
        default = one.default
        if isinstance(default, list):
            default = tuple(each for each in default if isinstance(each, str | int | float | bool | None))
        elif not isinstance(default, str | int | float | bool | None):
            default = None
        yield PolicyVariable(one.name, one.kind, one.required, default, one.choices, one.meaning)
