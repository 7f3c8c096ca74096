"""Examples of operations that change notes: each runs on the restored vault with the change that it refers to."""

import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from bridge.access.tokens import Tokens
from bridge.api.operation import Operation
from bridge.changes.requests.create_note import CreateNote
from bridge.engine.editor_handoff import Offer
from bridge.engine.transactions import Author
from bridge.errors import InvalidArguments
from bridge.features.workflows.parse import starter_text
from bridge.features.workflows.read import workflow_note
from bridge.markdown.decode import digest_of
from bridge.state.change_records import Change
from bridge.state.session_log import SessionEvent
from bridge.types import VaultPath
from bridge.vault.plan import Step
from tests.features.served import Served, readable

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"
NOTE = VaultPath("Made for an example.md")
MEMORIES = {"Agents/Memory/Rye.md", "Agents/Memory/Old.md", "Agents/Memory/New.md"}
"""Memories that examples refer to."""
BETWEEN_VAULTS = {
    "promote_note": "no_such_vault",
    "call_server": "server_not_found",
    "export_index": "folder_not_found",
    "import_index": "invalid_arguments",
    "publish": "folder_not_found",
    "retract": "folder_not_found",
}
"""Operations that need a second vault, a server, a file or a store, with the error of their example without one.

Their own tests call them in every way.
"""
LENT = ExitStack()
"""Keeps the offers of changes open."""


async def example_of(operation: Operation, served: Served) -> Mapping[str, Any]:
    """Return an operation's example, with the job or change that it refers to."""
    if operation.name == "job_status":
        job: Mapping[str, Any] = (await served.call("reindex")).json
        await served.settle(job["job_id"])
        return job
    if operation.name == "revoke_client":
        with suppress(InvalidArguments):
            Tokens(served.bridge.folders.tokens).create(operation.example["client"], ["read"])
    if operation.vault:
        await restore(served)
    if operation.name in PREPARED:
        return await PREPARED[operation.name](served, operation.example)
    await write_example(operation, served)
    path, by = operation.example.get("path", ()), operation.example.get("by")
    for memory in sorted(MEMORIES & {by, *([path] if isinstance(path, str) else path)}):
        await remembered(served, memory)
    if operation.name in {"claim_change", "acknowledge_change"}:
        return {**operation.example, "change_id": await offered(served, claimed=operation.name != "claim_change")}
    if "change_id" in operation.example:
        return {**operation.example, "change_id": await changed(served)}
    if "session" in operation.example:
        session = uuid4().hex
        await changed(served, session=session)
        served.bridge.find(None).store.sessions.record(SessionEvent(session, time.time(), client="example"))
        return {**operation.example, "session": session}
    return operation.example


async def handed_over(served: Served, example: Mapping[str, Any]) -> Mapping[str, Any]:
    """Write a handoff into the agents' folder."""
    host = served.bridge.find(None)
    file = host.root / example["path"]
    file.parent.mkdir(parents=True)
    file.write_text(
        "---\ntype: handoff\ncreated: 2026-11-20\n---\n## Goal\n\n> Describe every starter\n", encoding="utf-8"
    )
    await host.vault.indexer.look_at([""])
    return example


async def proposal(served: Served, example: Mapping[str, Any]) -> Mapping[str, Any]:
    """Have a change wait."""
    return {**example, "id": await changed(served, proposed=True)}


async def planned(served: Served, example: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a plan to tidy the restored vault."""
    await restore(served)
    plan = (await served.call("plan_tidy", checks=["missing_links"], skip_checked=False, limit=3)).json
    await served.call("wait_until_indexed", path=plan["path"])
    return {**example, "path": plan["path"]}


async def write_example(operation: Operation, served: Served) -> None:
    """Write the note that an operation's example is about, where the sample vault has none."""
    if operation.name == "run_workflow":
        await write_example_workflow(served, operation.example["path"])


async def remembered(served: Served, path: str) -> None:
    """Write a memory into the agents' folder."""
    await served.call("set_up_memory", templates=False)
    place = served.bridge.find(None).root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"---\ntype: memory\nkind: fact\n---\n{place.stem}.\n", encoding="utf-8")
    await served.call("wait_until_indexed", path=path)


async def write_example_workflow(served: Served, path: str) -> None:
    """Write a workflow into the agents' folder."""
    await served.call("set_up_memory", templates=False)
    place = served.bridge.find(None).root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(workflow_note(place.stem, "Of a meeting.", starter_text("meeting-note")), encoding="utf-8")
    await served.call("wait_until_indexed", path=path)


async def changed(served: Served, *, proposed: bool = False, session: str = "example") -> str:
    """Change the restored vault, and return the change's id."""
    await restore(served)
    host = served.bridge.find(None)
    author = Author("create_note", client="example", session=session, proposes=proposed)
    made = await host.vault.executor.execute([CreateNote(NOTE, "Words.")], author, dry_run=False, expect=None)
    assert made.change is not None
    return made.change.id


async def offered(served: Served, *, claimed: bool) -> str:
    """Offer a change to an editor session, while the bridge runs, and return its id."""
    host = served.bridge.find(None)
    text, other = b"Words.", b"More words."
    step = Step("put", NOTE, before=digest_of(text), after=digest_of(other))
    change = Change(host.store.journal.next_id(), 0.0, "edit_note", steps=(step,))
    offer = Offer(change, other.decode(), lambda: None)
    offer.became.set_result("rejected")
    LENT.enter_context(host.editor_sessions.publish_offer(offer))
    if claimed:
        await offer.claim()
    return change.id


async def restore(served: Served) -> None:
    """Restore every file of the sample vault, and wait until all are indexed."""
    host = served.bridge.find(None)
    host.resume()
    kept = {file.relative_to(SAMPLE): file for file in SAMPLE.rglob("*") if file.is_file()}
    changed = False
    for file in sorted(host.root.rglob("*"), reverse=True):
        place = file.relative_to(host.root)
        if file.is_dir() and not file.is_symlink() and not (SAMPLE / place).exists() and not any(file.iterdir()):
            file.rmdir()
        elif (file.is_file() or file.is_symlink()) and place not in kept:
            file.unlink()
            changed = True
    for place, source in kept.items():
        file = host.root / place
        if not file.exists() or stamp_of(file) != stamp_of(source):
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, file)
            changed = True
    if changed:
        await host.vault.indexer.look_at([""])
    await readable(served, meaning=served.models.exists())


def stamp_of(file: Path) -> tuple[int, int]:
    """Return what tells whether a file changed."""
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


PREPARED: Mapping[str, Callable[[Served, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]] = {
    "decide": proposal,
    "take_over": handed_over,
    "show_plan": planned,
    "apply_plan": planned,
    "judge_finding": planned,
}
"""What makes the notes that examples need, and returns their arguments."""
