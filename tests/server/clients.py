"""Calls with clients' tokens."""

from collections.abc import Mapping
from typing import Any

import orjson

from bridge.access.tokens import Tokens
from bridge.server.auth import CLIENT_HEADER
from bridge.types import Scope
from tests.features.served import Answer, Served


def bearer(token: str, client: str | None = None) -> Mapping[str, str]:
    """Return the headers of a call."""
    return {"Authorization": f"Bearer {token}"} | ({CLIENT_HEADER: client} if client else {})


def made(served: Served, name: str, *scopes: Scope) -> str:
    """Create a token as a command would, outside the bridge."""
    return Tokens(served.bridge.folders.tokens).create(name, scopes)[1]


async def call(served: Served, headers: Mapping[str, str], operation: str, **arguments: Any) -> Answer:
    return await served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))
