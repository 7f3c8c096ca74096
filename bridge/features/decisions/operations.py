"""Lists what waits for the user and what the user decided, and takes the user's answers."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict

from bridge.api.agreement import keep_answer
from bridge.api.call import Call
from bridge.api.markup import Element, Line, Segment, notice
from bridge.api.moments import iso
from bridge.api.registry import operation
from bridge.api.write import author
from bridge.engine.agents_folder import agents_folder
from bridge.engine.transactions import ChangeOutcome
from bridge.errors import BridgeError, ChangeNotFound, Forbidden, InvalidArguments
from bridge.events import DecisionsChanged
from bridge.features.external_tools.public import ServerPool
from bridge.features.history.public import (
    Hunks,
    ListedChange,
    ListedChanges,
    Settled,
    build_settled,
    change_list_view,
    settled_view,
    summarize_change,
)
from bridge.features.workflows.public import find_digests, open_seen_workflow
from bridge.records import Record
from bridge.state.change_records import ChangeFilter
from bridge.state.decisions import Decision
from bridge.text.invisible import inline
from bridge.types import Digest, VaultPath, is_same_digest

FOLDER_MARK = "folder"
"""Stands in the id of the agents' folder for a digest."""


class ListedDecision(Record):
    """Something that agents may do if the user agrees.

    Attributes:
        id: Its id: what it is about, and the digest of what may be done.
        kind: Whether it is about a `workflow`, a call of a `server` of the user's list, or the agents' `folder`.
        subject: The note of the workflow, the name of the server, or the folder.
        would: What agents would do, or may do.
        client: The program that asked last; null if none did.
        asked: When it did.
        expires: Until when it waits, or until when the agreement to one call holds; null if it has no end.
        answer: What the user answered; null while it waits.
        answered: When.
        by: The program in which the user answered.
    """

    id: str
    kind: Literal["workflow", "server", "folder"]
    subject: str
    would: str
    client: str | None = None
    asked: str | None = None
    expires: str | None = None
    answer: Literal["accept", "reject"] | None = None
    answered: str | None = None
    by: str | None = None


class ListedDecisions(Record):
    """What waits for the user, and what was decided.

    Attributes:
        proposals: Proposed changes that wait, newest first.
        waiting: What else agents asked for; only the user sees it, as all that follows.
        answers: What the user answered, which holds until the user answers otherwise.
        rights: What else agents may do without asking, by the settings.
    """

    proposals: tuple[ListedChange, ...]
    waiting: tuple[ListedDecision, ...]
    answers: tuple[ListedDecision, ...]
    rights: tuple[str, ...]


@operation(example={"limit": 5}, tool=False)
async def list_decisions(call: Call, limit: Annotated[int, Meta(ge=1, le=200)] = 50) -> ListedDecisions:
    """List what waits for the user, and what agents may do without asking.

    Args:
        limit: Maximum entries of each list.
    """
    await call.vault.review.expire()
    rights = await list_rights(call)

    def listing() -> ListedDecisions:
        found = call.vault.review.changes(ChangeFilter(state="proposed"), limit, 0)
        proposals = tuple(summarize_change(call.vault, change, cut=True) for change in found)
        if not call.is_user:
            return ListedDecisions(proposals, (), (), ())
        known, current = call.vault.store.decisions.all(), dict(find_digests(call.vault))
        answers = [describe_decision(one) for one in known if one.answer and is_current(one, current)]
        if call.vault.is_set_up:
            answers.append(describe_folder(call, "accept"))
        return ListedDecisions(proposals, find_waiting(known, current)[:limit], tuple(answers[:limit]), rights)

    return await asyncio.to_thread(listing)


def is_current(one: Decision, digests: Mapping[VaultPath, Digest]) -> bool:
    """Return whether what is decided is still there, if it is a workflow, and as it was."""
    return not one.path or one.digest == digests.get(one.path)


def find_waiting(known: Sequence[Decision], current: Mapping[VaultPath, Digest]) -> tuple[ListedDecision, ...]:
    """Return what waits: also workflows that nobody asked for, each as it is now."""
    approved = {one.path for one in known if one.kind == "workflow" and one.answer == "accept"}
    keys = {one.key for one in known}
    unasked = [Decision("workflow", path, digest=digest) for path, digest in sorted(current.items())]
    waiting = [one for one in known if not one.answer and is_current(one, current)]
    waiting += [one for one in unasked if one.key not in keys]
    return tuple(describe_decision(one, changed=one.path in approved) for one in waiting)


def describe_decision(one: Decision, *, changed: bool = False) -> ListedDecision:
    extent = ", which was changed since you agreed" if changed else ""
    return ListedDecision(
        one.id,
        one.kind,
        one.subject,
        one.would or (f"run the workflow `{one.path}`{extent}" if one.path else f"call the server `{one.name}`"),
        one.client,
        iso(one.asked) if one.asked else None,
        iso(one.expires) if one.expires else None,
        one.answer or None,
        iso(one.answered) if one.answered else None,
        one.by,
    )


def describe_folder(call: Call, answer: Literal["accept", "reject"]) -> ListedDecision:
    path = agents_folder(call.vault.settings).path
    would = f"write in the folder `{path}` at once"
    return ListedDecision(f"{path}@{FOLDER_MARK}", "folder", path, would, answer=answer)


