"""Handing work over to a later session."""

import asyncio
from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, session_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.engine.agents_folder import AgentsFolder
from bridge.errors import InvalidArguments
from bridge.features.handoffs.handoff_note import (
    Handoff,
    Proof,
    ProvenClaim,
    VaultEvidence,
    check_proof,
    find_gap,
    handoff_name,
    handoff_properties,
    write_handoff,
)
from bridge.records import Record
from bridge.text.secrets import require_plain
from bridge.types import VaultPath
from bridge.vault.paths import file_name_for

Text = Annotated[str, Meta(max_length=5_000)]
Items = Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=50)]


HINT: Final = (
    "Correct the claims or their proofs, or leave the claims out. A quote must say something of its claim. What is not"
    " so is shown by a property whose `value` is null, or by the `digest` of a note that lacks it."
)


class Claim(Record):
    """Something that the next session may rely on.

    Attributes:
        text: The claim, in one sentence.
        proof: What shows it, checked now and when it is read: `{path, quote}`, `{path, heading}`, `{path, property,
            value}`, `{task: "path:line text", status}`, `{link: "path → path"}`, `{change_id, state}`.
    """

    text: Annotated[str, Meta(max_length=1_000)]
    proof: Proof | None = None


@operation(
    example={
        "goal": "Describe every starter",
        "state": "Levain is done.",
        "next_action": "Write about the rye starter.",
        "claims": [
            {
                "text": "The levain note has a feeding section",
                "proof": {"path": "Bread/Starters/Sourdough starter.md", "heading": "Feeding"},
            }
        ],
        "dry_run": True,
    },
    reads=False,
    scope="write",
    tasks=(
        "hand work over to the next session",
        "leave a handoff for another agent",
        "write down where things stand for whoever continues",
        "pass an unfinished job on",
        "give the next agent what it needs to go on",
    ),
)
async def hand_over(
    call: Call,
    goal: Text,
    state: Text,
    next_action: Text,
    constraints: Items = (),
    unknowns: Items = (),
    artifacts: Items = (),
    stop_conditions: Items = (),
    claims: Annotated[tuple[Claim, ...], Meta(max_length=50)] = (),
    to: Annotated[str, Meta(max_length=100)] | None = None,
    *,
    options: WriteArguments,
) -> Written:
    """Hand work over to a later session, as a note in the agents' folder whose claims are checked.

    Args:
        goal: What is to be reached.
        state: How far it is.
        next_action: What to do first.
        constraints: What must not be done or changed.
        unknowns: What is not known yet.
        artifacts: Notes and files that matter, as links or paths.
        stop_conditions: When to stop and ask.
        claims: What can be relied on, each with a proof of it; a false one is refused.
        to: The client that should take over; any by default.

    Raises:
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: A claim is not true, or its quote or heading shows nothing of it; the message says what is.
    """
    handoff = Handoff(
        goal,
        state,
        next_action,
        constraints,
        unknowns,
        artifacts,
        stop_conditions,
        tuple(ProvenClaim(one.text, one.proof) for one in claims),
    )
    require_sound(handoff)
    folder, agreed = open_folder(call, options)
    await asyncio.to_thread(require_true, call, handoff)
    now = datetime.now().astimezone()
    properties = handoff_properties(goal, now, client_name(call), session_of(call), to)
    path = new_path(call, folder, handoff_name(goal, now))
    requests: list[Request] = set_up_requests(call, folder)
    requests.append(CreateNote(path=path, text=write_handoff(handoff), properties=properties))
    return await execute_requests(call, requests, options, operation="hand_over", agreed=agreed)


def require_sound(handoff: Handoff) -> None:
    """Require that the texts are not empty, hold no secret and nothing that a reader does not see."""
    texts = {"goal": handoff.goal, "state": handoff.state, "next_action": handoff.next_action}
    for name, text in texts.items():
        if not text.strip():
            raise InvalidArguments(f"`{name}` is empty.")
    for name in ("constraints", "unknowns", "artifacts", "stop_conditions"):
        texts[name] = "\n".join(getattr(handoff, name))
    texts["claims"] = "\n".join(one.text for one in handoff.claims)
    require_plain(**texts)


def require_true(call: Call, handoff: Handoff) -> None:
    """Require that each proof holds, and may show its claim; blocks."""
    facts = VaultEvidence(call)
    refused: dict[int, str] = {}
    for number, claim in enumerate(handoff.claims, start=1):
        verdict = check_proof(claim.proof, facts)
        if verdict.outcome in {"changed", "gone"}:
            refused[number] = f"is not true: {verdict.why}"
        elif (gap := find_gap(claim.text, claim.proof)) is not None:
            refused[number] = f"is not proved: {gap}"
    if refused:
        raise InvalidArguments(
            " ".join(
                f"Claim {number}, “{handoff.claims[number - 1].text[:200]}”, {why}." for number, why in refused.items()
            ),
            hint=HINT,
            claims=[*refused],
        )


def new_path(call: Call, folder: AgentsFolder, title: str) -> VaultPath:
    files = call.vault.files
    name = file_name_for(title, lambda one: files.has(VaultPath(f"{folder.handoffs}/{one}.md")), default="Handoff")
    return VaultPath(f"{folder.handoffs}/{name}.md")
