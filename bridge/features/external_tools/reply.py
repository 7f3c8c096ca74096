"""What servers say, as text for a reader who did not write them: visible, without secrets, and limited."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bridge.features.external_tools.server_file import redact_line, redact_secrets, replace_values
from bridge.records import Record
from bridge.text.budget import cut, fit_words

if TYPE_CHECKING:
    from mcp_types import Tool

MAX_TOKENS = 8_000
CHARACTERS_PER_TOKEN = 4
"""As a budget counts them: a script of which a character is a token counts four for each."""
MAX_DESCRIPTION_CHARS = 500
MAX_SCHEMA_CHARS = 2_000
MAX_NAME_CHARS = 128


class Reply(Record):
    """The answer of a server.

    Attributes:
        text: Its visible text.
        failed: Whether it says that it failed.
        cut: Whether more was said.
    """

    text: str
    failed: bool
    cut: bool


class ToolSummary(Record):
    """A tool as its server describes it.

    Attributes:
        name: Its name.
        description: Its description, shortened.
        arguments: The JSON schema of its arguments, shortened.
    """

    name: str
    description: str
    arguments: str


class ExternalTool(Record):
    """A tool of a server, in that program's words.

    Attributes:
        server: The server.
        tool: Its name there.
        description: Its description, shortened; empty if the server does not run.
        arguments: The JSON schema of its arguments, shortened; empty if the server does not run.
    """

    server: str
    tool: str
    description: str = ""
    arguments: str = ""

    @property
    def name(self) -> str:
        """Its name among the tools of all servers."""
        return f"{self.server}__{self.tool}"


def make_reply(parts: Iterable[Any], structured: Any, secrets: Mapping[str, str], *, failed: bool) -> Reply:
    text = "\n".join(filter(None, map(part_text, parts)))
    if not text and structured is not None:
        text = write_json(structured, indent=2)
    most = MAX_TOKENS * CHARACTERS_PER_TOKEN
    whole = replace_values(text, secrets)
    # Twice the limit, since only part of it may be visible; looking for comments in more would take too long.
    visible = redact_secrets(whole[: 2 * most], secrets).strip()
    shown = fit_words(visible, most)
    return Reply(shown, failed, len(shown) < len(visible) or len(whole) > 2 * most)


def write_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON; not by orjson, which refuses numbers of more than 64 bits."""
    separators = (",", ":") if indent is None else None
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


def part_text(part: Any) -> str:
    """Return a part of an answer as text; of one that is not text, what it is."""
    match getattr(part, "type", None):
        case None if isinstance(part, str):
            return part
        case "resource":
            return part_text(part.resource)
        case "resource_link":
            return f"[{part.name}: {part.uri}]"
        case "image" | "audio":
            return f"[{part.type} of {len(part.data):,} characters, left out: {part.mime_type}]"
        case _ if (text := getattr(part, "text", None)) is not None:
            return str(text)
        case _:
            return f"[data of {len(getattr(part, 'blob', '')):,} characters, left out]"


def summarise_tools(tools: "Mapping[str, Tool]", secrets: Mapping[str, str]) -> tuple[ToolSummary, ...]:
    """Return the tools of a server; those whose names cannot be shown are left out."""
    return tuple(
        ToolSummary(
            name,
            shorten_line(tool.description or "", secrets, MAX_DESCRIPTION_CHARS),
            shorten_line(write_json(tool.input_schema), secrets, MAX_SCHEMA_CHARS),
        )
        for name, tool in tools.items()
        if name and len(name) <= MAX_NAME_CHARS and redact_line(name, secrets) == name
    )


def shorten_line(text: str, secrets: Mapping[str, str], most: int) -> str:
    return cut(redact_line(replace_values(text, secrets)[: 4 * most], secrets), most)
