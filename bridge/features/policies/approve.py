"""Approving policies; only the user does."""

import asyncio

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.errors import Forbidden, NoteChanged
from bridge.features.policies.read import open_policy
from bridge.policies.trust import ApprovedPolicies
from bridge.records import dataclass
from bridge.types import Digest, VaultPath, is_same_digest


@dataclass(frozen=True, slots=True)
class PolicyApproval:
    """Whether a policy is approved now.

    Attributes:
        path: Its note.
        digest: The digest of its block.
        approved: Whether agents may run it.
    """

    path: VaultPath
    digest: Digest
    approved: bool


@operation(
    example={"path": "Agents/Policies/Meeting note.md", "digest": "ff91cd3a9b84"},
    reads=False,
    scope="write",
    idempotent=True,
    tool=False,
)
async def approve_policy(call: Call, path: VaultPath, digest: Digest, withdraw: bool = False) -> PolicyApproval:
    """Approve a policy as it is, so that agents may run it; after any edit of its block it must be approved again.

    Args:
        path: The note of the policy.
        digest: The digest of its block that you have seen, from `list_policies` or a dry run.
        withdraw: Approve it no more.

    Raises:
        Forbidden: The caller is an agent.
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: The block is another by now.
        InvalidArguments: The policy cannot run.
    """
    if not is_user(call):
        raise Forbidden(
            f"`{call.principal.name}` may not approve policies.",
            hint="Only the user may, in Obsidian or by `vault-bridge approve-policy`.",
        )
    found = await open_policy(call, path)
    if not is_same_digest(found.digest, digest):
        raise NoteChanged(
            f"The policy in `{path}` is not the one that you have seen.",
            hint="Look at a dry run again, and approve the digest that it says.",
            path=path,
            expected=digest,
            found=found.digest,
        )
    approved = ApprovedPolicies(call.vault.store.database)
    if withdraw:
        await asyncio.to_thread(approved.remove, path)
    else:
        found.require_sound()
        await asyncio.to_thread(approved.add, path, found.digest)
    return PolicyApproval(path, found.digest, not withdraw)
