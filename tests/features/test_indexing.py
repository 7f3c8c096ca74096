"""Keeping the index true on request."""

import hashlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.settings.file import save_settings
from bridge.settings.schema import Settings
from tests.features.served import Served, command, readable, serving, write_vault
from tests.server.clients import bearer, call, made
from tests.vaults import SAMPLE

NOTES = {"A.md": "# A\n\nalpha\n", "B.md": "# B\n\nbeta\n", "Sub/C.md": "# C\n\ngamma\n"}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """Nothing watches the vault: only what is reported is seen."""
    vault = write_vault(tmp_path / "Notes", NOTES)
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "settings.toml").write_text('watch = "off"\n')
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        yield served


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def hits(served: Served, query: str) -> list[str]:
    return [hit["path"] for hit in (await served.call("search", query=query, mode="keyword")).json["hits"]]


async def test_a_reported_change_is_found_and_news_only_once(served: Served) -> None:
    (root(served) / "A.md").write_text("# A\n\nchangedword\n")
    for news in (1, 0):
        answer = await served.call("report_changes", changes=[{"kind": "upsert", "path": "A.md"}])
        assert (answer.status, answer.json) == (200, {"news": news})
    assert await hits(served, "changedword") == ["A.md"]


async def test_a_reported_rename_and_delete_are_seen(served: Served) -> None:
    (root(served) / "A.md").rename(root(served) / "Z.md")
    (root(served) / "B.md").unlink()
    changes = [{"kind": "rename", "from": "A.md", "path": "Z.md"}, {"kind": "delete", "path": "B.md"}]
    assert (await served.call("report_changes", changes=changes)).status == 200
    assert (await hits(served, "alpha"), await hits(served, "beta")) == (["Z.md"], [])


async def test_the_disk_decides_what_a_report_means(served: Served) -> None:
    answer = await served.call("report_changes", changes=[{"kind": "delete", "path": "A.md"}])
    assert answer.json == {"news": 0}
    assert await hits(served, "alpha") == ["A.md"]


@pytest.mark.parametrize("unit", [1, 1000])
async def test_a_snapshot_brings_what_differs(served: Served, unit: int) -> None:
    (root(served) / "A.md").write_text("# A\n\nlongerwords here\n")
    (root(served) / "D.md").write_text("# D\n\ndelta\n")
    (root(served) / "Sub/C.md").unlink()
    seen = [
        {
            "path": path,
            "mtime": (root(served) / path).stat().st_mtime * unit,
            "size": (root(served) / path).stat().st_size,
        }
        for path in ("A.md", "B.md", "D.md")
    ]
    assert (await served.call("report_changes", snapshot=seen)).json == {"news": 3}
    assert (await hits(served, "longerwords"), await hits(served, "delta"), await hits(served, "gamma")) == (
        ["A.md"],
        ["D.md"],
        [],
    )
    assert (await served.call("report_changes", snapshot=seen)).json == {"news": 0}


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd", "a\x00b"])
async def test_a_report_about_what_is_outside_is_refused(served: Served, path: str) -> None:
    for arguments in (
        {"changes": [{"kind": "upsert", "path": path}]},
        {"snapshot": [{"path": path, "mtime": 1, "size": 1}]},
    ):
        assert (await served.call("report_changes", **arguments)).status == 400


async def test_nothing_reported_is_no_news(served: Served) -> None:
    assert (await served.call("report_changes")).json == {"news": 0}


async def test_waiting_ends_when_the_content_is_indexed(served: Served) -> None:
    text = "# A\n\nanotherword\n"
    (root(served) / "A.md").write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    for what in ("keyword", "links"):
        answer = await served.call("wait_until_indexed", path="A.md", digest=digest.upper(), what=what)
        assert answer.json == {"indexed": True}
    assert await hits(served, "anotherword") == ["A.md"]


async def test_waiting_for_what_does_not_come_ends_in_time(served: Served) -> None:
    for arguments in ({"digest": "0" * 64}, {"what": "vectors"}):
        answer = await served.call("wait_until_indexed", path="A.md", timeout=0.05, **arguments)
        assert answer.json == {"indexed": False}


async def job(served: Served, **arguments: Any) -> dict[str, Any]:
    """Reindex and wait for the end."""
    started: dict[str, Any] = (await served.call("reindex", **arguments)).json
    await served.settle(started["job_id"])
    found: dict[str, Any] = (await served.call("job_status", **started)).json
    return found


async def test_reindexing_reads_what_changed(served: Served) -> None:
    (root(served) / "A.md").write_text("# A\n\nanotherword\n")
    found = await job(served)
    assert (found["state"], found["kind"], found["done"]) == ("done", "reindex", 1)
    assert await hits(served, "anotherword") == ["A.md"]


