"""What went wrong, as the protocol tells it: of tools in the answer itself, of all else as an error."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
from mcp import MCPError, types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bridge.api.dispatch import internal_error
from bridge.api.encode import encode
from bridge.errors import BridgeError, Invalid, InvalidArguments, Missing, OutsideVault, ProtectedPath
from bridge.features import get_operation
from bridge.mcp.caller import Context
from bridge.mcp.change_forms import diff
from bridge.mcp.text import UNTRUSTED, inline

NOT_FOUND_2025 = -32002
"""What the older era says of a missing resource; the newer one calls its address an invalid parameter."""

SERVER_ERROR = -32000
"""What has no code of its own."""


def tool_error(error: BridgeError) -> types.CallToolResult:
    """Say what went wrong and what to do."""
    facts: Mapping[str, Any] = orjson.loads(encode(dict(error.facts)))
    lines = [f"{error.code}: {error.message}", hint_for(error)]
    lines += [
        f"{name}: {' | '.join(map(inline, value)) if isinstance(value, list) else inline(value)}"
        for name, value in facts.items()
        if isinstance(value, list | dict)
        and value
        and not (isinstance(value, list) and is_listed_in(error.message, value))
    ]
    # What others wrote meanwhile spares another look at the whole note.
    if differs := facts.get("differs"):
        lines += [UNTRUSTED, "Since you read it:", *diff(differs)]
    text = "\n".join(filter(None, lines))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def is_listed_in(message: str, values: Sequence[Any]) -> bool:
    """Say whether a message names what a list holds, or the first of it, so that the list need not follow."""
    return str(values[0]) in message or any(f"`{value}`" in message for value in values)


def hint_for(error: BridgeError) -> str:
    """Return the hint; in place of one to a document, which a model cannot open, what the tool takes."""
    if error.hint != Invalid.hint:
        return error.hint
    name = error.facts.get("operation")
    if not isinstance(name, str) or "it takes" in error.message:
        return ""
    return f"It takes {', '.join(a.name + '?' * (not a.required) for a in get_operation(name).arguments)}."


@contextmanager
def protocol_errors(context: Context, uri: str | None = None) -> Iterator[None]:
    """Raise what goes wrong in a block as errors of the protocol.

    Args:
        context: The request, whose era decides.
        uri: The resource that was asked for.
    """
    try:
        yield
    except MCPError:
        raise
    except BridgeError as error:
        raise MCPError(error_code(error, context, uri), error.message, error_data(error, uri)) from None
    except Exception as error:  # noqa: BLE001  # the top of a request: whatever is left is our own fault
        raise MCPError(types.INTERNAL_ERROR, internal_error(error).message) from None


def error_code(error: BridgeError, context: Context, uri: str | None) -> int:
    """Choose the code."""
    match error:
        case Missing() | OutsideVault() | ProtectedPath() if uri is not None:
            modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            return types.INVALID_PARAMS if modern else NOT_FOUND_2025
        case InvalidArguments() | Missing():
            return types.INVALID_PARAMS
        case _:
            return SERVER_ERROR


def error_data(error: BridgeError, uri: str | None) -> dict[str, str]:
    """Return what else there is to say."""
    return {"code": error.code, "hint": hint_for(error), **({"uri": uri} if uri is not None else {})}
