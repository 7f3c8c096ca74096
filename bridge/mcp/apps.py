"""Pages that programs show for a result: MCP Apps, the extension `io.modelcontextprotocol/ui`.

A page comes from the features by `App`, is drawn by its script, and gets its data from the program that shows it.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from mcp import types
from mcp.server.apps import APP_MIME_TYPE, client_supports_apps

from bridge.api.feature import App
from bridge.api.presets import callable_tools
from bridge.api.registry import APPS, Operation
from bridge.api.write import proposes
from bridge.mcp.caller import Caller, Context

ADDRESS: Final = "ui://vaultside/"

RESULT: Final = "vaultside/result"
"""Where a page finds the result as JSON: beside the text, as programs give a model structured content in its place."""

HERE: Final = Path(__file__).parent


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
    style = (HERE / "app.css").read_text(encoding="utf-8")
    script = (HERE / "app.js").read_text(encoding="utf-8") + app.script.read_text(encoding="utf-8")
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
