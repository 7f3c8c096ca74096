"""Calls a running bridge, with nothing but the standard library."""

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import bridge as program
from bridge.errors import BridgeError
from bridge.server import Runtime

CONNECT_S = 5.0


class Refused(BridgeError):
    """The running bridge refused."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        """Take over what it said."""
        facts = {name: value for name, value in error.items() if name not in {"code", "message", "hint"}}
        super().__init__(str(error.get("message")), hint=str(error.get("hint", "")), **facts)
        self.code = str(error.get("code"))


class Unreachable(BridgeError):
    """The bridge that should run here does not answer."""

    code = "not_ready"
    hint = "Start it again with `vault-bridge serve`."


def call(runtime: Runtime, operation: str, arguments: Mapping[str, Any], *, patience: float | None = None) -> Any:
    """Call an operation.

    Args:
        runtime: Where the bridge listens.
        operation: Its name.
        arguments: Its arguments.
        patience: Most seconds to wait for the answer; None waits as long as it takes.

    Raises:
        Refused: It answered with an error.
        Unreachable: It did not answer.
    """
    place = urlsplit(runtime.url)
    # http.client knows nothing of proxies: what is asked of this machine stays on it.
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=CONNECT_S)
    headers = {
        "Authorization": f"Bearer {runtime.token}",
        "Content-Type": "application/json",
        "User-Agent": f"vault-bridge/{program.__version__}",
    }
    try:
        connection.connect()
        connection.sock.settimeout(patience)
        connection.request("POST", f"/api/{operation}", json.dumps(arguments).encode(), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(f"The bridge at {runtime.url} does not answer ({type(error).__name__}).") from None
    finally:
        connection.close()
    if response.status != http.HTTPStatus.OK:
        raise Refused(answer["error"])
    return answer
