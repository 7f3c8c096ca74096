"""Previewing and running policies."""

from dataclasses import fields
from typing import Literal

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.api.count_forecast import CountForecast, describe_forecast
from bridge.api.hints import Properties
from bridge.api.registry import operation
from bridge.api.write import (
    Expectation,
    WriteArguments,
    WriteOptions,
    Written,
    carry_requests,
    describe_outcome,
    expected_counts,
)
from bridge.errors import Forbidden
from bridge.features.policies.bindings import policy_host, variable_readers
from bridge.features.policies.examine import PolicyYaml
from bridge.features.policies.read import ReadPolicy, approvals, open_policy
from bridge.policies.run import PolicyRun, PolicyTrace, RunPolicy
from bridge.policies.variables import bind_variables
from bridge.records import dataclass
from bridge.types import Digest, VaultPath

NOWHERE = VaultPath("")


@dataclass(frozen=True, slots=True)
class ConditionOutcome:
    """A condition of a policy.

    Attributes:
        id: Its id.
        holds: Whether it was true when it was last looked at; null if no step asked for it.
    """

    id: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step of a policy.

    Attributes:
        id: Its id.
        do: The change or question.
        state: Whether it was done, or skipped because of its conditions.
        turns: How often it was done.
        found: How many results a question had; null for a change.
        path: The note of its last change; null without one.
    """

    id: str
    do: str
    state: Literal["done", "skipped"]
    turns: int
    found: int | None
    path: VaultPath | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOutcome(Written):
    """What a policy did, or would do.

    Attributes:
        policy_digest: The digest of the policy's block.
        approved: Whether the user approved it as it is.
        conditions: Its conditions.
        steps: Its steps.
        output: What the policy says at its end; may be empty.
        forecast: The counts of the vault that differ afterwards; only of a preview.
    """

    policy_digest: Digest
    approved: bool
    conditions: tuple[ConditionOutcome, ...]
    steps: tuple[StepOutcome, ...]
    output: str
    forecast: tuple[CountForecast, ...] = ()


@operation(
    example={"text": "{version: 1, steps: [{id: note, do: create_note, path: Reading/On salt.md, text: Salt.}]}"},
    tasks=(
        "what would a policy do",
        "see what a policy would do before it runs",
        "preview a workflow",
        "dry run of a policy",
    ),
)
async def preview_policy(
    call: Call,
    path: VaultPath | None = None,
    variables: Properties = {},  # noqa: B006  # never changed
    text: PolicyYaml | None = None,
) -> PolicyOutcome:
    """Show what a policy would do now: its conditions, its changes as a diff, and what they make of the counts.

    Args:
        path: The note of the policy; give this or `text`.
        variables: The values of its variables, by name.
        text: The YAML of a policy that is not written yet.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: The policy cannot run, a variable does not fit, or a step cannot be done.
    """
    found = await open_policy(call, path, text)
    return await perform(call, found, variables, WriteOptions(dry_run=True), forecast=True)


@operation(
    example={"path": "Agents/Policies/Meeting note.md", "variables": {"title": "Seeds"}, "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=("run a policy", "run an approved workflow"),
)
async def run_policy(
    call: Call,
    path: VaultPath,
    variables: Properties = {},  # noqa: B006  # never changed
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> PolicyOutcome:
    """Run a policy as one change: all of its steps or none, undone together. Agents run only approved ones.

    Args:
        path: The note of the policy.
        variables: The values of its variables, by name.
        expect: Its expected effect, such as that of `preview_policy`; any other is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        Forbidden: The user did not approve the policy, or it was changed since.
        InvalidArguments: The policy cannot run, a variable does not fit, or a step cannot be done.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    found = await open_policy(call, path)
    return await perform(call, found, variables, options, expect=expect)


async def perform(
    call: Call,
    found: ReadPolicy,
    variables: Properties,
    options: WriteOptions,
    *,
    expect: Expectation | None = None,
    forecast: bool = False,
) -> PolicyOutcome:
    """Run a policy that was read, or only see what it would do."""
    approved = await approvals(call)
    is_approved = approved.holds(found.path, found.digest)
    if not (options.dry_run or is_approved or is_user(call)):
        raise not_approved(found, changed=approved.knows(found.path))
    found.require_sound()
    values = bind_variables(found.policy, variables, variable_readers(call))
    run = PolicyRun(found.policy, values, policy_host(call))
    requests = [RunPolicy(path=found.path or NOWHERE, run=run)]
    options = WriteOptions(options.dry_run, options.reason or found.policy.description[:500] or None, options.confirm)
    try:
        # One at a time, so that other changes come in between.
        async with call.vault.policy_turn:
            outcome = await carry_requests(
                call, requests, options, operation="run_policy", expect=expected_counts(expect), forecast=forecast
            )
    finally:
        run.budget.cancel()
    made = await describe_outcome(call, outcome, requests, dry_run=options.dry_run)
    trace = run.trace
    return PolicyOutcome(
        **{each.name: getattr(made, each.name) for each in fields(Written)},
        policy_digest=found.digest,
        approved=is_approved,
        conditions=tuple(ConditionOutcome(id_, trace.conditions.get(id_)) for id_ in found.policy.conditions),
        steps=describe_steps(trace),
        output=trace.output,
        forecast=describe_forecast(outcome.planned.forecast),
    )


def describe_steps(trace: PolicyTrace) -> tuple[StepOutcome, ...]:
    """Return what became of the steps in the form of the result."""
    return tuple(StepOutcome(one.id, one.do, one.state, one.turns, one.found, one.path) for one in trace.steps)


def not_approved(found: ReadPolicy, *, changed: bool) -> Forbidden:
    why = "was changed since the user approved it" if changed else "is not approved by the user"
    return Forbidden(
        f"The policy `{found.path}` {why}.",
        hint="Show the user `preview_policy`, who approves it in Obsidian or by `vault-bridge approve-policy`.",
        digest=found.digest,
    )
