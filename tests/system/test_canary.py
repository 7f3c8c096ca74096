"""A folder that a rule denies leaves no word of itself anywhere: not in an answer, an event, a log or a file."""

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import zlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import PromptReference, ResourceTemplateReference

from bridge.features import operations
from tests.mcp.client import ERAS, Era
from tests.system.canaries import DENIED, FOLDER, NOTE, SECRET, write_open, write_private
from tests.system.sidecar import COMMAND, PATIENCE_S, Sidecar, request, serving
from tests.system.test_denied import KEEPERS, cases

pytestmark = pytest.mark.model

ASKED = [operation for operation in operations() if operation.scope != "admin" and operation.name not in KEEPERS]


def leaked(said: str | bytes, asked: object = ()) -> list[str]:
    """Return the canaries in what was said, those aside that the caller named himself."""
    text = (said.decode("utf-8", "replace") if isinstance(said, bytes) else said).lower()
    own = json.dumps(asked, ensure_ascii=False).lower()
    return [word for word in SECRET if word in text and word not in own]


@dataclass(slots=True)
class Listener:
    """Reads the events of a bridge in a thread of its own."""

    lines: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, bridge: Sidecar, last_id: int | None = None) -> "Listener":
        """Listen from now on, or from an earlier event on."""
        listener = cls()
        place = urlsplit(bridge.ready["url"])
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {bridge.ready['token']}"}
        connection.request("GET", "/api/events", headers=headers | ({"Last-Event-ID": str(last_id)} if last_id else {}))
        answer = connection.getresponse()

        def listen() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException, AttributeError, ValueError):
                while line := answer.readline():
                    listener.lines.append(line.decode())

        threading.Thread(target=listen, daemon=True).start()
        return listener

    @property
    def said(self) -> str:
        """All that was told so far."""
        return "".join(self.lines)

    def first_id(self) -> int:
        """Return the id of the first event."""
        return next(int(line.removeprefix("id: ")) for line in self.lines if line.startswith("id: "))


@dataclass(frozen=True, slots=True)
class Closed:
    """A bridge to which the rule came while it ran, with all of the folder indexed."""

    bridge: Sidecar
    vault: Path
    data: Path
    models: Path
    first_event: int
    changes: tuple[str, ...]
    """What was changed in the folder before the rule came; nothing else was changed."""

    def ask(self, operation: str, arguments: dict[str, Any]) -> str:
        """Call an operation and return its answer."""
        _, answer = request(self.bridge.ready["url"], self.bridge.ready["token"], operation, arguments)
        return json.dumps(answer, ensure_ascii=False)

    def get(self, path: str) -> bytes:
        """Return what is at an address."""
        place = urlsplit(self.bridge.ready["url"])
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.bridge.ready['token']}"})
            return connection.getresponse().read()

    def kept(self) -> bytes:
        """Return every byte of the data folder, the names of its files, and its records as they were written."""
        # Not `rglob`, which fails when a folder goes meanwhile.
        held = [Path(folder, name) for folder, folders, files in os.walk(self.data) for name in (*folders, *files)]
        return b"\n".join(chunk for path in sorted(held) for chunk in content(path))


def content(path: Path) -> Iterator[bytes]:
    """Yield a file's name and bytes; of a SQLite file the records too, unpacked, and of a snapshot what it was."""
    yield str(path).encode()
    # One that is being written cannot be unpacked yet.
    with contextlib.suppress(FileNotFoundError, IsADirectoryError, zlib.error):
        yield path.read_bytes()
        if "snapshots" in path.parts:
            yield zlib.decompress(path.read_bytes())
    # The log of changes beside it is text, also while it is written anew.
    log = "sqlite.changes" in path.name
    if ".sqlite" in path.name and not log and not path.name.endswith(("-wal", "-shm", "-journal")):
        yield from records(path)


