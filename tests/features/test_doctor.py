"""What the doctor sees, and what it says to do."""

import json
import os
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest
from msgspec.structs import replace

from bridge.access.tokens import Tokens
from bridge.api.feature import Feature, Finding, Fix
from bridge.api.registry import install
from bridge.data_folder import Folders
from bridge.engine.host import HostHealth
from bridge.engine.model_pool import Embedders
from bridge.engine.progress import measure_progress
from bridge.errors import VaultUnreadable
from bridge.features import FEATURES
from bridge.features.status import doctor
from bridge.features.status.operations import free_bytes
from bridge.index.index import IndexHealth
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.state.change_records import Change
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.features.served import Served, readable, serving, write_vault
from tests.models.disks import read_only

Made = TypeVar("Made", bound=Record)

NOTES = {"A.md": "# A\n"}


async def findings(served: Served) -> dict[str, Finding]:
    answer = await served.result("doctor")
    found = [Finding(**{**each, "fix": each["fix"] and Fix(**each["fix"])}) for each in answer["findings"]]
    assert all(finding.do for finding in found if finding.verdict != "ok")
    return {finding.check: finding for finding in found}


async def test_a_sound_bridge_without_a_model_lacks_only_that(served: Served) -> None:
    found = await findings(served)
    assert {check: f.verdict for check, f in found.items()} == {
        "settings": "ok", "data folder": "ok", "disk": "ok", "model": "fail", "chat model": "ok", "reranker": "ok",
        "global vault": "ok", "vault": "ok", "index": "ok", "state": "ok", "changes": "ok", "journals": "ok",
        "runtime file": "ok", "tokens": "ok", "calls": "ok", "Obsidian": "ok",
        "program folders": "ok", "watcher": "ok",
    }  # fmt: skip
    assert "models install" in found["model"].do
    command = "vaultside models install all-minilm-l6-v2"
    assert found["model"].fix == Fix("Install the model", command, None)
    assert (await served.call("doctor")).json["verdict"] == "fail"


async def test_a_global_vault_that_is_not_served_is_told(served: Served) -> None:
    served.bridge.settings_path.write_text('global_vault = "Main"\n')
    await served.bridge.reload()
    found = (await findings(served))["global vault"]
    assert (found.verdict, "`Main`" in found.message, "vaultside serve" in found.do) == ("warn", True, True)
    served.bridge.settings_path.write_text('global_vault = "Notes"\n')
    await served.bridge.reload()
    assert (await findings(served))["global vault"].message == "Notes is served."


