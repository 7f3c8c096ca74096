"""The Inspector, a client by the makers of the protocol, lists, calls, reads, prompts and completes."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.npm import installed
from tests.system.sidecar import COMMAND, PATIENCE_S, Sidecar, serving

Era = Literal["legacy", "modern"]
Way = Literal["http", "stdio"]

NOTE = "# Lanterns\n\nA lantern of paper burns longer than one of silk.\n"


@dataclass(frozen=True, slots=True)
class Inspector:
    """Its two commands, which find the bridge in a file of servers."""

    programs: Path
    servers: Path
    home: Path
    """Where it keeps what it wants to remember."""

    def once(self, way: Way, era: Era, method: str, *words: str) -> Any:
        """Connect for one request and return its result."""
        given = ("--config", str(self.servers), "--server", way, "--protocol-era", era, "--method", method)
        result = self.run("mcp-inspector", "--cli", *given, "--format", "json", "--quiet", *words)
        return json.loads(result)["result"]

    def complete(self, way: Way, era: Era, reference: tuple[str, str], argument: tuple[str, str]) -> list[str]:
        """Complete an argument; only the other command can, which stays connected."""
        (kind, name), (key, begun) = reference, argument
        asked = ("--complete-ref-type", kind, "--complete-ref", name, "--complete-arg-name", key)
        self.run("mcpdo", "--config", str(self.servers), "connect", way, "--era", era)
        result = self.run(
            "mcpdo", "--format", "json", f"@{way}", "prompts/complete", *asked, "--complete-arg-value", begun
        )
        self.run("mcpdo", "disconnect", way)
        values: list[str] = json.loads(result)["values"]
        return values

    def run(self, program: str, *words: str) -> str:
        """Run a command; what it complains about is shown."""
        home = {"HOME": str(self.home), "MCP_INSPECTOR_DAEMON_DIR": str(self.home / "daemon")}
        ran = subprocess.run(
            [str(self.programs / program), *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env={**os.environ, **home, "MCP_INSPECTOR_SECRET_STORE": "memory"},
        )
        assert ran.returncode == 0, ran.stderr + ran.stdout
        return ran.stdout


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    """A bridge with a small vault."""
    folder = tmp_path_factory.mktemp("inspected")
    (folder / "vault").mkdir()
    (folder / "vault" / "Lanterns.md").write_text(NOTE)
    with serving(folder / "vault", data_dir=folder / "data", models_dir=folder / "none") as sidecar:
        sidecar.wait_indexed(vectors=False)
        yield sidecar


@pytest.fixture(scope="module")
def inspector(bridge: Sidecar, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inspector]:
    """The Inspector, which is told the token in a file that only this user can read."""
    home = tmp_path_factory.mktemp("inspector")
    (vault,) = bridge.ready["vaults"]
    headers = {"Authorization": f"Bearer {bridge.ready['token']}"}
    data = Path(vault["path"]).with_name("data")
    servers = {
        "http": {"type": "http", "url": f"{bridge.ready['url']}/mcp", "headers": headers},
        "stdio": {"command": str(COMMAND), "args": ["mcp", vault["path"], "--data-dir", str(data)]},
    }
    file = home / "servers.json"
    file.touch(0o600)
    file.write_text(json.dumps({"mcpServers": servers}))
    programs = installed(Path(__file__).parent / "inspector") / ".bin"
    found = Inspector(programs, file, home)
    yield found
    found.run("mcpdo", "daemon", "stop")


BOTH = pytest.mark.parametrize("era", ["legacy", "modern"])
EACH = pytest.mark.parametrize("way", ["http", "stdio"])


@BOTH
@EACH
def test_it_lists_tools_without_a_complaint_and_calls_one(inspector: Inspector, way: Way, era: Era) -> None:
    tools = inspector.once(way, era, "tools/list", "--strict")["tools"]
    called = inspector.once(way, era, "tools/call", "--tool-name", "search", "--tool-arg", "query=lantern")
    assert "search" in {tool["name"] for tool in tools}
    assert "Lanterns.md" in called["content"][0]["text"]


@BOTH
@EACH
def test_it_lists_notes_and_reads_one(inspector: Inspector, way: Way, era: Era) -> None:
    (listed,) = inspector.once(way, era, "resources/list")["resources"]
    (read,) = inspector.once(way, era, "resources/read", "--uri", listed["uri"])["contents"]
    assert (listed["title"], read["uri"], read["text"]) == ("Lanterns", listed["uri"], NOTE)


@BOTH
@EACH
def test_it_fills_in_a_prompt_and_completes_its_argument(inspector: Inspector, way: Way, era: Era) -> None:
    prompts = {prompt["name"] for prompt in inspector.once(way, era, "prompts/list")["prompts"]}
    words = ("--prompt-name", "what_do_i_know", "--prompt-args", "topic=lantern")
    filled = inspector.once(way, era, "prompts/get", *words)["messages"]
    topics = inspector.complete(way, era, ("ref/prompt", "what_do_i_know"), ("topic", "lant"))
    assert "what_do_i_know" in prompts
    assert "paper burns longer" in json.dumps(filled)
    assert topics == ["Lanterns"]
