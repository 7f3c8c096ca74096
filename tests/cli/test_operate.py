"""The command as a person or a script runs it."""

import asyncio
import hashlib
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bridge.cli.catalogue import operation_commands
from bridge.cli.local import open_bridge
from bridge.cli.run_operation import needs_digest
from bridge.data_folder import Folders
from bridge.models.catalogue import MULTILINGUAL_MODEL, find_in_catalogue
from bridge.models.folder import record_model, weights_path
from bridge.server.runtime_file import Runtime, write_runtime
from bridge.types import Digest, VaultId
from tests.engine.conftest import until
from tests.external_tools.servers import write_servers
from tests.features.served import Served, command, serving, write_vault
from tests.models.ranking import ranking_gguf
from tests.models.scripted import random_gguf


async def test_the_running_bridge_answers(served: Served) -> None:
    ran = await served.command("search", "frost", "--json", "--vault", "Notes")
    assert (ran.status, [hit["path"] for hit in ran.json["hits"]]) == (0, ["Garden/Beans.md"])


@pytest.mark.parametrize("way", ["name", "id", "path", "inside", "only one"])
async def test_the_vault_is_found(served: Served, way: str) -> None:
    host = served.bridge.find(None)
    named = {"name": ["--vault", "Notes"], "id": ["--vault", host.id], "path": ["--vault", str(host.root)]}
    cwd = host.root / "Bread" if way == "inside" else None
    ran = await served.command("list-folders", "--json", *named.get(way, []), cwd=cwd)
    assert (ran.status, len(ran.json["folders"])) == (0, 2)


async def test_a_vault_that_nobody_serves_is_opened_here(vault: Path, tmp_path: Path) -> None:
    ran = await command("search", "frost", "--json", data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    assert (ran.status, ran.err, [hit["path"] for hit in ran.json["hits"]]) == (0, "", ["Garden/Beans.md"])
    assert list((tmp_path / "data" / "run").iterdir()) == []


async def test_a_vault_opened_before_is_known_by_name(vault: Path, served: Served, tmp_path: Path) -> None:
    known = orjson.dumps({served.bridge.find(None).id: {"path": str(vault), "name": "Notes"}})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "vaults.json").write_bytes(known)
    ran = await command(
        "list-tags", "--vault", "Notes", "--json", data=tmp_path / "other", models=tmp_path / "m", cwd=tmp_path
    )
    assert (ran.status, len(ran.json["tags"])) == (0, 2)