async def test_a_right_model_is_found_right_and_a_spoilt_one_is_not(served: Served, models_dir: Path) -> None:
    shutil.copytree(models_dir, served.models, dirs_exist_ok=True)
    assert (await findings(served))["model"].verdict == "ok"
    for file in served.models.glob("*.gguf"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 0xFF
        file.write_bytes(data)
    spoilt = (await findings(served))["model"]
    assert (spoilt.verdict, "install" in spoilt.do) == ("fail", True)


@pytest.mark.model
async def test_a_model_that_does_not_fit_serves_until_the_fitting_one_is_there(
    tmp_path: Path, models_dir: Path
) -> None:
    text = "Der Hafen liegt im Norden der Stadt, und die Schiffe kommen nur noch selten dorthin. " * 5
    async with serving([write_vault(tmp_path / "Hafen", {"A.md": text})], tmp_path / "data", models_dir) as served:
        # The languages of the notes are not known before they are embedded.
        assert (await findings(served))["model"].verdict in {"ok", "warn"}
        await readable(served, meaning=True)
        found = (await findings(served))["model"]
    assert (found.verdict, found.fix and found.fix.command) == (
        "warn",
        "vaultside models install multilingual-e5-small",
    )


async def test_damaged_tokens_are_seen_until_they_are_deleted(served: Served) -> None:
    path = served.bridge.folders.tokens
    Tokens(path).create("Cursor", ["read"])
    assert (await findings(served))["tokens"].message == "1 client can call with tokens of their own."
    path.write_text("damaged")
    found = (await findings(served))["tokens"]
    assert (found.verdict, "tokens.damaged.json" in found.do) == ("warn", True)
    path.with_name("tokens.damaged.json").unlink()
    assert (await findings(served))["tokens"].verdict == "ok"


@pytest.mark.skipif(os.name != "posix", reason="rights are another matter on Windows")
async def test_open_doors_are_seen(served: Served) -> None:
    served.bridge.data_dir.chmod(0o755)
    runtime = served.bridge.folders.runtime(served.bridge.find(None).id)
    runtime.chmod(0o644)
    found = await findings(served)
    assert (found["data folder"].verdict, found["runtime file"].verdict) == ("fail", "fail")
    assert (found["data folder"].do, found["runtime file"].do) == (
        f"Run: chmod 700 '{served.bridge.data_dir}'",
        f"Run: chmod 600 '{runtime}'",
    )


async def test_a_vault_that_is_gone_is_no_reason_to_delete_its_index(served: Served) -> None:
    host = served.bridge.find(None)
    host.root.rename(host.root.with_name("Away"))
    with pytest.raises(VaultUnreadable):
        await host.vault.indexer.reconcile()
    host.vault.indexer.trouble = VaultUnreadable()
    found = await findings(served)
    assert (found["vault"].verdict, found["index"].verdict) == ("fail", "fail")
    assert "delete" not in found["index"].do


async def test_a_runtime_file_that_is_not_ours_is_seen(served: Served) -> None:
    runtime = served.bridge.folders.runtime(served.bridge.find(None).id)
    text = runtime.read_text()
    runtime.write_text(text.replace(str(os.getpid()), str(os.getppid())))
    assert (await findings(served))["runtime file"].verdict == "warn"
    runtime.write_text("{")
    assert (await findings(served))["runtime file"].verdict == "fail"
    runtime.write_text(text)


async def test_a_wrong_setting_is_seen(served: Served) -> None:
    served.bridge.settings_path.write_text("wokers = 2\n")
    found = (await findings(served))["settings"]
    assert (found.verdict, "did you mean `workers`" in found.message) == ("warn", True)


async def test_a_vault_that_went_away_is_seen(served: Served) -> None:
    root = served.bridge.find(None).root
    root.rename(root.with_name("Gone"))
    assert (await findings(served))["vault"].verdict == "fail"
    root.mkdir()
    assert (await findings(served))["vault"].verdict == "warn"


async def test_what_obsidian_leaves_out_and_the_bridge_cannot_is_seen(served: Served) -> None:
    app = served.bridge.find(None).root / ".obsidian" / "app.json"
    app.write_text('{"userIgnoreFilters": ["Drafts/", "/(a+)+$/"]}')
    found = (await findings(served))["Obsidian"]
    assert (found.verdict, "`/(a+)+$/`" in found.message, "Drafts" in found.message) == ("warn", True, False)
    app.write_text("[]")
    assert "app.json" in (await findings(served))["Obsidian"].message


async def test_a_vault_that_cannot_be_written_is_seen(served: Served) -> None:
    with read_only(served.bridge.find(None).root):
        found = (await findings(served))["vault"]
    assert (found.verdict, "not written" in found.message) == ("warn", True)


async def test_an_earlier_version_that_was_damaged_is_seen(served: Served) -> None:
    await served.call("edit_note", path="A.md", edits=[{"op": "append", "text": "More."}])
    assert (await findings(served))["changes"].verdict == "ok"
    snapshots = served.bridge.folders.vault(served.bridge.find(None).id) / "snapshots"
    for file in snapshots.glob("??/*"):
        file.write_bytes(file.read_bytes()[:-1])
    found = (await findings(served))["changes"]
    assert (found.verdict, found.message.rpartition(" ")[2]) == ("warn", "2.")


async def test_changes_that_were_left_are_seen(served: Served) -> None:
    store, now = served.bridge.find(None).store, time.time()
    plan = Plan([Step("put", VaultPath("A.md"), before=digest_of(b"old"), after=digest_of(b"new"))])
    left = Change(store.journal.next_id(), now - 100, "edit_note", steps=tuple(plan.steps))
    store.journal.begin(left).prepare(plan)
    found = (await findings(served))["changes"]
    assert (found.verdict, found.message, "Restart" in found.do) == ("warn", "Changes that broke off: 1.", True)
    store.journal.set_state(left.id, "conflict")
    found = (await findings(served))["changes"]
    assert (found.verdict, "--state conflict" in found.do) == ("warn", True)
    assert found.do.endswith("look at `A.md`: the others are as they were before.")
    (served.bridge.find(None).root / "A.md").write_bytes(b"old")
    await served.call("report_changes", changes=[{"kind": "upsert", "path": "A.md"}])
    await served.call("wait_until_indexed", path="A.md")
    assert (await findings(served))["changes"].do.endswith("all their notes are as they were before.")


async def test_proposals_that_take_more_room_than_they_may_are_seen(served: Served) -> None:
    served.bridge.settings_path.write_text("history_mb = 1\n")
    await served.bridge.reload()
    store, text = served.bridge.find(None).store, os.urandom(2 << 20)
    step = Step("put", VaultPath("B.md"), after=digest_of(text))
    change = Change(store.journal.next_id(), time.time(), "create_note", steps=(step,))
    store.journal.propose(change, {digest_of(text): text})
    found = (await findings(served))["changes"]
    assert (found.verdict, "history_mb" in found.do) == ("warn", True)


def health(**facts: Any) -> HostHealth:
    def of(record: Made) -> Made:
        return replace(record, **{name: fact for name, fact in facts.items() if name in record.__struct_fields__})

    progress = measure_progress(None, None, Embedders(Path("here"), Settings()), Settings(), None, paused=False)
    index = IndexHealth(fragments=1, bytes=1, rebuilds=0, unindexed_rows=0, set_aside=None)
    states = {"watches": True, "is_watched": True, "store_sound": True, "store_salvaged": False}
    return of(HostHealth(Path("here"), of(replace(progress, ready_keyword=True)), of(index), **states))


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({}, "ok"),
        ({"trouble": "It is broken."}, "fail"),
        ({"index": None}, "warn"),
        ({"ready_keyword": False}, "warn"),
        ({"fragments": 1000}, "warn"),
        ({"unindexed_rows": 100_000}, "warn"),
        ({"rebuilds": 1}, "warn"),
        ({"set_aside": "`passages.lance/data/1.lance` is not as it was written"}, "warn"),
        ({"failed": {"A.md": "It is broken."}}, "warn"),
    ],
)
def test_the_index_is_judged(facts: dict[str, Any], verdict: str) -> None:
    assert doctor.check_index(health(**facts)).verdict == verdict


