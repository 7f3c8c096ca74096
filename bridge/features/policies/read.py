"""Reads a policy for an operation: from its note, or from a text."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bridge.api.call import Call
from bridge.api.not_found import no_such_note, unknown_properties
from bridge.api.vault_notes import snapshot
from bridge.errors import InvalidArguments, NoteNotFound, ProtectedPath
from bridge.features.policies.bindings import bind_sample
from bridge.policies.block import TYPE, PolicyBlock, block_digest, find_block
from bridge.policies.model import Policy, Problem
from bridge.policies.trust import Approvals, ApprovedPolicies
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.engine.open_vault import OpenVault
    from bridge.index.note import Notes
    from bridge.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class ReadPolicy:
    """A policy as it was read."""

    path: VaultPath | None
    text: str
    digest: Digest
    policy: Policy
    problems: tuple[Problem, ...]

    @property
    def faults(self) -> tuple[Problem, ...]:
        """The problems with which it cannot run."""
        return tuple(one for one in self.problems if one.serious)

    def require_sound(self) -> None:
        """Require that it can run.

        Raises:
            InvalidArguments: It cannot; the message names the first fault and its line.
        """
        if faults := self.faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise InvalidArguments(
                f"The policy cannot run: line {faults[0].line}: {faults[0].message}{more}",
                hint="`list_policies` with this `path` lists every fault; correct them first.",
            )


async def open_policy(call: Call, path: VaultPath) -> ReadPolicy:
    """Read and check a policy.

    Raises:
        NoteNotFound: There is no such note.
        InvalidArguments: The note is no policy.
    """
    call.vault.require_keyword()
    return await asyncio.to_thread(read_note, call.vault, path)


def read_note(vault: "OpenVault", path: VaultPath) -> ReadPolicy:
    """Read and check the policy of a note; blocks."""
    block = block_of(path, note_text(vault, path))
    found = read_text(vault.files, block.text, snapshot(vault))
    return replace(found, path=path, problems=tuple(replace(one, line=one.line + block.line) for one in found.problems))


def note_text(vault: "OpenVault", path: VaultPath) -> str:
    """Return the text of a note.

    Raises:
        NoteNotFound: There is no such note.
    """
    try:
        data, _ = vault.files.read(path)
    except (NoteNotFound, ProtectedPath):
        raise no_such_note(vault, path) from None
    return data.decode("utf-8", "surrogateescape")


def block_of(path: VaultPath, text: str) -> PolicyBlock:
    """Return the block of a policy's note.

    Raises:
        InvalidArguments: The note is no policy.
    """
    from bridge.markdown.note import type_of
    from bridge.markdown.parse import parse

    readable = path.lower().endswith(".md")
    if not readable or type_of(parse(path, text.encode("utf-8", "surrogateescape")).properties) != TYPE:
        raise InvalidArguments(f"`{path}` is no policy.", hint=f"A policy's note has the property `type: {TYPE}`.")
    return find_block(text)


def read_text(files: "Vault", text: str, notes: "Notes | None" = None) -> ReadPolicy:
    """Read and check the YAML of a policy for a vault.

    Args:
        files: The files of the vault.
        text: The YAML.
        notes: Its notes; without them, properties that none has are not told.
    """
    from bridge.features.policies.paths import check_paths
    from bridge.policies.check import check_policy
    from bridge.policies.read import read_policy

    found = read_policy(text)
    policy = found.policy
    checked = (*check_policy(policy, bind_sample), *check_paths(policy, files)) if policy.steps else ()
    unknown = () if notes is None else _find_unknown(policy, notes)
    problems = dict.fromkeys((*found.problems, *checked, *unknown))
    ordered = sorted(problems, key=lambda one: (one.line, one.message))
    return ReadPolicy(None, text, block_digest(text), found.policy, tuple(ordered))


def _find_unknown(policy: Policy, notes: "Notes") -> Iterator[Problem]:
    """Remark the properties that conditions name and neither a note has nor a step sets."""
    from bridge.bases.evaluate import find_properties
    from bridge.bases.syntax import parse_expression

    own = {"variables", "steps", "item", "conditions"}
    for step in policy.steps:
        given = step.arguments.get("properties")
        own |= {fold_case(name) for name in given} if isinstance(given, Mapping) else set()
    named = [(one.line, one.node, one.arguments.get("property")) for one in policy.conditions.values()]
    for step in policy.steps:
        where = step.arguments.get("where") if step.reads else None
        with contextlib.suppress(InvalidArguments):  # said already
            named += [(step.lines["where"], parse_expression(where), None)] if isinstance(where, str) else []
    for line, node, tested in named:
        names = [] if node is None else [*find_properties([node])]
        names += [tested] if tested and "{{" not in tested else []
        for unknown in unknown_properties(notes, [name for name in names if fold_case(name) not in own]):
            yield Problem(line, unknown, serious=False)


async def approvals(call: Call) -> Approvals:
    """Return which policies the user approved."""
    return await asyncio.to_thread(ApprovedPolicies(call.vault.store.database).all)
