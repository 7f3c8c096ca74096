"""Forgetting memories, and judging them."""

import asyncio
from collections.abc import Mapping

from bridge.api.call import Call
from bridge.api.encode import to_json
from bridge.api.registry import OPERATIONS, get_operation, operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import SetProperties
from bridge.changes.requests.move_note import DeleteNote
from bridge.features.memory.access import find_memory, open_catalogue, read_body
from bridge.features.memory.remember import written_fields
from bridge.notebook.use_log import NO_USE, UseLog, Verdict
from bridge.records import dataclass
from bridge.text.sentence import sentence_at
from bridge.types import VaultPath

CHECKS: Mapping[str, tuple[str, Mapping[str, bool]]] = {
    "recall": ("query", {"everywhere": False}),
    "brief": ("task", {"everywhere": False}),
    "search": ("query", {}),
}
"""What is asked for a forgotten memory: the argument that takes the question, and others."""


@dataclass(frozen=True, slots=True)
class ForgottenCheck:
    """Which operations still find a memory by its title and first sentence.

    Attributes:
        recall: Whether `recall` does.
        brief: Whether `brief` does.
        search: Whether `search` does.
    """

    recall: bool = False
    brief: bool = False
    search: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenMemory(Written):
    """A memory that was forgotten.

    Attributes:
        verified: Which operations still find it; null if nothing was written.
    """

    verified: ForgottenCheck | None = None


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """The verdicts on a memory.

    Attributes:
        path: The memory.
        useful: How often it was called useful.
        wrong: How often it was called wrong.
        stale: How often it was called stale.
        doubted: Whether it is left out of `brief` until it is revised.
    """

    path: VaultPath
    useful: int
    wrong: int
    stale: int
    doubted: bool


@operation(
    example={"path": "Agents/Memory/Rye.md", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("forget a memory", "remove something from memory", "stop recalling this", "archive a memory"),
)
async def forget_memory(
    call: Call, path: VaultPath, *, erase: bool = False, options: WriteArguments
) -> ForgottenMemory:
    """Archive a memory, so that it is not recalled any more; its note stays.

    Args:
        path: The memory.
        erase: Delete the note instead, as the user only may.

    Raises:
        NoteNotFound: No such memory.
        Forbidden: An agent asks to erase it.
    """
    catalogue = await open_catalogue(call)
    memory = find_memory(call, catalogue, path)
    if erase:
        call.principal.require("admin")
    note = call.vault.index.notes[memory.path]
    body = await asyncio.to_thread(read_body, call, memory.path)
    request: Request = SetProperties(path=memory.path, properties={"tier": "archived"})
    if erase:
        request = DeleteNote(path=memory.path, digest=note.digest)
    made = await execute_requests(call, [request], options, operation="forget_memory")
    done = made.state == "applied" and not made.dry_run
    question = f"{memory.title} {sentence_at(body, (0, 0))}".strip()[:1_000]
    verified = await verify_forgotten(call, memory.path, question) if done else None
    return ForgottenMemory(**written_fields(made), verified=verified)


async def verify_forgotten(call: Call, path: VaultPath, question: str) -> ForgottenCheck:
    found = {}
    for name, (argument, others) in CHECKS.items():
        if name in OPERATIONS:
            answer = await get_operation(name).run(call, {argument: question, **others})
            found[name] = path in paths_in(to_json(answer))
    return ForgottenCheck(**found)


def paths_in(answer: object) -> set[object]:
    match answer:
        case dict():
            return {answer.get("path")}.union(*map(paths_in, answer.values()))
        case list():
            return set[object]().union(*map(paths_in, answer))
        case _:
            return set()


@operation(
    example={"path": "Agents/Memory/Rye.md", "verdict": "useful"},
    reads=False,
    scope="write",
    tasks=("say whether a memory was useful, wrong or stale", "this memory was helpful"),
)
async def judge_memory(call: Call, path: VaultPath, verdict: Verdict) -> JudgedMemory:
    """Say whether a memory was useful, wrong or stale; a doubted one is left out of `brief`.

    Args:
        path: The memory.
        verdict: The verdict.

    Raises:
        NoteNotFound: No such memory.
    """
    catalogue = await open_catalogue(call)
    memory = find_memory(call, catalogue, path)

    def judge() -> JudgedMemory:
        log = UseLog(call.vault.store.database)
        log.judge(memory.path, verdict)
        use = log.of([memory.path]).get(memory.path, NO_USE)
        return JudgedMemory(memory.path, use.useful, use.wrong, use.stale, use.is_doubted)

    return await asyncio.to_thread(judge)
