"""What workflows need of the bridge: requests made of arguments, and questions answered."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec import to_builtins

from bridge.api import arguments
from bridge.api.call import Call
from bridge.api.moments import day
from bridge.api.note_names import find_file
from bridge.api.registry import get_operation
from bridge.api.where import choose_among
from bridge.changes.requests.base import Request
from bridge.engine.agents_folder import agents_folder
from bridge.errors import BridgeError, Busy, NoteNotFound
from bridge.features.workflows.model import READS
from bridge.features.workflows.questions import list_hits, list_journal_lines, list_sentences
from bridge.features.workflows.run import WorkflowHost
from bridge.features.workflows.templates import VariableReaders
from bridge.markdown.names import Names
from bridge.markdown.note import Value

INDEX_S = 60.0
"""Seconds that a search or a summary in a workflow may take."""


def workflow_host(call: Call) -> WorkflowHost:
    """Return what a run of a workflow needs; call it on the event loop."""
    vault, loop = call.vault, asyncio.get_running_loop()
    folder = agents_folder(vault.settings)
    apart = choose_among(vault, None) == "notes" and folder.about in vault.index.notes
    return WorkflowHost(
        vault.root,
        folder.path if apart else None,
        partial(bind_change, call),
        partial(bind_question, call),
        partial(ask_index, call, loop),
    )


def bind_change(call: Call, value: Mapping[str, Value], names: Names) -> Request:
    """Return the request that the arguments of a change make."""
    operation = get_operation("change_set")
    with _name_arguments():
        bound = arguments.locate(operation, operation.bind({"edits": [value]}), call.vault.files, names)
    found: Request = bound["edits"][0]
    return found


def bind_question(call: Call, name: str, value: Mapping[str, Value], names: Names) -> Mapping[str, Any]:
    """Return the arguments of a question, checked."""
    operation = get_operation(name)
    return arguments.locate(operation, operation.bind(value), call.vault.files, names)


def bind_sample(do: str, value: Mapping[str, Value]) -> object:
    """Bind the arguments of a step to its change or question, without looking at the vault."""
    if do in READS:
        return get_operation(do).bind(value)
    with _name_arguments():
        return get_operation("change_set").bind({"edits": [{**value, "op": do}]})


def ask_index(
    call: Call, loop: asyncio.AbstractEventLoop, name: str, value: Mapping[str, Value]
) -> Mapping[str, Value]:
    """Search or summarise the vault as it is, or list sessions, from the thread in which a workflow is planned.

    A summary consists of sentences of the notes, so that a run finds what its preview showed.
    """
    given = {**value, "mode": "extract"} if name == "summarise" else value
    future = asyncio.run_coroutine_threadsafe(get_operation(name).run(call, given), loop)
    try:
        found = future.result(INDEX_S)
    except TimeoutError:
        future.cancel()
        raise Busy(f"`{name}` takes too long.") from None
    if name == "summarise":
        return list_sentences({"path": one.path, "line": one.lines[0], "text": one.text} for one in found.sentences)
    if name == "list_sessions":
        return list_journal_lines(to_builtins(found.sessions))
    hits = [{"path": hit.path, "title": hit.title} for hit in found.hits]
    return list_hits(hits, len(hits))


def variable_readers(call: Call) -> VariableReaders:
    def note(name: str, written: str) -> str:
        path = find_file(call.vault.files, call.vault.names, written)
        if path not in call.vault.names:
            raise NoteNotFound(f"The variable `{name}` names no note: there is no `{written[:200]}`.", path=path)
        return path

    read_day: Callable[[str, str], str] = day
    return VariableReaders(date=read_day, note=note)


@contextmanager
def _name_arguments() -> Iterator[None]:
    try:
        yield
    except BridgeError as error:
        error.message = error.message.replace("edits[0].", "").replace("`edits[0]`", "the step")
        error.args = (error.message,)
        raise
