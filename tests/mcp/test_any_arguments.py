"""Any JSON into any tool: an answer that a model can act on, never an error of the protocol or a trace of ours."""

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.api.operation import Operation
from bridge.api.presets import listed_tools
from bridge.types import Preset
from tests.features.test_contract import CODES
from tests.system.sidecar import PATIENCE_S, Sidecar, serving

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"

LIKELY = st.sampled_from(
    [
        "Welcome.md",
        "Bread",
        "../x",
        "",
        "#bread",
        "2026-01-01",
        "full",
        "a > b",
        "[[",
        "\x00",
        "\u202e",
        "search",
        "vault",
    ]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | LIKELY
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | LIKELY, inner, max_size=4),
    max_leaves=8,
)
PRESETS: tuple[Preset, ...] = ("default", "full")
CASES = [(preset, operation) for preset in PRESETS for operation in listed_tools(preset).values()]
WAITS = frozenset({"timeout", "wait"})

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    folder = tmp_path_factory.mktemp("fuzzed")
    shutil.copytree(SAMPLE, folder / "sample")
    with serving(folder / "sample", data_dir=folder / "data", models_dir=folder / "no models") as running:
        running.wait_indexed(vectors=False)
        yield running
        running.wait_indexed(vectors=False)
        assert "Traceback" not in running.errors()


def called(bridge: Sidecar, tool: str, arguments: dict[str, Any], preset: str) -> tuple[int, bytes]:
    """Call a tool by hand."""
    place = urlsplit(bridge.ready["url"])
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE},
    }
    headers = {
        "Authorization": f"Bearer {bridge.ready['token']}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    try:
        connection.request("POST", f"/mcp?preset={preset}", json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def arguments_of(operation: Operation) -> st.SearchStrategy[dict[str, Any]]:
    """Make up arguments: the operation's own with any values, and any others."""
    names = [argument.name for argument in operation.arguments if argument.name not in WAITS]
    own = st.fixed_dictionaries({}, optional=dict.fromkeys([*names, "vault"], JSON))
    return own | own.map(lambda made: {**operation.example, **made}) | st.dictionaries(st.text(), JSON, max_size=3)


@pytest.mark.parametrize(("preset", "operation"), CASES, ids=[f"{preset}-{one.name}" for preset, one in CASES])
def test_any_arguments_are_answered(bridge: Sidecar, preset: Preset, operation: Operation) -> None:
    @settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(arguments_of(operation))
    def answered(arguments: dict[str, Any]) -> None:
        status, body = called(bridge, operation.name, arguments, preset)
        assert (status, b"Traceback" in body) == (200, False)
        result = json.loads(body)["result"]
        text = result["content"][0]["text"]
        assert text
        if result["isError"]:
            assert text.partition(":")[0] in CODES - {"internal"}, text

    answered()
