"""Makes `data-folder.tar.xz` anew: `python -m tests.features.older.make CODE`, where CODE is a checkout of c44bc973.

That version serves the notes as the archive has them in `notes`, and does what users and agents do with them. The
archive then holds the vault, the data folder and, in `answers.json`, what was answered at the end.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.system.sidecar import COMMAND, Sidecar, serving

ARCHIVE = Path(__file__).with_name("data-folder.tar.xz")
PLACE = Path("/tmp/vault of then")

SEARCHES = ("how hot must the oven be", "Sauerteig füttern", "tomates", "味噌", "frost")
REPORTS: dict[str, dict[str, Any]] = {
    "list_changes": {"limit": 200},
    "list_sessions": {},
    "list_memories": {},
    "list_corrections": {"state": "all"},
    "list_policies": {},
    "list_injections": {},
    "garden_rules": {},
    "graph_history": {},
    "usage": {},
}

Client = Callable[..., Any]


def client(bridge: Sidecar, token: str, name: str = "") -> Client:
    """Return what calls an operation as a client that has a session."""
    headers = {"Authorization": f"Bearer {token}"}
    if name:
        headers |= {"X-Vaultside-Client": f"{name}/1.0", "X-Vaultside-Session": f"the session of {name}"}

    def call(operation: str, **arguments: Any) -> Any:
        body = json.dumps(arguments).encode()
        url = f"{bridge.ready['url']}/api/{operation}"
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
            return json.load(answer)

    return call


def run(code: Path, *words: str) -> Any:
    """Run a command of the older version, as the user does."""
    command = [str(COMMAND), *words, "--data-dir", str(PLACE / "data"), "--json"]
    env = {**os.environ, "PYTHONPATH": str(code)}
    done = subprocess.run(command, env=env, cwd=PLACE / "Kitchen", stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout or "null")


def work(bridge: Sidecar, user: Client, scribe: Client, helper: Client) -> dict[str, str]:
    """Do what leaves something in the data folder, and return the ids of changes."""
    changes: dict[str, str] = {}

    def change(name: str, by: Client, operation: str, **arguments: Any) -> Any:
        made = by(operation, **arguments)
        changes[name] = made["change_id"]
        bridge.wait_indexed()
        return made

    user("set_up_memory")
    water = [{"op": "append", "text": "In August it is empty by the tenth day."}]
    change("edited", scribe, "edit_note", path="Water.md", edits=water, reason="The user measured it")
    change("moved", scribe, "move_note", path="Compost.md", to="Garden/Compost.md")
    change("created", scribe, "create_note", path="Rain gauge.md", text="# Rain gauge\n\nStands by the barrel.\n")
    change("undone", scribe, "set_properties", path="Bread.md", properties={"rating": 5})
    change("undo", user, "undo_change", change_id=changes["undone"])
    heap = user("read_note", path="Compost heap.md")["digest"]
    change("deleted", scribe, "delete_note", path="Compost heap.md", digest=heap, confirm=True)
    salt = [
        {"op": "insert_under", "heading": "Salt", "text": "Sea salt will do."},
        {"op": "insert_under", "heading": "Flour", "text": "Sift it."},
    ]
    change("proposed", helper, "edit_note", path="Bread.md", edits=salt, reason="Asked often")
    change("proposed move", helper, "move_note", path="Boerenkool.md", to="Garden/Boerenkool.md")
    change("rejected", helper, "create_note", path="Spam.md", text="Buy now.\n")
    user("reject_change", change_id=changes["rejected"])
    change("accepted", helper, "add_task", path="Daily/2026-11-27.md", text="Call the miller")
    user("accept_change", change_id=changes["accepted"])

    user("dismiss", kind="orphan", paths=["김치.md"])
    scribe("dismiss", kind="orphan", paths=["Квашеная капуста.md"])
    user("dismiss", kind="prospect", name="Thursdays")
    user("judge_link", path="Garden calendar.md", target="Boerenkool.md", text="Boerenkool", verdict="decline")
    user("judge_link", path="Miller Adams.md", target="Bread.md", text="Bread", verdict="accept")
    user("give_feedback", tool="list_folders", helped=True)

    hot = change(
        "memory", scribe, "remember", title="The oven runs ten degrees hot", text="Set 240 °C.", kind="learning"
    )["path"]
    plain = scribe("remember", title="Answer in plain words", text="Short ones.", kind="preference", pinned=True)
    exact = scribe("remember", title="The oven is exact", text="Set what the recipe says.", kind="learning")
    bridge.wait_indexed()
    scribe("supersede_memory", path=[exact["path"]], by=hot)
    user("judge_memory", path=hot, verdict="useful")
    user("judge_memory", path=plain["path"], verdict="wrong")
    scribe("recall", query="how hot is the oven")
    scribe("brief", task="bake a loaf")

    wrong = change(
        "correction", scribe, "record_correction", kind="wrong_fact", text="Rye needs more water", path="Bread.md"
    )
    kale = {"path": "Garden calendar.md", "target": "Boerenkool.md", "words": "Kale"}
    scribe("record_correction", kind="wrong_link", text="Kale means another plant here", **kale)
    bridge.wait_indexed()
    scribe("resolve_correction", id=wrong["id"], how="applied", note="Added 20 g")

    scribe("save_session", goal="Bring the garden notes up to date", where_left_off="The calendar is next")
    scribe("note_down", what="problem", text="No month for garlic", paths=["Garden calendar.md"])
    proof = {"path": "Bread.md", "heading": "Oven"}
    claims = [{"text": "The crust has its paragraph", "proof": proof}]
    rye = {"goal": "Describe every starter", "state": "Rye is done", "next_action": "Write about wheat"}
    change("handoff", scribe, "hand_over", **rye, claims=claims)
    letter = helper("hand_over", goal="Answer the miller", state="He was called", next_action="Write", to="scribe")
    bridge.wait_indexed()
    scribe("take_over", path=letter["path"])

    meeting = user("author_policy", name="Meeting", starter="meeting-note")["path"]
    text = "{version: 1, steps: [{id: note, do: create_note, path: Reading/Salt.md}]}"
    scribe("author_policy", name="Salt", text=text)
    bridge.wait_indexed()
    user("approve_policy", path=meeting, digest=user("check_policy", path=meeting)["digest"])

    plan = change("plan", user, "plan_garden")
    user("judge_finding", path=plan["path"], finding="g1", verdict="reject")
    user("switch_garden_rule", check="prospects", muted=True)
    (session,) = user("list_injections")["sessions"]
    user("withhold_note", path=hot, session=session["session"])
    user("pause_session", client="scribe")
    bridge.wait_indexed()
    return changes


def make(code: Path) -> None:
    """Make the archive anew."""
    shutil.rmtree(PLACE, ignore_errors=True)
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(PLACE, [one for one in archive if one.name.startswith("notes")], filter="data")
    shutil.copytree(PLACE / "notes", PLACE / "Kitchen")
    with serving(PLACE / "Kitchen", data_dir=PLACE / "data", env={"PYTHONPATH": str(code)}) as bridge:
        bridge.wait_indexed()
        names = ("scribe", "helper", "gone")
        tokens = {name: run(code, "tokens", "create", name, "--scope", "write")["token"] for name in names}
        run(code, "tokens", "revoke", "gone")
        for setting in ('apply_clients=["scribe"]', "search_deep=judged", "brief.days=10"):
            run(code, "change-settings", "--changes", setting)
        run(code, "change-server", "weather", "--program", "weather", "--ask", "first", "--no-enabled")
        user = client(bridge, bridge.ready["token"])
        changes = work(bridge, user, *(client(bridge, tokens[name], name) for name in ("scribe", "helper")))
    # What was left to do for the journal is done at the next start.
    with serving(PLACE / "Kitchen", data_dir=PLACE / "data", env={"PYTHONPATH": str(code)}) as bridge:
        user = client(bridge, bridge.ready["token"])
        bridge.wait_indexed()
        bridge.until(lambda: has_journal(user), "the journal is complete", 60)
        answers: dict[str, Any] = {"tokens": tokens, "changes": changes, "status": bridge.wait_indexed()}
        answers |= {operation: user(operation, **arguments) for operation, arguments in REPORTS.items()}
        answers["shown"] = {name: user("show_change", change_id=id_) for name, id_ in changes.items()}
        answers["search"] = {
            f"{mode}: {query}": [hit["path"] for hit in user("search", query=query, mode=mode)["hits"]]
            for mode in ("keyword", "semantic", "hybrid")
            for query in SEARCHES
        }
    (PLACE / "answers.json").write_text(json.dumps(answers, ensure_ascii=False, indent=1), encoding="utf-8")
    pack()
    # A test moves the vault, which it is not while it is still there.
    shutil.rmtree(PLACE)


def has_journal(user: Client) -> bool:
    """Say whether the journal of the first agent tells that its session is over."""
    (note,) = (one["note"] for one in user("list_sessions")["sessions"] if one["note"])
    return bool(user("read_note", path=note)["properties"]["status"] == "paused")


def pack() -> None:
    """Write the archive, without backups and what a running bridge needs."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for name in ("notes", "Kitchen", "data", "answers.json"):
            archive.add(PLACE / name, name, filter=lambda one: None if is_passing(one.name) else owned_by_nobody(one))


def is_passing(name: str) -> bool:
    """Say whether a file is of no use to another version."""
    return ".backup" in name or name.endswith(("lock", ".log")) or name.startswith("data/run/")


def owned_by_nobody(one: tarfile.TarInfo) -> tarfile.TarInfo:
    """Take out who made a file."""
    one.uid = one.gid = 0
    one.uname = one.gname = ""
    return one


if __name__ == "__main__":
    make(Path(sys.argv[1]))
