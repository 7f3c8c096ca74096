"""What was recalled: from one vault, or from a vault and the global one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from bridge.api.call import Call
from bridge.api.global_vault import is_copy_of_any
from bridge.features.memory.results import ListedMemory, RecalledMemory, SessionLine
from bridge.notebook.promotion import OWN_VAULT_BONUS
from bridge.records import dataclass
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.types import SearchMode, VaultPath

Listed = TypeVar("Listed", bound=ListedMemory)

MOST_STANDING: Final = 20
"""Memories that are returned whatever is asked."""


@dataclass(frozen=True, slots=True)
class RecalledMemories:
    """What is remembered.

    Attributes:
        memories: What fits the question, best first; empty if nothing does.
        standing: Pinned memories, and preferences, instructions and personas that hold everywhere in the scope.
        questions: Open questions of the scope.
        mode_used: The mode used; `keyword` without a model.
        notices: Remarks.
        sessions: Decisions, outcomes and open questions of earlier sessions that fit the question, best first.
    """

    memories: tuple[RecalledMemory, ...]
    standing: tuple[ListedMemory, ...]
    questions: tuple[ListedMemory, ...]
    mode_used: SearchMode
    notices: tuple[str, ...] = ()
    sessions: tuple[SessionLine, ...] = ()


def brought_in(answer: RecalledMemories) -> Iterable[InjectedNote]:
    """Yield what an answer brings into a session; the reasons say no word of the question or of a memory."""
    parts: tuple[tuple[str, Sequence[ListedMemory | SessionLine]], ...] = (
        ("fits the question", answer.memories),
        ("always holds", answer.standing),
        ("is an open question", answer.questions),
        ("an earlier session said it", answer.sessions),
    )
    return (InjectedNote(one.path, (why,), estimate_tokens(one.text)) for why, listed in parts for one in listed)


def name_vault(answer: RecalledMemories, call: Call) -> RecalledMemories:
    def name(memories: Sequence[Listed]) -> tuple[Listed, ...]:
        return tuple(replace(memory, vault=call.host.name) for memory in memories)

    named = _map_parts(answer, name(answer.memories), name(answer.standing), name(answer.questions))
    return replace(named, sessions=tuple(replace(line, vault=call.host.name) for line in answer.sessions))


def leave_out_copies(call: Call, other: Call, own: RecalledMemories, shared: RecalledMemories) -> RecalledMemories:
    """Return the answer of the global vault without the copies of memories in that of the caller's vault."""
    originals = paths_of(own)

    def keep(memories: Sequence[Listed]) -> tuple[Listed, ...]:
        return tuple(one for one in memories if not is_copy_of_any(call, other, one.path, originals))

    return _map_parts(shared, keep(shared.memories), keep(shared.standing), keep(shared.questions))


def join_memories(own: RecalledMemories, shared: RecalledMemories, vault: str, limit: int) -> RecalledMemories:
    """Return the answers of the caller's vault and of the global one as one, best memories first."""

    def rank(memory: RecalledMemory) -> float:
        return -(memory.score + OWN_VAULT_BONUS * (memory.vault == vault))

    return RecalledMemories(
        tuple(sorted((*own.memories, *shared.memories), key=rank)[:limit]),
        (*own.standing, *shared.standing)[:MOST_STANDING],
        (*own.questions, *shared.questions)[:MOST_STANDING],
        "hybrid" if "hybrid" in {own.mode_used, shared.mode_used} else "keyword",
        own.notices,
        own.sessions,
    )


def of_vault(answer: RecalledMemories, vault: str) -> RecalledMemories:
    def keep(memories: Sequence[Listed]) -> tuple[Listed, ...]:
        return tuple(memory for memory in memories if memory.vault == vault)

    kept = _map_parts(answer, keep(answer.memories), keep(answer.standing), keep(answer.questions))
    return replace(kept, sessions=tuple(line for line in answer.sessions if line.vault == vault))


def paths_of(answer: RecalledMemories) -> list[VaultPath]:
    return [memory.path for part in (answer.memories, answer.standing, answer.questions) for memory in part]


def _map_parts(
    answer: RecalledMemories,
    memories: tuple[RecalledMemory, ...],
    standing: tuple[ListedMemory, ...],
    questions: tuple[ListedMemory, ...],
) -> RecalledMemories:
    return replace(answer, memories=memories, standing=standing, questions=questions)
