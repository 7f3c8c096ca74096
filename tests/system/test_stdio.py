"""`vaultside mcp`: what an agent sees of it, whatever happens to the bridge."""

import asyncio
import itertools
import json
import os
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult, PromptReference

from bridge.data_folder import Folders, vault_id
from bridge.engine.vault_lock import VaultLock
from bridge.server.runtime_file import read_runtime
from tests.features.served import command, write_vault
from tests.mcp.client import ERAS, Era, text_of
from tests.system.entry import MODERN, OPENING, Entry, client, entered, words
from tests.system.sidecar import PATIENCE_S, Sidecar, serving
from tests.system.test_data_folder import unwritable
from tests.system.test_imports import HEAVY

BOTH = pytest.mark.parametrize("era", ERAS)

NOTES = {
    "Bread/Rye.md": "# Rye\n\nDense bread from the north. See [[Beans]].\n",
    "Garden/Beans.md": "# Beans\n\nSow after the last frost. #garden/beans\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stdio")


@pytest.fixture(scope="module")
def bridge(folder: Path) -> Iterator[Sidecar]:
    """Serve a vault for all tests that leave the bridge alone."""
    vault = write_vault(folder / "Notes", NOTES)
    with serving(vault, data_dir=folder / "data", models_dir=folder / "no models") as running:
        running.wait_indexed(vectors=False)
        yield running


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "Mes notes & 笔记", NOTES)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose bridges are ended after the test."""
    folder = tmp_path / "data"
    yield folder
    for process in bridges(folder):
        with suppress(psutil.NoSuchProcess):
            process.kill()
            process.wait(PATIENCE_S)


def bridges(data: Path) -> list[psutil.Process]:
    """Return the processes that serve from a data folder."""
    found = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            line = process.cmdline()
            if "serve" in line and str(data) in line and process.status() != psutil.STATUS_ZOMBIE:
                found[process.pid] = process, process.ppid()
    # A process that a bridge has just started is called like the bridge until it runs its own program.
    return [process for process, parent in found.values() if parent not in found]


def serves(vault: Path, data: Path) -> int | None:
    """Return the process that the runtime file names."""
    runtime = read_runtime(Folders(data).runtime(vault_id(vault)))
    return None if runtime is None else runtime.pid


def path_of(bridge: Sidecar) -> Path:
    """Return the vault of a bridge."""
    return Path(bridge.ready["vaults"][0]["path"])


async def searched(entry: Entry, **meta: Any) -> str:
    """Search, again and again until the vault can be searched, and return the answer's text."""
    for number in itertools.count():
        answer = await entry.ask(f"search {number}", "tools/call", name="search", arguments={"query": "frost"}, **meta)
        assert "result" in answer, answer
        text: str = answer["result"]["content"][0]["text"]
        if not text.startswith("not_ready"):
            break
    return text


async def wait_for_ever(entry: Entry, id_: str, **meta: Any) -> None:
    """Call what is answered in ten minutes, and return when it has begun."""
    arguments = {"path": "Bread/Rye.md", "digest": "0" * 64, "timeout": 600}
    params = {"name": "wait_until_indexed", "arguments": arguments, **meta}
    await entry.say({"id": id_, "method": "tools/call", "params": params})
    await entry.ask(f"after {id_}", "tools/list", **meta)


@BOTH
async def test_an_agent_lists_calls_reads_asks_and_completes(bridge: Sidecar, folder: Path, era: Era) -> None:
    note = f"vault://{bridge.ready['vaults'][0]['id']}/Garden/Beans.md"
    async with client(path_of(bridge), folder / "data", era) as agent:
        assert agent.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
        assert "search" in [tool.name for tool in (await agent.list_tools()).tools]
        assert "Garden/Beans.md" in text_of(await agent.call_tool("search", {"query": "frost"}))
        (content,) = (await agent.read_resource(note)).contents
        assert getattr(content, "text", "").startswith("# Beans")
        assert len((await agent.get_prompt("what_do_i_know", {"topic": "frost"})).messages) == 2
        reference = PromptReference(type="ref/prompt", name="catch_up")
        completed = await agent.complete(reference, {"name": "folder", "value": "g"})
        assert completed.completion.values == ["Garden"]