def test_an_index_that_is_not_compact_has_its_fix() -> None:
    assert doctor.check_index(health(fragments=1000)).fix == Fix("Reindex", "vaultside reindex", "reindex")
    assert doctor.check_index(health()).fix is None


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({}, "ok"),
        ({"watches": False}, "warn"),
        ({"is_watched": False}, "ok"),
        ({"is_watched": False, "trouble": "The disk is gone."}, "warn"),
    ],
)
def test_the_watcher_is_judged(facts: dict[str, Any], verdict: str) -> None:
    assert doctor.check_watcher(health(**facts)).verdict == verdict


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [({}, "ok"), ({"store_sound": False}, "fail"), ({"store_salvaged": True}, "warn")],
)
def test_the_state_is_judged(facts: dict[str, Any], verdict: str) -> None:
    assert doctor.check_state(health(**facts)).verdict == verdict


@pytest.mark.parametrize(
    ("codes", "verdict", "says"),
    [
        ({}, "ok", "Nothing was called yet."),
        ({None: 90, "note_not_found": 10}, "ok", "Health 100 %: of the last 100 calls, 0 failed"),
        ({None: 97, "not_ready": 3}, "ok", "Health 97 %: of the last 100 calls, 3 failed"),
        ({None: 90, "not_ready": 8, "internal": 2}, "warn", "(`not_ready` 8, `internal` 2)"),
        ({"disk_full": 21}, "warn", "Health 0 %"),
        ({None: 9, "not_ready": 11}, "ok", "Health 45 %"),
    ],
)
def test_the_last_calls_are_judged(codes: dict[str | None, int], verdict: str, says: str) -> None:
    found = doctor.check_calls(Counter(codes))
    assert (found.verdict, says in found.message) == (verdict, True)


@pytest.mark.parametrize(("free", "verdict"), [(2**40, "ok"), (2**29, "warn"), (2**20, "fail")])
def test_the_disk_is_judged(free: int, verdict: str) -> None:
    assert doctor.check_free_space(free).verdict == verdict


def test_a_data_folder_that_is_not_there_yet_is_told(tmp_path: Path) -> None:
    assert doctor.check_permissions(tmp_path / "nowhere").verdict == "warn"
    assert free_bytes(Folders(tmp_path / "nowhere" / "below")) > 0


async def test_a_check_that_fails_itself_hides_no_other(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_host: object) -> NoReturn:
        raise RuntimeError("secret")

    install((*FEATURES, Feature("toy", vault_checks=(broken,))))
    try:
        found = await findings(served)
    finally:
        install(FEATURES)
    assert (found["toy"].verdict, found["toy"].message) == ("warn", "A check of toy failed: RuntimeError.")
    assert len(found) > 8
    assert ("A check of toy failed" in caplog.text, "secret" in caplog.text) == (True, False)


async def test_folders_that_tools_fill_are_offered_for_exclusion_and_never_left_out_unasked(served: Served) -> None:
    root = served.bridge.find(None).root
    filled = ("web/node_modules/a/b.md", "web/build/c.md", "उपकरण/env/lib/d.md", "node_modules/e.md", "app/target/f.md")
    plain = ("target/g.md", "build/h.md", "env/i.md")
    for file in (*filled, *plain, "web/package.json", "उपकरण/env/pyvenv.cfg", "app/Cargo.toml"):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("oven\n", encoding="utf-8")
    await served.settle((await served.call("reindex")).json["job_id"])
    hits = (await served.call("search", query="oven", mode="keyword", limit=50)).json["hits"]
    assert {hit["path"] for hit in hits} == {*filled, *plain}
    found = (await findings(served))["program folders"]
    assert found.verdict == "warn"
    assert "`web/node_modules/` (1 note)" in found.message
    globs = json.loads(f"[{found.do.partition(': ')[2].removesuffix('.')}]")
    assert sorted(globs) == ["app/target/**", "node_modules", "web/build/**", "उपकरण/env/**"]
    await served.bridge.use(Settings(exclude=tuple(globs)))
    await readable(served)
    assert {path for path in served.bridge.find(None).vault.index.notes if path != "A.md"} == set(plain)
    assert (await findings(served))["program folders"].verdict == "ok"