def records(path: Path) -> Iterator[bytes]:
    """Yield every value in a SQLite file; of a copy with its log, since the bridge lets nobody else in."""
    with tempfile.TemporaryDirectory() as folder:
        for file in (path, path.with_name(f"{path.name}-wal")):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(file, folder)
        yield from values(Path(folder, path.name))


def values(path: Path) -> Iterator[bytes]:
    """Yield every value, unpacked where it is packed."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    try:
                        yield zlib.decompress(value)
                    except (TypeError, zlib.error):
                        yield str(value).encode()


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[Closed]:
    with closed_bridge(tmp_path_factory.mktemp("canary"), models_dir) as closed:
        yield closed


@contextlib.contextmanager
def closed_bridge(folder: Path, models_dir: Path) -> Iterator[Closed]:
    """Serve a vault with the folder for a block, from when the rule has come."""
    vault, data = write_private(write_open(folder / "vault", "Bread", "Welcome.md")), folder / "data"
    data.mkdir()
    fast = "rate_limit_per_s = 10000\n"
    (data / "settings.toml").write_text(fast)
    with serving(vault, data_dir=data, models_dir=models_dir) as bridge:
        listener = Listener.start(bridge)
        bridge.wait_indexed()
        (vault / NOTE).write_text((vault / NOTE).read_text("utf-8") + "\nMore quillmarsh.\n", "utf-8")
        bridge.call("wait_until_indexed", path=NOTE, what="vectors", timeout=PATIENCE_S)
        changes = tuple(changed(bridge))
        found = Closed(bridge, vault, data, models_dir, listener.first_id(), changes)
        # What is looked for below can be found.
        bridge.until(lambda: NOTE in listener.said, "the change is told")
        assert leaked(found.ask("search", {"query": "opens at noon", "limit": 50}))
        before = leaked(found.kept())
        assert {"quillmarsh", "trespelith", "whimbrelode"} <= set(before)
        assert all(b"quillmarsh" in b"".join(content(file)) for file in snapshots_of(data, vault / NOTE))
        (data / "settings.toml").write_text(f'deny = ["{FOLDER}/**"]\n{fast}')
        rules = data / "vaults" / bridge.vault()["id"] / "index/rules.json"
        bridge.until(lambda: rules.exists() and FOLDER in rules.read_text("utf-8"), "nothing of the folder is kept")
        (data / "settings.toml").chmod(0o600)
        assert json.loads(found.ask("list_changes", {"limit": 200}))["changes"] == []
        yield found


def changed(bridge: Sidecar) -> Iterator[str]:
    """Change notes in the folder, and move one there, and yield the changes' ids."""
    edits = [{"op": "append", "text": "Even more quillmarsh, and fenwhistle."}]
    yield bridge.call("edit_note", path=NOTE, edits=edits, reason="for skarnfeld")["change_id"]
    made = bridge.call("create_note", path="Into.md", text="Drazimoor, of what goes there later.")
    yield made["change_id"]
    moved = bridge.call("move_note", path="Into.md", to=f"{FOLDER}/Umberlash.md", digest=made["digest"])
    yield moved["change_id"]
    yield bridge.call("delete_note", path=f"{FOLDER}/Umberlash.md", digest=made["digest"])["change_id"]
    yield bridge.call("create_note", path=f"{FOLDER}/Ormulith.md", text="Drazimoor.")["change_id"]
    yield bridge.call("undo_change", change_id=bridge.call("list_changes")["changes"][0]["id"])["change_id"]


def snapshots_of(data: Path, note: Path) -> Iterator[Path]:
    """Yield the snapshot of what a note says now; there must be one."""
    (file,) = data.glob(f"vaults/*/snapshots/??/{hashlib.sha256(note.read_bytes()).hexdigest()}")
    yield file