async def test_the_preset_is_that_of_the_command_line(bridge: Sidecar, folder: Path) -> None:
    async with client(path_of(bridge), folder / "data", "auto", "--preset", "full") as agent:
        assert "doctor" in [tool.name for tool in (await agent.list_tools()).tools]


async def test_a_client_that_is_named_may_no_more_than_its_token(bridge: Sidecar, folder: Path) -> None:
    models = folder / "no models"
    await command("tokens", "create", "Reader", "--preset", "read-only", data=folder / "data", models=models)
    async with entered(path_of(bridge), folder / "data", "--client", "Reader", "--preset", "full") as entry:
        await entry.open()
        tools = (await entry.ask(1, "tools/list"))["result"]["tools"]
        assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
        await command("tokens", "revoke", "Reader", data=folder / "data", models=models)
        refused = await entry.ask(2, "tools/list")
        assert refused["error"]["data"]["code"] == "unauthorized"


async def test_a_client_whose_token_is_gone_may_only_read(bridge: Sidecar, folder: Path) -> None:
    async with entered(path_of(bridge), folder / "data", "--client", "Nobody") as entry:
        await entry.open()
        wish = {"name": "create_note", "arguments": {"path": "Nobody.md", "text": "Written.", "dry_run": True}}
        refused = (await entry.ask(1, "tools/call", **wish))["result"]
        assert (refused["isError"], "scope `write`" in refused["content"][0]["text"]) == (True, True)
        assert "Garden/Beans.md" in await searched(entry)


@BOTH
async def test_an_agent_that_must_confirm_asks_and_what_it_did_is_one_session(
    vault: Path, data: Path, tmp_path: Path, era: Era
) -> None:
    story = " ".join(f"word{number}" for number in range(40))
    asked = []

    async def agree(_: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    with serving(vault, data_dir=data, models_dir=tmp_path / "no models") as running:
        running.wait_indexed(vectors=False)
        async with (
            client(vault, data, era, elicitation_callback=agree) as agent,
            client(vault, data, era) as other,
        ):
            for one, path in ((agent, "One.md"), (agent, "Two.md"), (other, "Other.md")):
                text = "Short." if one is other else story
                answer = await one.call_tool("create_note", {"path": path, "text": text})
                assert not answer.is_error, text_of(answer)
        changes = running.call("list_changes")["changes"]
    sessions = {change["paths"][0]: change["session"] for change in changes}
    assert asked == ["mcp wants to create `Two.md`, though `One.md` already contains 100% of its text."]
    assert sessions["One.md"] == sessions["Two.md"] != sessions["Other.md"]


async def test_an_entry_is_for_one_vault_of_several(vault: Path, data: Path, tmp_path: Path) -> None:
    other = write_vault(tmp_path / "Other", {"Frost.md": "# Frost\n\nOf the other vault.\n"})
    with serving(other, vault, data_dir=data, models_dir=tmp_path / "no models") as both:
        both.until(lambda: all(one["ready"]["keyword"] for one in both.call("status")["vaults"]), "all is read")
        async with entered(vault, data) as entry:
            await entry.open()
            found = await searched(entry)
            assert ("Garden/Beans.md" in found, "Frost.md" in found) == (True, False)


async def test_what_is_no_message_is_answered_and_does_no_harm(bridge: Sidecar, folder: Path) -> None:
    async with entered(path_of(bridge), folder / "data") as entry:
        assert (await entry.ask("early", "ping"))["result"] == {}
        await entry.open()
        await entry.say({"id": "null", "method": "tools/list", "params": None})
        assert "tools" in (await entry.answer("null"))["result"]
        await entry.say(b"{nonsense")
        assert (await entry.hear())["error"]["code"] == -32700
        await entry.say(b"   ")
        text = "x" * (8 * 2**20 - 1000)
        answer = await entry.ask("large", "tools/call", name="search", arguments={"query": text})
        assert "large" in answer["id"]
        answer = await entry.ask("too large", "tools/call", name="search", arguments={"query": text + "x" * 1000})
        assert answer["error"]["code"] == -32600
        assert "result" in await entry.ask("next", "ping")
        assert "error" in await entry.ask("unknown", "no/such/method")


@pytest.mark.parametrize("signals", [False, True], ids=["end of input", "SIGTERM"])
async def test_it_leaves_when_the_agent_does(bridge: Sidecar, folder: Path, *, signals: bool) -> None:
    async with entered(path_of(bridge), folder / "data", "--preset", "full") as entry:
        await entry.open()
        await wait_for_ever(entry, "under way")
        assert entry.process.stdin is not None
        if signals:
            entry.process.terminate()
        else:
            entry.process.stdin.close()
        assert await entry.ended() == (0, "")


async def test_what_was_asked_last_is_still_answered(bridge: Sidecar, folder: Path) -> None:
    lines = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": %s}}\n' % json.dumps(MODERN).encode()
    )
    ran = await asyncio.to_thread(
        subprocess.run, words(path_of(bridge), folder / "data"), input=lines, capture_output=True, timeout=PATIENCE_S
    )
    assert (json.loads(ran.stdout)["id"], ran.returncode, ran.stderr) == (1, 0, b"")