@pytest.mark.parametrize(("arguments", "read"), [({"paths": ["A.md", "B.md"]}, 2), ({"full": True}, 3)])
async def test_reindexing_reads_again_what_it_is_told(served: Served, arguments: dict[str, Any], read: int) -> None:
    found = await job(served, **arguments)
    assert (found["state"], found["done"]) == ("done", read)


async def test_reindexing_some_and_all_is_refused(served: Served) -> None:
    answer = await served.call("reindex", paths=["A.md"], full=True)
    assert (answer.status, answer.code) == (400, "invalid_arguments")


async def test_an_unknown_job_is_refused(served: Served) -> None:
    answer = await served.call("job_status", job_id="nothing")
    assert (answer.status, answer.code) == (404, "job_not_found")


async def test_pausing_is_seen_in_status(served: Served) -> None:
    for operation, paused in (("pause_indexing", True), ("resume_indexing", False)):
        assert (await served.call(operation)).json == {"paused": paused}
        assert (await served.call("status")).json["vaults"][0]["paused"] is paused


async def test_who_may_only_propose_does_not_pause_for_everybody(served: Served) -> None:
    agent = bearer(made(served, "agent", "read", "write"))
    for operation, arguments in (("pause_indexing", {}), ("resume_indexing", {}), ("reindex", {"full": True})):
        assert (await call(served, agent, operation, **arguments)).code == "forbidden"
    assert (await served.call("status")).json["vaults"][0]["paused"] is False
    await served.bridge.use(save_settings(served.bridge.settings_path, {"apply_clients": ["agent"]}))
    for operation in ("pause_indexing", "resume_indexing"):
        assert (await call(served, agent, operation)).status == 200


async def test_what_the_index_holds_of_a_file_is_told(served: Served) -> None:
    (root(served) / ".hidden").mkdir()
    note = (await served.call("index_status", path="A.md")).json
    assert (note["state"], note["reason"], note["digest"]) == (
        "indexed", None, hashlib.sha256(NOTES["A.md"].encode()).hexdigest()
    )  # fmt: skip
    assert [(passage["lines"], passage["embedded"]) for passage in note["passages"]] == [([1, 3], False)]


async def test_a_file_that_is_nowhere_is_refused_with_the_closest(served: Served) -> None:
    answer = await served.call("index_status", path="Sbu/C.md")
    assert (answer.status, answer.code, answer.json["error"]["closest"]) == (404, "note_not_found", ["Sub/C.md"])


async def test_why_a_file_that_is_there_is_not_in_the_index_is_told(served: Served) -> None:
    (root(served) / "Photo.png").write_bytes(b"PNG")
    (root(served) / "Old.md").write_text("old\n")
    await served.bridge.use(Settings(watch="off", exclude=("Old*",)))
    (root(served) / "New.md").write_text("new\n")

    async def told(path: str) -> tuple[str, str]:
        found = (await served.call("index_status", path=path)).json
        return found["state"], found["reason"]

    assert await told("Photo.png") == (
        "skipped",
        "Only notes, canvases, Excalidraw drawings and PDF files are searched.",
    )
    assert await told("Old.md") == ("skipped", "Left out by the setting `exclude`: `Old*`.")
    assert await told("New.md") == ("pending", "It was not noticed yet; `reindex` reads it now.")
    assert (await served.call("index_status", path="Older.md")).code == "note_not_found"


async def test_ask_says_what_waits_for_its_vectors(tmp_path: Path, models_dir: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"Rye.md": "Rye bread is dense and sour.\n"})
    async with serving([vault], tmp_path / "data", models_dir) as served:
        await readable(served, meaning=True)
        await served.call("pause_indexing")
        await served.call("create_note", path="Spelt.md", text="Spelt bread is light.\n")
        said = (
            "1 passage cannot be found by meaning yet: `vaultside index` finishes that, `status` tells how far it is."
        )
        assert said in (await served.call("ask", question="Is spelt bread light?")).json["notices"]
        await served.call("resume_indexing")
        await readable(served, meaning=True)
        assert "by meaning" not in str((await served.call("ask", question="Is spelt bread light?")).json["notices"])


async def test_the_first_search_does_not_miss_a_model_that_is_there(tmp_path: Path, models_dir: Path) -> None:
    vault = shutil.copytree(SAMPLE, tmp_path / "Notes")
    ran = await command("search", "sour bread", "--vault", str(vault), data=tmp_path / "data", models=models_dir)
    assert (ran.status, "no model" in ran.err) == (0, False), ran.err
    assert "being indexed for search by meaning" in ran.err or "cannot be found by meaning yet" in ran.err, ran.err
    without = await command(
        "search", "sour bread", "--vault", str(vault), data=tmp_path / "none", models=tmp_path / "no"
    )
    assert "There is no model ready" in without.err
