"""Making changes through Obsidian: the side of the bridge; `docs/plugin-protocol.md` has the whole."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.errors import Forbidden
from bridge.features.history.operations import ChangeId
from bridge.features.history.records import State
from bridge.types import Digest, VaultPath


def editor_session(call: Call) -> AbstractContextManager[None]:
    """Count the caller as a program that makes changes of its vault, until the block is left.

    Raises:
        Forbidden: It may not change notes at once.
        NoSuchVault: There is no such vault.
    """
    require_editor(call)
    return call.engine.editor_sessions.applying()


def require_editor(call: Call) -> None:
    """Let only those make changes of others who may change notes at once: who takes one can hold it up.

    Raises:
        Forbidden: The caller's own changes wait for the user.
    """
    # Loaded at the top, this would put the operations that it needs before all others.
    from bridge.api.write import is_proposer

    call.principal.require("write")
    if is_proposer(call):
        raise Forbidden(
            f"`{call.principal.name}` may not do this.",
            hint="Use the token of the runtime file, or name the client in the setting `apply_clients`.",
        )


@dataclass(frozen=True, slots=True)
class ClaimedChange:
    """A change that is the caller's to make, and nobody else's.

    Attributes:
        change_id: Its id.
        path: The note.
        before: SHA-256 of the whole file as it must be.
        after: The same afterwards.
        text: The whole text of the note afterwards.
    """

    change_id: str
    path: VaultPath
    before: Digest
    after: Digest
    text: str


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What became of a change that a program claimed.

    Attributes:
        change_id: Its id.
        state: `applied`; `rejected`, when it was not made, or `proposed`, when it waits for the user again; `conflict`,
            when the note is neither as the change makes it, nor does the program say that it did not make it.
    """

    change_id: str
    state: State


@operation(example={"change_id": "0"}, reads=False, scope="write", tool=False)
async def claim_change(call: Call, change_id: ChangeId) -> ClaimedChange:
    """Take a change that `apply_change` told of, to make it in Obsidian; the first who asks gets it, within a second.

    Args:
        change_id: Its id.

    Raises:
        Forbidden: The caller may not change notes at once.
        ChangeNotFound: It is not offered any more.
        ChangeConflict: Somebody has it, or it is too late.
    """
    require_editor(call)
    offer = await call.engine.editor_sessions.claim(change_id)
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
    """Say whether a change that was claimed was made; however late, it counts. The file on the disk has the last word.

    Args:
        change_id: Its id.
        applied: Whether it was made.
        reason: Why not: `unsaved`, the note has edits in Obsidian that are not saved; `changed`, it is not what
            `before` says; or `failed`.

    Raises:
        Forbidden: The caller may not change notes at once.
        ChangeNotFound: There is no such change.
        ChangeConflict: It was not claimed.
    """
    require_editor(call)
    refused = None if applied else reason or "failed"
    state = await call.engine.review.acknowledge(change_id, refused)
    return Acknowledged(change_id, "conflict" if state == "prepared" else state)