async def list_rights(call: Call) -> tuple[str, ...]:
    """Return what agents may do without asking by the settings, in sentences."""
    settings = call.vault.settings
    rights = [f"`{name}` changes notes at once (`apply_clients`)." for name in settings.apply_clients]
    if settings.agents_confirm:
        rights.append("Agents confirm what you would be asked for themselves (`agents_confirm`).")
    with suppress(BridgeError):
        servers = (await call.bridge.part(ServerPool).servers()).values()
        free = [server.name for server in servers if server.enabled and server.confirm == "never"]
        rights += [f"Agents call the server `{name}` (`confirm` in `servers.toml`)." for name in free]
    return tuple(rights)


class DecisionOutcome(Settled, kw_only=True):
    """The outcome of an answer.

    Attributes:
        decision: What was decided; null if it was a proposed change.
    """

    decision: ListedDecision | None = None


@operation(
    example={"id": "0", "verdict": "accept"}, reads=False, scope="write", destructive=True, idempotent=True, tool=False
)
async def decide(
    call: Call,
    id: Annotated[str, Meta(max_length=2_000)],  # noqa: A002
    verdict: Literal["accept", "reject"],
    hunks: Hunks | None = None,
) -> DecisionOutcome:
    """Answer what waits for the user, or answer it otherwise than before; only the user can.

    Agents may do what was accepted until it is rejected, or until it is something else, and do not ask again for what
    was rejected.

    Args:
        id: Its id, from `list_decisions`, or of a proposed change; `PATH@DIGEST` for any workflow.
        verdict: `accept` applies a proposed change, or one that was rejected here; `reject` also takes an agreement
            back, and settles a `conflict`.
        hunks: Accept only these hunks of a change, numbered as in `show_change`; the rest are rejected.

    Raises:
        Forbidden: The caller is an agent.
        ChangeNotFound: No such change, and nobody asked for it.
        ChangeConflict: It is no longer pending, or the same lines have changed since.
        NoteNotFound: No such note of a workflow; the message names the closest.
        NoteChanged: The workflow is another by now.
    """
    if not call.is_user:
        hint = "Only the user may, in Obsidian or by `vaultside decide`."
        raise Forbidden(f"`{call.principal.name}` may not do this.", hint=hint)
    subject, parted, digest = id.rpartition("@")
    if not parted:
        return await judge_change(call, id, verdict, hunks)
    if hunks is not None:
        raise InvalidArguments("Only a proposed change has `hunks`.")
    if id == describe_folder(call, verdict).id:
        return await withdraw_folder(call, verdict)
    decision = await find_decision(call, subject, Digest(digest), accepts=verdict == "accept")
    return outcome_of(describe_decision(await keep_answer(call, decision, verdict)))


async def judge_change(
    call: Call, id_: str, verdict: Literal["accept", "reject"], hunks: tuple[int, ...] | None
) -> DecisionOutcome:
    made: ChangeOutcome | None = None
    if verdict == "accept":
        made = await call.vault.review.accept(id_, author(call, "accept_change", None), hunks)
    else:
        await call.vault.review.reject(id_, by_user=True)
    return DecisionOutcome(**asdict(await build_settled(call.vault, [id_], made)))


async def withdraw_folder(call: Call, verdict: Literal["accept", "reject"]) -> DecisionOutcome:
    if verdict == "accept":
        raise InvalidArguments("The agents' folder is not agreed to here.", hint="Set it up by `set_up_memory`.")
    await asyncio.to_thread(call.vault.folder_agreement.withdraw)
    call.bridge.events.publish(DecisionsChanged(), call.host.id)
    return outcome_of(describe_folder(call, verdict))


async def find_decision(call: Call, subject: str, digest: Digest, *, accepts: bool) -> Decision:
    """Return what is to be decided; a workflow that is to be accepted must be as the user has seen it."""
    known = await asyncio.to_thread(call.vault.store.decisions.all)
    matches = [one for one in known if one.subject == subject and is_same_digest(one.digest, digest)]
    if len(matches) > 1:
        raise InvalidArguments("Several decisions have ids that begin so.", hint="Give the whole id.")
    found = matches[0] if matches else None
    is_workflow = found.kind == "workflow" if found is not None else subject.lower().endswith(".md")
    if is_workflow and (accepts or found is None):
        workflow = await open_seen_workflow(call, VaultPath(subject), digest)
        if accepts:
            workflow.require_sound()
        return workflow.decision
    if found is None:
        raise ChangeNotFound(f"Nobody asked for `{inline(subject)[:100]}`.", hint="`list_decisions` lists what waits.")
    return found


def outcome_of(decision: ListedDecision) -> DecisionOutcome:
    return DecisionOutcome((), None, "", "applied", (), dry_run=False, decision=decision)


def decision_list_view(listed: ListedDecisions) -> Iterable[Element]:
    yield notice(f"waits for you: {len(listed.proposals) + len(listed.waiting)}")
    if listed.proposals:
        yield from change_list_view(ListedChanges(listed.proposals))
    yield from map(describe_line, (*listed.waiting, *listed.answers))
    yield from map(notice, listed.rights)


def decision_outcome_view(outcome: DecisionOutcome) -> Iterable[Element]:
    if decision := outcome.decision:
        yield describe_line(decision)
    else:
        yield from settled_view(outcome)


def describe_line(one: ListedDecision) -> Line:
    state = {"accept": "accepted", "reject": "rejected"}.get(one.answer or "", "waits")
    by = f" · asked by {inline(one.client)} {one.asked[:16]}" if one.asked and one.client else ""
    return Line(Segment(inline(one.id), "title"), f" · {state}{by} · {inline(one.would)}")
