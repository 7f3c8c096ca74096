"""What comes back from the bridge."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

import aiohttp
import orjson

from bridge.cli.stdio import sse
from bridge.cli.stdio.endpoint import Lost
from bridge.cli.stdio.messages import Id, parsed
from bridge.errors import BridgeError, Internal


async def messages(response: aiohttp.ClientResponse, id_: Id | None) -> AsyncIterator[dict[str, Any]]:
    """Yield each message that answers a request or comes before its answer.

    Args:
        response: What the bridge answered to a message.
        id_: The message's id, which an answer that is no stream gets when it lacks it.

    Raises:
        BridgeError: The bridge refused the message.
    """
    if response.content_type == "text/event-stream":
        async for event in sse.events(response.content.iter_any()):
            if event.data:
                yield orjson.loads(event.data)
        return
    body = await response.read()
    match parsed(body):
        case {"jsonrpc": _, "result": _} | {"jsonrpc": _, "error": {"code": int()}} as content if id_ is not None:
            yield {**content, "id": id_}
        case content if not response.ok:
            raise refused(response.status, content)


def refused(status: int, content: Any) -> BridgeError:
    """Return the error that a refusal tells of."""
    from bridge.cli.client import Refused

    match content:
        case {"error": {"code": str(), "message": str()} as error}:
            return Refused(error)
        case {"error": {"message": str(text)}}:
            return Refused({"code": "internal", "message": text})
        case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # It says more than that, unless it was ended in the middle of it.
            return Lost()
        case _:
            return Internal(f"The bridge answered {status}.")


def is_answer(content: dict[str, Any], id_: Id | None) -> bool:
    """Say whether a message is the answer to a request."""
    return "method" not in content and content.get("id") == id_