async def test_what_was_asked_last_is_answered_by_a_bridge_that_must_be_started(vault: Path, data: Path) -> None:
    messages: list[dict[str, Any]] = [
        {"id": "opening", "method": "initialize", "params": OPENING},
        {"method": "notifications/initialized"},
        {"id": "last", "method": "tools/list"},
    ]
    lines = b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)
    ran = await asyncio.to_thread(
        subprocess.run, words(vault, data), input=lines, capture_output=True, timeout=PATIENCE_S
    )
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    # The vault is indexed meanwhile, of which a session is notified.
    answers = [(message["id"], "result" in message) for message in said if "id" in message]
    assert answers == [("opening", True), ("last", True)]
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_it_leaves_though_nobody_reads_what_it_says(bridge: Sidecar, folder: Path) -> None:
    request = {"jsonrpc": "2.0", "method": "tools/list", "params": {"_meta": MODERN}}
    command = words(path_of(bridge), folder / "data", "--preset", "full")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(50):
            process.stdin.write(json.dumps({**request, "id": number}).encode() + b"\n")
        process.stdin.flush()
        # One answer alone is more than what fits into the pipe beside what is read here.
        process.stdout.read(1)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


async def test_in_the_newer_era_a_cancelled_call_ends_without_an_answer(bridge: Sidecar, folder: Path) -> None:
    async with entered(path_of(bridge), folder / "data", "--preset", "full") as entry:
        await wait_for_ever(entry, "long", _meta=MODERN)
        before = connections(bridge)
        await entry.say({"method": "notifications/cancelled", "params": {"requestId": "long", "_meta": MODERN}})
        async with asyncio.timeout(PATIENCE_S):
            while connections(bridge) >= before:
                await asyncio.sleep(0.01)
        await entry.ask("after", "tools/list", _meta=MODERN)
        assert entry.heard == []


@pytest.mark.parametrize("meta", [{}, {"_meta": MODERN}], ids=ERAS)
async def test_requests_that_share_an_id_each_get_their_own_answer(
    bridge: Sidecar, folder: Path, meta: dict[str, Any]
) -> None:
    paths = ["Bread/Rye.md", "Garden/Beans.md"] * 20
    async with entered(path_of(bridge), folder / "data") as entry:
        if not meta:
            await entry.open()
        ids = (1, "1", 0)
        for id_ in ids:
            for path in paths:
                params = {"name": "read_note", "arguments": {"path": path}, **meta}
                await entry.say({"id": id_, "method": "tools/call", "params": params})
        said = [await entry.hear() for _ in ids for _ in paths]
        got = Counter((repr(one["id"]), "# Rye" in one["result"]["content"][0]["text"]) for one in said)
        assert got == {(repr(id_), rye): len(paths) / 2 for id_ in ids for rye in (True, False)}
        await wait_for_ever(entry, "again", **meta)
        await entry.say({"method": "notifications/cancelled", "params": {"requestId": "again", **meta}})
        assert "Beans" in str(
            await entry.ask("again", "tools/call", name="search", arguments={"query": "frost"}, **meta)
        )
        assert entry.process.stdin is not None
        entry.process.stdin.close()
        assert await entry.ended() == (0, "")


async def test_in_the_newer_era_a_subscription_has_the_id_of_its_request(bridge: Sidecar, folder: Path) -> None:
    async with entered(path_of(bridge), folder / "data") as entry:
        await entry.ask(1, "tools/list", _meta=MODERN)
        wish = {"notifications": {"resourcesListChanged": True}, "_meta": MODERN}
        await entry.say({"id": "mine", "method": "subscriptions/listen", "params": wish})
        told = await entry.told("notifications/subscriptions/acknowledged")
        assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "mine"


