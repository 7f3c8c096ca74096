"""Who sent a request, read off what the transport left with it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from bridge.mcp.presets import chosen
from bridge.operations import Principal
from bridge.types import Preset

if TYPE_CHECKING:
    from bridge.settings import Settings

Context = ServerRequestContext[Any, Request]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls and how it is served; the same for every request of a token to one address."""

    principal: Principal
    client: str | None
    """Its name and version, as it says."""
    preset: Preset


def caller(context: Context, settings: "Settings") -> Caller:
    """Read who calls.

    Raises:
        InvalidArguments: The address asks for a preset that does not exist.
    """
    request = context.request
    if request is None:
        raise AssertionError
    principal: Principal = request.scope["state"]["principal"]
    said = context.session.client_params
    client = f"{said.client_info.name}/{said.client_info.version}" if said is not None else None
    preset = chosen(principal, request.query_params.get("preset"), settings.mcp_preset)
    return Caller(principal, client, preset)
