"""What a prompt brings along: passages of notes, each as a resource of its own that names its source."""

from collections.abc import Iterable, Mapping
from typing import Any

from mcp import types

from bridge.errors import InvalidArguments, NoteNotFound
from bridge.mcp.addresses import written
from bridge.mcp.caller import Caller
from bridge.mcp.forms import form_of
from bridge.mcp.resources import mime_type
from bridge.mcp.text import Answer, returnable
from bridge.operations import VAULT, named
from bridge.vault import visible

NOTES = 8
TOKENS = 3_000
"""What the passages of these notes may take."""

CHANGES = 50
"""Changed notes that are listed; of the newest, the beginning is read."""

BEGINNINGS = 8
BEGINNING = 1_200
"""Characters of a beginning."""

Given = Mapping[str, str]
Messages = list[types.PromptMessage]


def said(text: str) -> types.PromptMessage:
    """Say something as the user."""
    return types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))


async def passages(who: Caller, query: str, given: Given) -> Messages:
    """Find the passages that say most about something."""
    asked = {"query": query, "limit": NOTES, "passage_tokens": TOKENS, **place(given)}
    found, _ = await who.ask(named("search"), asked)
    vault = who.bridge.find(given.get(VAULT, who.vault)).id
    parts = [sourced(vault, {"path": hit["path"], **passage}) for hit in found["hits"] for passage in hit["passages"]]
    return parts or [said("Nothing was found.")]


async def changed(who: Caller, begun: str, given: Given) -> Messages:
    """List the notes that changed and read how the newest begin."""
    wanted = {"modified_after": begun, "sort": "-modified", "limit": CHANGES, **place(given)}
    found, text = await who.ask(named("find_notes"), wanted, lambda answer: "\n".join(form_of("find_notes")(answer)))
    parts = [{"path": note["path"], "max_chars": BEGINNING} for note in found["notes"][:BEGINNINGS]]
    return [said(text), *await read(who, parts, given)]


def place(given: Given) -> dict[str, str]:
    """Return where to look."""
    return {name: given[name] for name in ("folder", VAULT) if name in given}


async def read(who: Caller, parts: Iterable[Mapping[str, Any]], given: Given) -> Messages:
    """Read parts of notes as they are now; one that has gone meanwhile is left out."""
    vault = who.bridge.find(given.get(VAULT, who.vault))
    messages = []
    for part in parts:
        try:
            answer, _ = await who.ask(named("read_note"), {**part, VAULT: vault.id})
        except (NoteNotFound, InvalidArguments):
            continue
        messages.append(sourced(vault.id, answer))
    return messages


def sourced(vault: str, part: Answer) -> types.PromptMessage:
    """Give what is seen of a part of a note, below its source."""
    (first, last), path = part["lines"], part["path"]
    text = f"{returnable(path)}:{first}-{last}\n\n{visible(part['text'])}"
    contents = types.TextResourceContents(uri=written(vault, path), mime_type=mime_type(path), text=text)
    return types.PromptMessage(role="user", content=types.EmbeddedResource(type="resource", resource=contents))