def connections(bridge: Sidecar) -> int:
    """Return how many clients are connected."""
    connected = psutil.Process(bridge.ready["pid"]).net_connections("tcp")
    return len([one for one in connected if one.status == psutil.CONN_ESTABLISHED])


def test_nothing_heavy_is_loaded(bridge: Sidecar, folder: Path) -> None:
    opening = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}})
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *words(path_of(bridge), folder / "data")],
        input=opening,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    imported = (line.rpartition("|")[2].strip() for line in ran.stderr.splitlines() if line.startswith("import time:"))
    loaded = {name.partition(".")[0] if not name.startswith("bridge.") else name for name in imported}
    assert json.loads(ran.stdout)["id"] == 1
    assert "aiohttp" in loaded
    assert loaded & (HEAVY - {"aiohttp"} | {"mcp", "bridge.features", "bridge.engine.host"}) == set()


@BOTH
async def test_a_bridge_that_is_restarted_is_found_again(vault: Path, data: Path, tmp_path: Path, era: Era) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    models = tmp_path / "no models"
    options = {"message_handler": heard.put} if era == "legacy" else {}
    with serving(vault, data_dir=data, models_dir=models) as first:
        first.wait_indexed(vectors=False)
        async with client(vault, data, era, **options) as agent:
            assert "Beans.md" in text_of(await agent.call_tool("search", {"query": "frost"}))
            first.stop()
            with serving(vault, data_dir=data, models_dir=models) as second:
                second.wait_indexed(vectors=False)
                assert "Beans.md" in text_of(await agent.call_tool("search", {"query": "frost"}))
                assert [process.pid for process in bridges(data)] == [second.process.pid]
                if era == "legacy":
                    async with asyncio.timeout(PATIENCE_S):
                        while (await heard.get()).method != "notifications/resources/list_changed":
                            pass


@pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")
async def test_subscriptions_outlive_the_bridge(vault: Path, data: Path, tmp_path: Path) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    models = tmp_path / "no models"
    with serving(vault, data_dir=data, models_dir=models) as first:
        first.wait_indexed(vectors=False)
        uri = f"vault://{first.ready['vaults'][0]['id']}/Bread/Rye.md"
        async with client(vault, data, "legacy", message_handler=heard.put) as agent:
            await agent.subscribe_resource(uri)
            first.stop()
            with serving(vault, data_dir=data, models_dir=models) as second:
                second.wait_indexed(vectors=False)
                await agent.list_tools()
                async with asyncio.timeout(PATIENCE_S), editing(second, vault / "Bread/Rye.md"):
                    while (await heard.get()).method != "notifications/resources/updated":
                        pass


@asynccontextmanager
async def editing(bridge: Sidecar, note: Path) -> AsyncIterator[None]:
    """Change a note as long as a block waits: a session hears only once its stream is open."""

    async def edit() -> None:
        for number in range(10**6):
            note.write_text(f"# Rye\n\nLighter by {number}.\n")
            await asyncio.to_thread(bridge.call, "wait_until_indexed", path="Bread/Rye.md", timeout=PATIENCE_S)

    task = asyncio.create_task(edit())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("meta", [{}, {"_meta": MODERN}], ids=["older", "newer"])
@pytest.mark.parametrize("end", [Sidecar.kill, Sidecar.stop], ids=["crash", "end"])
async def test_a_call_that_is_lost_is_told_and_never_made_again(
    vault: Path, data: Path, tmp_path: Path, meta: dict[str, Any], end: Callable[[Sidecar], object]
) -> None:
    with serving(vault, data_dir=data, models_dir=tmp_path / "no models") as first:
        first.wait_indexed(vectors=False)
        async with entered(vault, data, "--preset", "full") as entry:
            if not meta:
                await entry.open()
            await wait_for_ever(entry, "lost", **meta)
            end(first)
            lost = await entry.answer("lost")
            assert (lost["error"]["code"], lost["error"]["data"]["code"]) == (-32000, "not_ready")
            assert "may or may not" in lost["error"]["message"]
            # Nobody starts another, so the entry does.
            assert "Garden/Beans.md" in await searched(entry, **meta)
            assert [process.pid for process in bridges(data)] == [serves(vault, data)]


