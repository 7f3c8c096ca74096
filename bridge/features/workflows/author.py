"""Writes workflows: from changes that were made, from a starter or a text."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.agreement import agreement_notice, ask_user, open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.characters import require_writable_text
from bridge.api.registry import operation
from bridge.api.vault_notes import snapshot
from bridge.api.write import WriteArguments, Written, execute_requests, snapshot_fetcher
from bridge.bases.values import text_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.errors import InvalidArguments
from bridge.features.workflows.block import workflow_note, workflow_yaml
from bridge.features.workflows.examine import WorkflowYaml
from bridge.features.workflows.examples import DraftedSteps, Example, draft_steps
from bridge.features.workflows.model import Problem
from bridge.features.workflows.parse import starter_text
from bridge.features.workflows.read import read_text
from bridge.markdown.note import Value
from bridge.text.secrets import require_plain
from bridge.types import Digest, VaultPath
from bridge.vault.paths import file_name_for

ChangeIds = Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(max_length=20)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class WrittenWorkflow(Written, kw_only=True):
    """A workflow that was written.

    Attributes:
        workflow_digest: The digest of its block; until the user approves it, no agent runs it.
        problems: Its faults and remarks, each with its line in the block.
        left_out: What of the changes it does not repeat.
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
        "turn what was just done into a workflow",
        "draft a workflow from changes",
        "start with a ready-made workflow",
        "roll unfinished tasks over to today",
        "write a weekly review",
        "archive projects that are done",
    ),
)
async def author_workflow(
    call: Call,
    name: Name,
    description: Annotated[str, Meta(max_length=2_000)] = "",
    changes: ChangeIds = (),
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
        changes: Changes of one kind that were made, of which it is drafted: what differs becomes variables.
        starter: A workflow that comes with the bridge, such as `daily-roll-over` or `weekly-review`; `list_workflows`
            lists them.
        text: Its YAML. Give one of `changes`, `starter` and `text`.

    Raises:
        ChangeNotFound: No such change.
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: The changes are not alike, or cannot be repeated, or the text holds a secret.
    """
    vault = call.vault
    vault.require_keyword()
    if [bool(changes), starter is not None, text is not None].count(True) != 1:
        raise InvalidArguments("Give one of `changes`, `starter` and `text`.")
    require_plain(name=name, description=description)
    left_out: Sequence[str] = ()
    if changes:
        drafted = await asyncio.to_thread(draft_from_changes, call, changes)
        block, left_out = drafted_yaml(description or name, drafted), drafted.remarks
    else:
        block = starter_text(starter) if starter is not None else text or ""
    require_writable_text("text", block)
    require_plain(text=block)
    found = read_text(vault.files, block)
    begins, (folder, agreed) = not vault.is_set_up, open_folder(call, options)
    stem = file_name_for(
        name, lambda one: vault.files.has(VaultPath(f"{folder.workflows}/{one}.md")), default="Workflow"
    )
    path = VaultPath(f"{folder.workflows}/{stem}.md")
    note = workflow_note(stem, description or found.workflow.description, block, remarks=left_out)
    requests: list[Request] = set_up_requests(call, folder)
    requests.append(CreateNote(path=path, text=note))
    made = await execute_requests(call, requests, options, operation="author_workflow", agreed=agreed)
    if made.state == "applied" and not (options.dry_run or found.faults):
        await ask_user(call, replace(found, path=path).decision)
    written = describe_written(call, made, block, left_out)
    if begins and made.state == "applied":
        written = replace(written, warnings=(agreement_notice(folder), *written.warnings))
    return written


def draft_from_changes(call: Call, ids: Sequence[str]) -> DraftedSteps:
    """Return the steps that changes have in common; blocks."""
    found = [call.vault.review.change(id_) for id_ in ids]
    examples = [Example(one.steps, datetime.fromtimestamp(one.time).astimezone().date()) for one in found]
    return draft_steps(examples, snapshot_fetcher(call.vault))


def drafted_yaml(description: str, drafted: DraftedSteps) -> str:
    variables: dict[str, Mapping[str, Value]] = {
        name: {
            "type": one.kind,
            **({} if one.required else {"required": False}),
            "description": f"Such as {text_of(one.sample)[:80]}",
        }
        for name, one in drafted.variables.items()
    }
    steps: list[Mapping[str, Value]] = []
    for number, step in enumerate(drafted.steps, 1):
        facts = {name: value for name, value in step.items() if name != "op"}
        steps.append({"id": f"step_{number}", "do": step["op"], **facts})
    return workflow_yaml(description, variables, steps)


def describe_written(call: Call, made: Written, block: str, left_out: Sequence[str] = ()) -> WrittenWorkflow:
    found = read_text(call.vault.files, block, snapshot(call.vault))
    return WrittenWorkflow(
        **{name: getattr(made, name) for name in Written.__struct_fields__},
        workflow_digest=found.digest,
        problems=found.problems,
        left_out=tuple(left_out),
    )
