"""What doctor says of the user's own servers."""

import json
from pathlib import Path
from typing import Any

from bridge.access.tokens import Tokens
from tests.external_tools.servers import SECRET, programs, write_servers
from tests.features.served import Served

NOTES = {"Oven.md": "# Oven\n"}


async def diagnose(served: Served, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the findings about servers, by check."""
    answer = await served.request("POST", "/api/doctor", headers=headers, data=b"{}")
    return {one["check"]: one for one in answer.json["findings"] if one["check"].startswith("server")}


async def test_without_a_list_there_is_no_finding(served: Served, data: Path) -> None:
    assert await diagnose(served) == {}
    (data / "servers.toml").write_text('[off]\ncommand = "no-such-program"\nenabled = false\n')
    assert await diagnose(served) == {}


async def test_a_list_with_a_mistake_is_found(served: Served, data: Path) -> None:
    (data / "servers.toml").write_text('[test]\ncommand = "x"\ncolour = 1\n')
    finding = (await diagnose(served))["servers"]
    assert (finding["verdict"], "line 3" in finding["message"]) == ("fail", True)


async def test_each_server_is_started_and_asked(served: Served, data: Path) -> None:
    write_servers(data)
    text = (data / "servers.toml").read_text()
    more = text.replace("[test]", "[broken]").replace('program.py"', 'program.py", "early"')
    (data / "servers.toml").write_text(text + more)
    for _ in range(2):
        found = await diagnose(served)
        assert found.keys() == {"server test", "server broken"}
        assert found["server test"]["verdict"] == "ok"
        assert found["server test"]["message"].startswith("It answers, with 9 tools: say, env")
        assert found["server broken"]["verdict"] == "warn"
        assert "cannot start: [secret KEY]" in found["server broken"]["message"]
        assert SECRET not in json.dumps(found)


async def test_for_a_client_nothing_is_started(served: Served, data: Path) -> None:
    write_servers(data)
    token = Tokens(served.bridge.folders.tokens).create("reader", ["read"])[1]
    found = await diagnose(served, {"Authorization": f"Bearer {token}"})
    assert found["server test"]["message"] == "It is not started yet."
    assert programs() == []