def test_no_change_there_is_known_any_more(closed: Closed) -> None:
    # Other tests may have changed other notes.
    listed = json.loads(closed.ask("list_changes", {"limit": 200}))["changes"]
    assert {change["id"] for change in listed}.isdisjoint(closed.changes)
    assert not leaked(json.dumps(listed, ensure_ascii=False))
    asked: list[tuple[str, dict[str, object]]] = [("show_change", {}), ("undo_change", {})]
    asked += [("undo_change", {"redo": True})]
    asked += [("decide", {"verdict": verdict}) for verdict in ("accept", "reject")]
    for operation, more in asked:
        name = "id" if operation == "decide" else "change_id"
        unknown = closed.ask(operation, {name: "0", **more})
        for id_ in closed.changes:
            assert closed.ask(operation, {name: id_, **more}) == unknown.replace("`0`", f"`{id_}`")


def test_no_answer_says_a_word_of_it(closed: Closed) -> None:
    for operation in ASKED:
        for arguments in cases(operation):
            answer = closed.ask(operation.name, arguments)
            assert not leaked(answer, arguments), (operation.name, arguments, answer)


def test_no_description_says_a_word_of_it(closed: Closed) -> None:
    for path in ("/openapi.json", "/api/operations", "/healthz", f"/{FOLDER}", "/"):
        assert not leaked(closed.get(path)), path


def test_no_event_tells_of_it(closed: Closed) -> None:
    replayed = Listener.start(closed.bridge, closed.first_event)
    listener = Listener.start(closed.bridge)
    for name in ("Trespelith.md", "Whimbrelode/Gull.md"):
        note = closed.vault / FOLDER / name
        note.write_text("Changed. #brindlewick\n", "utf-8")
        closed.ask("report_changes", {"changes": [{"kind": "upsert", "path": f"{FOLDER}/{name}"}]})
        note.rename(note.with_name(f"Umberlash {note.name}"))
        note.with_name(f"Umberlash {note.name}").unlink()
    (closed.vault / "Told.md").write_text("Told.\n", "utf-8")
    for one in (listener, replayed):
        closed.bridge.until(lambda one=one: "Told.md" in one.said, "the other change is told")  # type: ignore[misc]
        assert not leaked(one.said), one.said
        assert FOLDER not in one.said


def test_a_note_that_moves_there_is_gone_from_the_disk(closed: Closed) -> None:
    (closed.vault / "Moving.md").write_text("# Moving\n\nA grellabex stands here.\n", "utf-8")
    closed.bridge.call("wait_until_indexed", path="Moving.md", what="vectors", timeout=PATIENCE_S)
    assert b"grellabex" in closed.kept()
    (closed.vault / "Moving.md").rename(closed.vault / FOLDER / "Moving.md")
    closed.bridge.until(lambda: b"grellabex" not in closed.kept(), "nothing of it is kept")
    assert "grellabex" not in closed.ask("search", {"query": "a word that stands here", "limit": 50})


def test_no_file_and_no_log_holds_a_word_of_it(closed: Closed) -> None:
    # Asked about first: who asks what is recorded, but not of which note.
    for path in DENIED:
        for operation in ("read_note", "index_status", "related_notes", "note_links"):
            closed.ask(operation, {"path": path})
    closed.ask("usage", {})
    assert leaked(closed.kept()) == []
    assert leaked(closed.bridge.log.read_bytes()) == []
    assert leaked(json.dumps(closed.bridge.ready)) == []


def test_a_command_says_no_word_of_it(closed: Closed) -> None:
    for words in (["search", "opens at noon"], ["list-tags"], ["list-folders"], ["read-settings"], ["status"]):
        ran = command(closed, *words, "--json")
        assert leaked(ran.stdout + ran.stderr) == [], words
        assert ran.returncode == 0, ran.stderr
        if words != ["read-settings"]:
            # The owner wrote the name of the folder into the settings, and reads it there.
            assert FOLDER not in ran.stdout.decode().replace(NOTE, "").replace(f"{FOLDER}/Paper.pdf", "")


