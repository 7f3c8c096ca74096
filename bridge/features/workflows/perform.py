"""Runs workflows, or shows what they would do."""

import asyncio
from collections.abc import Iterable
from functools import partial

from msgspec.structs import asdict

from bridge.api.agreement import ask_user
from bridge.api.call import Call
from bridge.api.change_view import describe_forecast, forecast_lines, written_view
from bridge.api.hints import Properties
from bridge.api.markup import Element, Line, notice, path_of
from bridge.api.registry import operation
from bridge.api.write import (
    Expectation,
    WriteArguments,
    WriteOptions,
    Written,
    describe_outcome,
    execute_for_outcome,
    expected_counts,
)
from bridge.changes.forecast import CountForecast
from bridge.errors import BridgeError, Declined, Forbidden
from bridge.features.workflows.read import NO_PATH, ReadWorkflow, approved_digests, open_workflow
from bridge.features.workflows.run import RunWorkflow, StepOutcome, WorkflowRun, read_meaning, workflow_host
from bridge.features.workflows.templates import bind_variables
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST, Digest, VaultPath

MAIN_COUNTS = ("dangling", "orphans", "notes", "links")
"""What a dry run says first of the vault."""


class WorkflowTurn(asyncio.Lock):
    """Held while a workflow is planned, for which nothing else may change the vault."""


class ConditionOutcome(Record):
    """A condition of a workflow.

    Attributes:
        id: Its id.
        holds: Whether it was true when it was last looked at; null if no step asked for it.
    """

    id: str
    holds: bool | None


class WorkflowOutcome(Written, kw_only=True):
    """What a workflow did, or would do.

    Attributes:
        workflow_digest: The digest of the workflow's block.
        approved: Whether the user approved it as it is.
        conditions: Its conditions.
        steps: Its steps.
        output: What the workflow says at its end; may be empty.
        forecast: The counts of the vault that differ afterwards; only of a dry run.
    """

    workflow_digest: Digest
    approved: bool
    conditions: tuple[ConditionOutcome, ...]
    steps: tuple[StepOutcome, ...]
    output: str
    forecast: tuple[CountForecast, ...] = ()


@operation(
    example={"path": "Agents/Workflows/Meeting note.md", "variables": {"title": "Seeds"}, "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "run a workflow",
        "run an approved workflow",
        "see what a workflow would do before it runs",
        "preview a workflow",
        "dry run of a workflow",
    ),
)
async def run_workflow(
    call: Call,
    path: VaultPath,
    variables: Properties = {},  # noqa: B006  # never changed
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> WorkflowOutcome:
    """Run a workflow as one change: all of its steps or none, undone together. Agents run only approved ones.

    With `dry_run`, which any agent may ask for, it shows its conditions, its changes and what they make of the counts.

    Args:
        path: The note of the workflow.
        variables: The values of its variables, by name.
        expect: Its expected effect, such as that of a dry run; any other is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        Forbidden: The user did not approve the workflow, or it was changed since; it waits for the user.
        Declined: The user declined that agents run it.
        InvalidArguments: The workflow cannot run, a variable does not fit, or a step cannot be done.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    found = await open_workflow(call, path)
    approved = (await approved_digests(call)).get(path)
    is_approved = approved == found.digest
    found.require_sound()
    if not (options.dry_run or is_approved or call.is_user):
        raise await refuse_run(call, found, changed=approved is not None)
    values = bind_variables(found.workflow, variables, partial(read_meaning, call))
    run = WorkflowRun(found.workflow, values, workflow_host(call))
    requests = [RunWorkflow(path=found.path or NO_PATH, run=run)]
    options = WriteOptions(options.dry_run, options.reason or found.workflow.description[:500] or None, options.confirm)
    try:
        # One at a time, so that other changes come in between.
        async with call.vault.part(WorkflowTurn):
            outcome = await execute_for_outcome(
                call,
                requests,
                options,
                operation="run_workflow",
                expect=expected_counts(expect),
                forecast=options.dry_run,
            )
    finally:
        run.budget.cancel()
    made = await describe_outcome(call, outcome, requests, dry_run=options.dry_run)
    return WorkflowOutcome(
        **asdict(made),
        workflow_digest=found.digest,
        approved=is_approved,
        conditions=tuple(ConditionOutcome(id_, run.conditions.get(id_)) for id_ in found.workflow.conditions),
        steps=tuple(run.steps),
        output=run.output,
        forecast=describe_forecast(outcome.planned.forecast),
    )


async def refuse_run(call: Call, found: ReadWorkflow, *, changed: bool) -> BridgeError:
    """Have the workflow wait for the user, unless the user declined it."""
    if await asyncio.to_thread(call.vault.store.decisions.find_answer, found.decision) == "reject":
        return Declined(f"The user declined that agents run `{found.path}`.")
    await ask_user(call, found.decision)
    why = "was changed since the user approved it" if changed else "is not approved by the user"
    return Forbidden(
        f"The workflow `{found.path}` {why}.",
        hint="It waits for the user, who answers in Obsidian or by `vaultside decide`; show a dry run of it.",
        digest=found.digest,
    )


def outcome_view(outcome: WorkflowOutcome) -> Iterable[Element]:
    if not outcome.approved:
        yield notice(f"Not approved by the user; its digest is {outcome.workflow_digest[:SHORT_DIGEST]}.")
    main = [one for name in MAIN_COUNTS for one in outcome.forecast if one.name == name]
    yield from forecast_lines(main)
    holds = {True: "yes", False: "no", None: "not asked"}
    if outcome.conditions:
        yield Line("conditions: " + ", ".join(f"{one.id} {holds[one.holds]}" for one in outcome.conditions))
    for one in outcome.steps:
        yield Line(f"{one.id}: {_step(one)}", *((" · ", path_of(one.path)) if one.path else ()))
    if outcome.output:
        yield Line(inline(outcome.output))
    if rest := len(outcome.forecast) - len(main):
        yield notice(f"{count_of(rest, 'count')} of tags and properties differ as well.")
    yield from written_view(outcome)


def _step(one: StepOutcome) -> str:
    if one.state == "skipped":
        return f"{one.do} skipped"
    found = "" if one.found is None else f", {one.found:,} found"
    times = f" {one.turns:,} times" if one.turns > 1 else ""
    return f"{one.do}{times}{found}"