async def test_a_bridge_is_started_that_stays_for_a_while(vault: Path, data: Path) -> None:
    async with entered(vault, data) as entry:
        await entry.open()
        assert "Garden/Beans.md" in await searched(entry)
        (started,) = bridges(data)
        line = started.cmdline()
        assert line[line.index("--leave-after") + 1] == "30"
        log = Folders(data).log(vault_id(vault))
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        entry.process.kill()
        await entry.process.wait()
    assert started.is_running()
    assert psutil.Process(started.pid).ppid() != os.getpid()
    async with entered(None, data) as entry:
        await entry.open()
        assert "Garden/Beans.md" in await searched(entry)
    assert [process.pid for process in bridges(data)] == [started.pid]


async def test_two_that_start_at_once_share_one_bridge(vault: Path, data: Path) -> None:
    async with entered(vault, data) as one, entered(vault, data) as other:
        await asyncio.gather(one.open(), other.open())
        assert "Garden/Beans.md" in await searched(one)
        assert "Garden/Beans.md" in await searched(other)
        async with asyncio.timeout(PATIENCE_S):
            while len(bridges(data)) > 1:
                await asyncio.sleep(0.05)
        assert [process.pid for process in bridges(data)] == [serves(vault, data)]


async def test_a_vault_that_is_not_there_is_refused_in_words(data: Path) -> None:
    async with entered("nowhere", data) as entry:
        status, said = await entry.ended()
        assert entry.process.stdout is not None
        assert (status, await entry.process.stdout.read()) == (1, b"")
    assert "There is no folder and no known vault `nowhere`." in said
    assert "vaultside mcp" in said


async def test_where_another_process_holds_the_vault_the_agent_reads_it_all_the_same(
    vault: Path, data: Path, tmp_path: Path
) -> None:
    folders, id_ = Folders(data), vault_id(vault)
    folders.make()
    folders.settings.write_text('deny = ["Bread/**"]\n')
    hold = VaultLock.take(folders.lock(id_), folders.runtime(id_))
    async with entered(vault, data, "--preset", "full") as entry:
        await entry.open()
        assert "Garden/Beans.md" in await searched(entry)
        denied = await entry.ask("denied", "tools/call", name="read_note", arguments={"path": "Bread/Rye.md"})
        assert denied["result"]["content"][0]["text"].startswith("note_not_found")
        change = await entry.ask("change", "tools/call", name="pause_indexing", arguments={})
        assert change["result"]["content"][0]["text"].startswith("forbidden")
        (own,) = bridges(data)
        (kept,) = {file.path.partition("/vaults/")[0] for file in own.open_files() if "/vaults/" in file.path}
        hold.release()
        with serving(vault, data_dir=data, models_dir=tmp_path / "no models") as shared:
            shared.wait_indexed(vectors=False)
            assert "result" in await entry.ask("shared", "tools/call", name="pause_indexing", arguments={})
            assert shared.vault()["paused"]
            async with asyncio.timeout(PATIENCE_S):
                while own.is_running() and own.status() != psutil.STATUS_ZOMBIE:
                    await asyncio.sleep(0.01)
    assert not Path(kept).exists()


async def test_a_data_folder_that_cannot_be_written_is_left_alone(vault: Path, data: Path) -> None:
    data.mkdir()
    with unwritable(data):
        async with entered(vault, data) as entry:
            await entry.open()
            assert "Garden/Beans.md" in await searched(entry)
            (own,) = bridges(data)
            entry.process.kill()
            await entry.process.wait()
            async with asyncio.timeout(PATIENCE_S):
                while own.is_running() and own.status() != psutil.STATUS_ZOMBIE:
                    await asyncio.sleep(0.01)
    assert list(data.iterdir()) == []


@BOTH
async def test_the_end_of_the_entry_ends_its_session(bridge: Sidecar, folder: Path, era: Era) -> None:
    before = {one["id"] for one in bridge.call("list_sessions", limit=500)["sessions"]}
    for _ in range(2):
        async with client(folder / "Notes", folder / "data", era) as agent:
            await agent.call_tool("list_tags", {})
            await agent.call_tool("search", {"query": "bread"})

    def completed() -> bool:
        found = [one for one in bridge.call("list_sessions", limit=500)["sessions"] if one["id"] not in before]
        return [(one["status"], one["tools"]) for one in found] == [("completed", {"list_tags": 1, "search": 1})] * 2

    bridge.until(completed, "both sessions are over")