def command(closed: Closed, *words: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command beside the bridge."""
    folders = ("--data-dir", str(closed.data), "--models-dir", str(closed.models))
    return subprocess.run([str(COMMAND), *words, *folders], capture_output=True, cwd=closed.vault, check=False)


@contextlib.asynccontextmanager
async def connected(closed: Closed, era: Era) -> AsyncIterator[Client]:
    """Connect the library's own client, with every tool offered."""
    headers = {"Authorization": f"Bearer {closed.bridge.ready['token']}"}
    url = f"{closed.bridge.ready['url']}/mcp?preset=full"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http_client,
        Client(streamable_http_client(url, http_client=http_client), mode=era) as client,
    ):
        yield client


@pytest.mark.parametrize("era", ERAS)
async def test_no_tool_resource_prompt_or_completion_says_a_word_of_it(closed: Closed, era: Era) -> None:
    async with connected(closed, era) as client:
        by_name = {operation.name: operation for operation in ASKED}
        tools = (await client.list_tools()).tools
        said: list[tuple[object, object]] = [((), tools)]
        for tool in tools:
            if tool.name in by_name:
                said += [(given, await client.call_tool(tool.name, given)) for given in cases(by_name[tool.name])]
        said += [((), each) async for each in resources(client)]
        vault = closed.bridge.vault()["id"]
        for path in DENIED:
            uri = f"vault://{vault}/{path}"
            said.append((uri, await refused(client.read_resource(uri))))
        said += [each async for each in prompts(client)]
        said += [each async for each in completions(client)]
    for asked, answer in said:
        assert not leaked(repr(answer), repr(asked)), (asked, answer)


async def resources(client: Client) -> AsyncIterator[object]:
    """Yield every resource that is listed, and what is in each."""
    cursor: str | None = None
    while True:
        page = await client.list_resources(cursor=cursor)
        for one in page.resources:
            yield one
            yield await client.read_resource(one.uri)
        cursor = page.next_cursor
        if cursor is None:
            return


async def prompts(client: Client) -> AsyncIterator[tuple[object, object]]:
    """Yield every prompt, filled in with what it could tell about."""
    for prompt in (await client.list_prompts()).prompts:
        yield (), prompt
        for word in ("", *SECRET, "opens at noon"):
            given = {a.name: word for a in prompt.arguments or () if a.required or (word and a.name != "vault")}
            yield given, await refused(client.get_prompt(prompt.name, given))


async def completions(client: Client) -> AsyncIterator[tuple[object, object]]:
    """Yield what is offered for every argument of prompts and addresses."""
    for prompt in (await client.list_prompts()).prompts:
        for argument in prompt.arguments or ():
            for begun in ("", "j", "v", "t", "brind", "Jund"):
                asked = {"name": argument.name, "value": begun}
                yield asked, await refused(client.complete(PromptReference(type="ref/prompt", name=prompt.name), asked))
    for template in (await client.list_resource_templates()).resource_templates:
        reference = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        for begun in ("", "j", "v", "t", "Jund", f"{FOLDER}/"):
            asked = {"name": "path", "value": begun}
            yield asked, await refused(client.complete(reference, asked))


async def refused(call: Any) -> object:
    """Return an answer, or the words in which there is none."""
    try:
        return await call
    except MCPError as error:
        return error.error


def test_a_bridge_that_starts_anew_knows_nothing_of_it(tmp_path: Path, models_dir: Path) -> None:
    with closed_bridge(tmp_path / "anew", models_dir) as closed:
        for path in DENIED:
            closed.ask("read_note", {"path": path})
        assert closed.bridge.stop() == 0
    assert leaked(closed.kept()) == []
    log = tmp_path / "log"
    with serving(closed.vault, data_dir=closed.data, models_dir=closed.models, log=log) as bridge:
        bridge.wait_indexed()
        again = replace(closed, bridge=bridge)
        for word in SECRET:
            assert not leaked(again.ask("search", {"query": word, "limit": 50}), word)
    assert leaked(log.read_bytes()) == []
    assert leaked(closed.kept()) == []
