"""A caller that keeps its connection, as the plugin and agents do."""

import http.client
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.system.sidecar import Sidecar

PATIENCE_S = 3600.0


class Client:
    """A persistent connection to a sidecar."""

    def __init__(self, bridge: Sidecar) -> None:
        self.bridge = bridge
        self._token = bridge.ready["token"]
        place = urlsplit(bridge.ready["url"])
        self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=600)

    def call(self, operation: str, **arguments: Any) -> Any:
        """Call an operation; an error is returned as it arrived."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._connection.request("POST", f"/api/{operation}", json.dumps(arguments), headers)
        return json.loads(self._connection.getresponse().read())

    def timed(self, operation: str, **arguments: Any) -> float:
        """Return the seconds that a call took."""
        began = time.perf_counter()
        answer = self.call(operation, **arguments)
        took = time.perf_counter() - began
        if "error" in answer:
            raise RuntimeError(f"{operation}: {answer}")
        return took

    def vault(self) -> dict[str, Any]:
        """Return the status of the vault."""
        found: dict[str, Any] = self.call("status")["vaults"][0]
        return found

    def until(self, look: Callable[[dict[str, Any]], Any], every: float = 0.02) -> dict[str, Any]:
        """Wait for a state of the vault."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            status = self.vault()
            if look(status):
                return status
            time.sleep(every)
        raise TimeoutError(str(self.vault()))

    def wait_words(self) -> None:
        """Wait until a search by words answers from all notes."""
        self.until(lambda status: status["ready"]["words"], 0.01)

    def wait_keyword(self) -> dict[str, Any]:
        """Wait until every note is in the keyword index."""
        return self.until(lambda s: s["ready"]["keyword"] and not s["pending"]["keyword"], 0.01)

    def has_model(self) -> bool:
        """Return whether a model embeds the vault."""
        return self.until(lambda s: s["model_known"])["model"] is not None

    def wait_all(self) -> dict[str, Any]:
        """Wait until every note is in the keyword index and, if there is a model, every passage has its vector."""
        status = self.wait_keyword()
        if not self.has_model():
            return status
        return self.until(lambda s: s["ready"]["semantic"] and not s["pending"]["vectors"], 0.25)


def resident_memory(bridge: Sidecar) -> tuple[float, list[float]]:
    """Return the resident megabytes of the sidecar and of each of its embedding workers."""
    process = psutil.Process(bridge.process.pid)
    workers = [
        child.memory_info().rss / 1e6
        for child in process.children(recursive=True)
        if any("bridge.models" in word for word in child.cmdline())
    ]
    return process.memory_info().rss / 1e6, workers


def processor_seconds(bridge: Sidecar) -> float:
    """Return the processor time that the sidecar and its worker processes have used."""
    process = psutil.Process(bridge.process.pid)
    running = [process, *process.children(recursive=True)]
    ended = process.cpu_times()
    return sum(sum(each.cpu_times()[:2]) for each in running) + ended.children_user + ended.children_system
