"""Notes as resources, and the pages that programs show for a result: MCP Apps, `io.modelcontextprotocol/ui`.

A page comes from the features by `App`, is drawn by its script, and gets its data from the program that shows it.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from mcp import types
from mcp.server.apps import APP_MIME_TYPE, client_supports_apps

from bridge.api.arguments import VAULT
from bridge.api.feature import App
from bridge.api.operation import Operation
from bridge.api.presets import callable_tools
from bridge.api.registry import APPS
from bridge.api.write import proposes
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.errors import InvalidArguments, NoteNotFound, NotReady
from bridge.features import get_operation
from bridge.mcp.caller import Caller, Context, read_caller
from bridge.mcp.text import protocol_errors
from bridge.records import Record
from bridge.types import VaultId

URI_TEMPLATE = "vault://{vault}/{+path}"
NOTE_URI = re.compile(r"vault://([^/?#]+)/(.+)", re.DOTALL)


def note_uri(vault: str, path: str) -> str:
    return f"vault://{quote(vault, safe='')}/{quote(path)}"


def note_uris(host: Host, path: str) -> tuple[str, str]:
    """Return both addresses by which a client may know a note: with the vault's id and with its name."""
    return note_uri(host.id, path), note_uri(host.name, path)


PAGE_NOTES = 100

CURSOR = re.compile(r"([0-9a-f]{16}):([0-9]{1,9})")
"""A vault's id, and how many of its notes were listed."""


class Resources(Record):
    """Lists and reads notes."""

    bridge: Bridge

    async def page(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """List notes page by page: vault after vault, each with the most recently changed notes first."""
        with protocol_errors(context):
            who = read_caller(context, self.bridge)
            vaults = who.hosts
            at, offset = parse_cursor([vault.id for vault in vaults], params.cursor if params else None)
            found, total = await list_notes(who, vaults[at], offset)
            offset += len(found)
            if offset >= total:
                at, offset = at + 1, 0
            cursor = f"{vaults[at].id}:{offset}" if at < len(vaults) else None
            return types.ListResourcesResult(resources=found, next_cursor=cursor)

    async def templates(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=URI_TEMPLATE,
            name="note",
            title="A note",
            description="A note of a vault, which is given by its name or id, by the note's path in it.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        with protocol_errors(context, params.uri):
            if page := read_page(params.uri):
                return page
            address = NOTE_URI.fullmatch(params.uri)
            if address is None:
                raise NoteNotFound(f"`{params.uri[:200]}` is not the URI of a note.", hint=f"Use {URI_TEMPLATE}.")
            given = {"path": unquote(address[2]), VAULT: unquote(address[1])}
            note, text = await read_caller(context, self.bridge).ask(
                get_operation("read_note"), given, lambda note: str(note.text)
            )
            contents = types.TextResourceContents(uri=params.uri, mime_type=mime_type(note.path), text=text)
            return types.ReadResourceResult(contents=[contents])


def parse_cursor(vaults: Sequence[VaultId], cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    found = CURSOR.fullmatch(cursor)
    if found is None or found[1] not in vaults:
        raise InvalidArguments("There is no such page.", hint="Start again without a cursor.")
    return vaults.index(VaultId(found[1])), int(found[2])


async def list_notes(who: Caller, host: Host, offset: int) -> tuple[list[types.Resource], int]:
    """List some notes of a vault and count all; a vault that is still opening has none yet."""
    given = {VAULT: host.id, "sort": "-modified", "offset": offset, "limit": PAGE_NOTES}
    try:
        found, _ = await who.ask(get_operation("find_notes"), given)
    except NotReady:
        return [], 0
    notes = [
        types.Resource(
            uri=note_uri(host.id, note.path),
            name=note.path,
            title=note.title,
            mime_type=mime_type(note.path),
            annotations=types.Annotations(last_modified=note.modified),
        )
        for note in found.notes
    ]
    return notes, found.total


def mime_type(path: str) -> str:
    """Return the type of a note's text; a file other than Markdown is plain text."""
    return "text/markdown" if path.endswith(".md") else "text/plain"


ADDRESS: Final = "ui://vaultside/"

RESULT: Final = "vaultside/result"
"""Where a page finds the result as JSON: beside the text, as programs give a model structured content in its place."""

FOLDER: Final = Path(__file__).parent


def find_app(context: Context, who: Caller, operation: Operation) -> App | None:
    """Return the page in which the caller's program shows an operation's results, if it shows any.

    Of changes it shows those that wait for the user: it would otherwise show a page for each edit of an agent.
    """
    app = APPS.get(operation.result)
    if app is None or not client_supports_apps(context):
        return None
    return app if operation.reads or any(proposes(who.principal, host.settings) for host in who.hosts) else None


def reading_tools(context: Context, who: Caller) -> Mapping[str, Operation]:
    """Return the tools that only read and have a page; whose program shows pages is offered them beside its preset."""
    tools = callable_tools(who.preset).items()
    return {name: tool for name, tool in tools if tool.reads and find_app(context, who, tool) is not None}


def tool_meta(app: App | None) -> dict[str, Any] | None:
    return {"ui": {"resourceUri": f"{ADDRESS}{app.name}"}} if app is not None else None


def read_page(uri: str) -> types.ReadResourceResult | None:
    """Return a page, with the origins it needs: none; None for an address of something else."""
    app = next((app for app in APPS.values() if uri == f"{ADDRESS}{app.name}"), None)
    if app is None:
        return None
    meta = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}
    contents = types.TextResourceContents(uri=uri, mime_type=APP_MIME_TYPE, text=build_page(app), _meta=meta)
    return types.ReadResourceResult(contents=[contents])


@cache
def build_page(app: App) -> str:
    """Build a page from one file: programs show it without an address from which it could load others."""
    style = (FOLDER / "app.css").read_text(encoding="utf-8")
    script = (FOLDER / "app.js").read_text(encoding="utf-8") + app.script.read_text(encoding="utf-8")
    # Only this script and these styles: should a note's text ever become markup, it does nothing.
    policy = (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{app.title}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<main id="page"></main>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