async def test_a_command_without_a_bridge_erases_what_is_denied_since(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    (vault / "Diary.md").write_text("# Wolvertonia\n\nThe codeword is marzipanskew.\n")
    await command("list-tags", data=data, models=models, cwd=vault)
    index = next(data.glob("vaults/*/index"))
    shutil.copytree(index, index.with_name("index.broken"))
    (data / "settings.toml").write_text('deny = ["Diary.md"]\n')
    async with open_bridge(data, models, [vault]) as bridge:
        await until(lambda: bridge.find(None).known_names is not None)
    kept = [file for file in data.rglob("*") if file.is_file() and b"marzipanskew" in file.read_bytes()]
    assert (kept, index.with_name("index.broken").exists()) == ([], False)


async def test_an_index_that_goes_while_it_is_erased_from_costs_no_answer(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    await command("list-tags", data=data, models=models, cwd=vault)
    (data / "settings.toml").write_text('deny = ["Bread/**"]\n')
    async with open_bridge(data, models, [vault]) as bridge:
        await until(lambda: bridge.find(None).known_names is not None)
        # At once: to delete file by file fails where the bridge writes another one meanwhile.
        next(data.glob("vaults/*/index")).rename(tmp_path / "gone")


async def test_no_vault_is_refused_with_a_way_out(tmp_path: Path) -> None:
    ran = await command("search", "frost", data=tmp_path / "data", models=tmp_path / "m", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, "")
    assert "--vault" in ran.err


async def test_an_unknown_vault_is_refused(served: Served) -> None:
    ran = await served.command("search", "frost", "--vault", "Nowhere")
    assert (ran.status, ran.out) == (1, "")
    assert "`Notes`" in ran.err


async def test_a_command_means_the_note_as_it_is(served: Served) -> None:
    root = served.bridge.find(None).root
    moved = await served.command("move-note", "Bread/Rye.md", "Roggen.md", "--json")
    assert (moved.status, moved.err, moved.json["files"]) == (0, "", 1)
    assert (root / "Roggen.md").exists()
    missing = await served.command("delete-note", "Bread/Rye.md")
    assert missing.status == 1
    assert missing.err == "vaultside: `Bread/Rye.md` was moved to `Roggen.md`.\n  Use the new path.\n"


@pytest.mark.parametrize(
    ("operation", "arguments", "needed"),
    [
        ("delete_note", {"path": "A.md"}, True),
        ("delete_note", {"path": "A.md", "digest": "0" * 64}, False),
        ("edit_note", {"path": "A.md", "edits": []}, True),
        ("move_note", {"path": "A.md", "to": "B.md"}, False),
        ("rename_heading", {"path": "A.md", "heading": "A", "to": "B"}, False),
        ("apply_links", {"path": "A.md"}, False),
        ("wait_until_indexed", {"path": "A.md"}, False),
        ("create_note", {"path": "A.md"}, False),
    ],
)
def test_a_note_is_read_first_only_where_its_digest_is_needed(
    operation: str, arguments: dict[str, Any], *, needed: bool
) -> None:
    assert needs_digest(operation_commands()[operation], arguments) is needed


async def test_a_refusal_is_told_with_its_hint_on_standard_error(served: Served) -> None:
    ran = await served.command("read-note", "Bread/Ry.md")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("vaultside: There is no note `Bread/Ry.md`; the closest is `Bread/Rye.md`")
    assert ran.err.count("\n") == 2


async def test_wrong_arguments_are_a_wrong_usage(served: Served, vault: Path, tmp_path: Path) -> None:
    ran = await served.command("search", "frost", "--limit", "1000")
    assert (ran.status, ran.out, ran.err.splitlines()) == (2, "", [
        "vaultside: `--limit` must be an integer from 1 to 100, not 1000.",
        "  `vaultside search --help` tells what it takes.",
    ])  # fmt: skip
    unserved = await command("search", data=tmp_path / "other", models=tmp_path / "m", cwd=vault)
    assert (unserved.status, unserved.out) == (2, "")
    assert not (tmp_path / "other").exists()


async def test_hints_name_what_is_typed(served: Served) -> None:
    empty = await served.command("search", "")
    assert empty.err.splitlines()[1] == "  Use `vaultside find-notes` to list notes by folder, tag or property."
    await served.command("create-note", "Copy.md", "--text", "word " * 40)
    twice = await served.command("create-note", "Twice.md", "--text", "word " * 40)
    assert twice.err.splitlines()[1].endswith("or repeat the call with `--confirm`.")


async def test_a_refusal_is_json_when_json_was_asked_for(served: Served) -> None:
    ran = await served.command("read-note", "Gone.md", "--json")
    assert (ran.status, ran.out, orjson.loads(ran.err)["error"]["code"]) == (1, "", "note_not_found")


async def test_a_note_is_printed_byte_for_byte(served: Served, vault: Path) -> None:
    ran = await served.command("read-note", "Bread/Rye.md")
    assert ran.out == (vault / "Bread/Rye.md").read_text()
    part = await served.command("read-note", "Bread/Rye.md", "--section", "Rye > Baking")
    assert part.out == "## Baking\n\nIn a falling oven.\n"


async def test_arguments_come_from_standard_input(served: Served) -> None:
    ran = await served.command("search", "--json-args", "-", "--json", stdin=b'{"query": "frost", "limit": 1}')
    assert len(ran.json["hits"]) == 1


async def test_settings_are_changed_while_a_bridge_runs(served: Served) -> None:
    ran = await served.command("change-settings", "--changes", "max_file_mb=5", "--json")
    assert ran.status == 0, ran.err
    listed = (await served.call("read_settings")).json["settings"]
    assert {setting["name"]: setting["value"] for setting in listed}["max_file_mb"] == 5


async def test_what_is_denied_by_a_command_is_gone_from_the_running_bridge_when_it_ends(served: Served) -> None:
    assert (await served.call("read_note", path="Bread/Rye.md")).status == 200
    ran = await served.command("change-settings", "--changes", 'deny=["Bread/**"]')
    assert ran.status == 0, ran.err
    assert served.bridge.settings.deny == ("Bread/**",)
    assert (await served.call("read_note", path="Bread/Rye.md")).status == 404


async def test_a_wrong_setting_is_refused_with_the_nearest(served: Served) -> None:
    ran = await served.command("change-settings", "--changes", "max_file_md=5")
    assert (ran.status, "did you mean `max_file_mb`" in ran.err) == (2, True)


async def test_doctor_works_when_nothing_runs(vault: Path, tmp_path: Path) -> None:
    ran = await command("doctor", str(vault), "--json", data=tmp_path / "data", models=tmp_path / "m")
    verdicts = {finding["check"]: finding["verdict"] for finding in ran.json["findings"]}
    assert (ran.status, verdicts["model"], verdicts["index"], verdicts["vault"]) == (1, "fail", "ok", "ok")
    assert all(finding["do"] for finding in ran.json["findings"] if finding["verdict"] != "ok")


async def test_a_reranker_is_chosen(tmp_path: Path) -> None:
    models = partial(command, "models", data=tmp_path / "data", models=tmp_path / "m")
    used = await models("use", str(ranking_gguf(tmp_path / "ranking.gguf")))
    assert (used.status, "ranking ranks what" in used.err) == (0, True), used.err
    rows = {row["id"]: row for row in (await models("list", "--json")).json["models"]}
    assert [rows["ranking"][key] for key in ("purpose", "state")] == ["rerank", "in use"]
    assert [rows["all-minilm-l6-v2"][key] for key in ("purpose", "state")] == ["embed", ""]


async def test_a_chat_model_is_chosen_and_measured(tmp_path: Path) -> None:
    file = random_gguf(tmp_path / "babbler.gguf", wide=64, layers=1)
    models = partial(command, "models", data=tmp_path / "data", models=tmp_path / "m")
    assert (await models("bench")).status == 1
    gone = await models("use", str(tmp_path / "gone.gguf"))
    assert (gone.status, "gone.gguf cannot be read: No such file" in gone.err) == (1, True), gone.err
    assert (await models("use", str(file))).status == 0
    ran = await models("bench", "--json")
    assert (ran.json["id"], ran.json["answer_tokens_per_s"] > 0) == ("babbler", True)
    assert (await models("bench", "babbler")).out.startswith("babbler: reads ")


async def test_doctor_works_without_any_vault(tmp_path: Path) -> None:
    ran = await command("doctor", "--json", data=tmp_path / "data", models=tmp_path / "m", cwd=tmp_path)
    assert {finding["check"] for finding in ran.json["findings"]} == {
        "settings", "data folder", "disk", "model", "chat model", "reranker", "global vault", "tokens"
    }  # fmt: skip


async def test_doctor_without_any_vault_looks_at_the_model_that_is_there(tmp_path: Path) -> None:
    models, file = tmp_path / "m", b"GGUF, but no model"
    models.mkdir()
    weights_path(models, MULTILINGUAL_MODEL).write_bytes(file)
    digest = Digest(hashlib.sha256(file).hexdigest())
    record_model(models, find_in_catalogue(MULTILINGUAL_MODEL), digest, "a test")
    ran = await command("doctor", "--json", data=tmp_path / "data", models=models, cwd=tmp_path)
    (found,) = (finding for finding in ran.json["findings"] if finding["check"] == "model")
    assert (found["verdict"], found["fix"]["command"].split()[-1]) == ("fail", MULTILINGUAL_MODEL)


async def test_doctor_looks_at_a_running_bridge(served: Served) -> None:
    ran = await served.command("doctor", "--json")
    findings = {finding["check"]: finding for finding in ran.json["findings"]}
    assert findings["runtime file"]["verdict"] == "ok"
    assert served.runtime.url in findings["runtime file"]["message"]


async def test_a_call_that_its_server_failed_fails(served: Served) -> None:
    write_servers(served.bridge.data_dir)
    call = ("call-server", "test", "--tool", "fail", "--confirm")
    assert [(await served.command(*call, *more)).status for more in ((), ("--json",))] == [1, 1]
    said = await served.command("call-server", "test", "--tool", "say", "--arguments", '{"text": "x"}', "--confirm")
    assert (said.status, "x" in said.out) == (0, True), said.err


async def test_a_bridge_that_died_is_not_asked(served: Served, vault: Path) -> None:
    file = next((served.bridge.data_dir / "run").iterdir())
    broken = {**orjson.loads(file.read_bytes()), "url": "http://127.0.0.1:9"}
    file.write_bytes(orjson.dumps(broken))
    ran = await served.command("search", "frost", cwd=vault)
    assert ran.status == 1
    assert "already open in process" in ran.err


async def test_a_bridge_that_starts_meanwhile_is_asked(served: Served, vault: Path) -> None:
    # While it starts it holds the vault, and does not listen yet.
    file = next((served.bridge.data_dir / "run").iterdir())
    hidden = file.rename(file.with_suffix(".hidden"))
    running = asyncio.create_task(served.command("search", "frost", "--json", cwd=vault))
    await asyncio.sleep(3)
    hidden.rename(file)
    ran = await running
    assert (ran.status, [hit["path"] for hit in ran.json["hits"]]) == (0, ["Garden/Beans.md"]), ran.err


async def test_commands_at_the_same_time_wait_for_each_other(vault: Path, tmp_path: Path) -> None:
    search = partial(command, "search", "frost", "--json", data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    ran = await asyncio.gather(search(), search())
    assert [(one.status, len(one.json["hits"])) for one in ran] == [(0, 1)] * 2


async def test_commands_without_a_bridge_belong_to_one_session(vault: Path, tmp_path: Path) -> None:
    run = partial(command, data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    before = (vault / "Garden" / "Beans.md").read_bytes()
    for line in ("One.", "Two."):
        edits = orjson.dumps({"op": "append", "text": line}).decode()
        assert (await run("edit-note", "Garden/Beans.md", "--edits", edits)).status == 0
    assert (await run("undo-change", "session")).status == 0
    assert (vault / "Garden" / "Beans.md").read_bytes() == before


async def test_a_note_of_one_of_two_vaults_is_edited_without_its_digest(vault: Path, tmp_path: Path) -> None:
    other = write_vault(tmp_path / "Other", {"Garden/Beans.md": "# Other beans\n"})
    async with serving([vault, other], tmp_path / "data", tmp_path / "models"):
        run = partial(command, data=tmp_path / "data", models=tmp_path / "models", cwd=other)
        edits = orjson.dumps({"op": "append", "text": "One."}).decode()
        ran = await run("edit-note", "Garden/Beans.md", "--edits", edits, "--vault", str(vault))
        assert ran.status == 0, ran.err
        assert (await run("delete-note", "Garden/Beans.md")).status == 0
    assert (vault / "Garden" / "Beans.md").read_text().endswith("One.\n")
    assert not (other / "Garden" / "Beans.md").exists()


async def test_a_bridge_of_another_version_is_named_as_the_cause(vault: Path, tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.Response:
        status = {"vaults": [{"id": "0", "name": "Notes", "path": str(vault), "paused": False}]}
        return web.json_response(status if request.path == "/api/status" else {"hits": []})

    app = web.Application()
    app.router.add_post("/api/{operation}", answer)
    async with TestServer(app) as server:
        runtime = Runtime(str(server.make_url("")).rstrip("/"), "token", os.getpid(), "0")
        write_runtime(Folders(tmp_path / "data").runtime(VaultId("0")), runtime)
        ran = await command("search", "frost", data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    assert (ran.status, ran.out, ran.err.splitlines()) == (1, "", [
        "vaultside: The running bridge is of another version than this command.",
        "  Stop it with `vaultside stop`, then repeat the command.",
    ])  # fmt: skip
