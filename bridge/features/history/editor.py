"""Making changes through Obsidian: the side of the bridge; `docs/plugin-protocol.md` has the whole."""

from contextlib import AbstractContextManager
from typing import Literal

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import is_proposer
from bridge.errors import Forbidden
from bridge.features.history.operations import ChangeId
from bridge.features.history.records import State
from bridge.records import Record
from bridge.types import Digest, Exact, VaultPath


def editor_session(call: Call) -> AbstractContextManager[None]:
    """Count the caller as a program that makes changes of its vault, until the block is left."""
    require_editor(call)
    return call.host.editor_sessions.connect_editor()


def require_editor(call: Call) -> None:
    """Let only those make changes of others who may change notes at once: who takes one can hold it up."""
    # Loaded at the top, this would put the operations that it needs before all others.

    call.principal.require("write")
    if is_proposer(call):
        raise Forbidden(
            f"`{call.principal.name}` may not do this.",
            hint="Use the token of the runtime file, or name the client in the setting `apply_clients`.",
        )


class ClaimedChange(Record):
    """A change that only the caller may now make.

    Attributes:
        change_id: Its id.
        path: The note.
        before: Required SHA-256 of the whole file.
        after: SHA-256 of the whole file afterwards.
        text: Whole text of the note afterwards.
    """

    change_id: str
    path: VaultPath
    before: Digest
    after: Digest
    text: Exact


class Acknowledged(Record):
    """The outcome of a claimed change.

    Attributes:
        change_id: Its id.
        state: `applied`; `rejected` if not made, or `proposed` if it awaits approval again; `conflict` if the note
            differs and was not reported as not made.
    """

    change_id: str
    state: State


@operation(example={"change_id": "0"}, reads=False, scope="write", tool=False)
async def claim_change(call: Call, change_id: ChangeId) -> ClaimedChange:
    """Claim a change from an `apply_change` event, to make it in Obsidian; the first claim within a second wins.

    Args:
        change_id: Its id.

    Raises:
        Forbidden: The caller may not apply changes.
        ChangeNotFound: It is no longer offered.
        ChangeConflict: It is already claimed, or too late.
    """
    require_editor(call)
    offer = await call.host.editor_sessions.claim(change_id)
    (step,) = offer.change.steps
    if step.before is None or step.after is None:
        raise AssertionError(step)
    return ClaimedChange(change_id, step.path, step.before, step.after, offer.text)


@operation(
    example={"change_id": "0", "applied": False, "reason": "unsaved"},
    reads=False,
    scope="write",
    idempotent=True,
    tool=False,
)
async def acknowledge_change(
    call: Call, change_id: ChangeId, applied: bool, reason: Literal["unsaved", "changed", "failed"] | None = None
) -> Acknowledged:
    """Report whether a claimed change was made, at any later time. The file on disk decides.

    Args:
        change_id: Its id.
        applied: Whether it was made.
        reason: Why not: `unsaved` edits in Obsidian, `changed` from `before`, or `failed`.

    Raises:
        Forbidden: The caller may not apply changes.
        ChangeNotFound: No such change.
        ChangeConflict: It is not claimed.
    """
    require_editor(call)
    refused = None if applied else reason or "failed"
    state = await call.vault.review.acknowledge(change_id, refused)
    return Acknowledged(change_id, "conflict" if state == "prepared" else state)
