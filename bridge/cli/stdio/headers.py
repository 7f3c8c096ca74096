"""What the headers of a request to the bridge say about the message in its body."""

import base64
import re
from collections.abc import Mapping

from bridge.cli.stdio.messages import Message

SESSION = "Mcp-Session-Id"
VERSION = "MCP-Protocol-Version"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter names what a method is about."""

PLAIN = re.compile(r"([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?")
ENCODED = re.compile(r"=\?base64\?.*\?=")


def describing(message: Message, session: Mapping[str, str]) -> Mapping[str, str]:
    """Return the headers that the protocol asks for.

    Args:
        message: A message; one of the newer era speaks for itself.
        session: The headers of the session, to which one of the older era belongs; empty without one.
    """
    if message.method == "initialize":
        return {}
    if message.version is None:
        return session
    headers = {VERSION: header_value(message.version), "Mcp-Method": header_value(message.method)}
    name = message.params.get(NAMED_BY.get(message.method, ""))
    return {**headers, "Mcp-Name": header_value(name)} if isinstance(name, str) else headers


def header_value(text: str) -> str:
    """Write a text so that a header can carry it, as the protocol says."""
    if PLAIN.fullmatch(text) and not ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
