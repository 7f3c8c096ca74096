"""A vault with a denied folder answers everything as the vault without it does.

By words only: the last digits of a vector depend on the texts that are embedded beside it.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.api.operation import Operation
from bridge.features import operations
from bridge.index.index import Index
from bridge.types import VaultPath
from tests.system.canaries import DENIED, FOLDER, LINKED, NOTE, SECRET, write_open, write_private
from tests.system.sidecar import Sidecar, request, serving, settled

READING = [
    operation
    for operation in operations()
    if operation.vault and (operation.reads or operation.name in {"report_changes", "reindex"})
    if operation.name not in {"usage", "list_sessions"}  # tell of the calls, of which each vault had others
]

KEEPERS = {"judge_link", "dismiss", "save_session", "judge_finding"}
"""Operations that keep what they are told."""

WRITING = [
    operation
    for operation in operations()
    if operation.vault and not operation.reads and operation not in READING
    if operation.name not in KEEPERS
]

WORKFLOW = f"""
version: 1
conditions:
  - {{id: there, check: note_exists, note: {json.dumps(NOTE)}}}
  - {{id: named, check: note_exists, note: Vexhollow}}
  - {{id: section, check: section_exists, note: {json.dumps(NOTE)}, heading: Snorbeck}}
  - {{id: tasks, check: open_tasks, folder: {json.dumps(FOLDER)}}}
  - {{id: links, note: Welcome.md, where: 'file.links.filter(value.asFile() != null).length > 3'}}
steps:
  - {{id: folder, do: find_notes, folder: {json.dumps(FOLDER)}}}
  - {{id: tagged, do: find_notes, where: 'file.hasTag("brindlewick") || file.hasLink("Vexhollow")'}}
  - {{id: open, do: list_tasks, text: gorsebane}}
  - {{id: hits, do: search, query: quillmarsh, mode: keyword}}
  - id: note
    do: create_note
    path: New.md
    text: |
      {{{{conditions.there}}}} {{{{conditions.named}}}} {{{{conditions.section}}}} {{{{conditions.tasks}}}}
      {{{{steps.folder.total}}}} {{{{steps.tagged.total}}}} {{{{steps.open.total}}}} [[Vexhollow]]
  - {{id: last, do: add_task, path: New.md, text: "{{{{steps.hits.total}}}} {{{{conditions.links}}}}"}}
"""
"""A workflow that asks for denied notes in every way."""

EDIT = {"op": "append", "text": "More."}

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "path": (*DENIED, FOLDER, NOTE.lower(), f"{FOLDER}/Nothing.md", "alias.md", "Vexhollow.md", "Trespelih.md"),
    "paths": ([NOTE], [*DENIED]),
    "folder": (FOLDER, FOLDER.lower(), f"{FOLDER}/Whimbrelode", ""),
    "links_to": (NOTE, f"{FOLDER}/klepthorn.png"),
    "linked_from": (NOTE,),
    "target": (NOTE, "alias.md"),
    "targets": ([NOTE],),
    "supersedes": ([NOTE], ["alias.md"]),
    "by": (NOTE, "Welcome.md"),
    "about": ([NOTE], ["Vexhollow"]),
    "title": ("Vexhollow", "Klepthorn"),
    "source": (NOTE, "Open doors.md"),
    "this": (NOTE, "alias.md"),
    "where": ('file.hasLink("Vexhollow")', 'file.hasTag("brindlewick") || torvandale', 'file.inFolder("Jundapeak")'),
    "into": (NOTE, "Welcome.md", f"{FOLDER}/Nothing.md"),
    "link": (*LINKED, *DENIED, "#Snorbeck", "Vexhollow#^fenwhistle", "Ormulith", "klepthorn.png", "trespelith"),
    "query": (*SECRET, *LINKED, "the quillmarsh opens at noon", "path:jundapeak", "tag:#brindlewick", "[torvandale]"),
    "text": ("The quillmarsh of Vexhollow and Trespelith opens at noon. Ormulith, Snorbeck.", WORKFLOW),
    "task": (*SECRET,),
    "to": (NOTE, FOLDER, f"{FOLDER}/New.md", f"{FOLDER}/Whimbrelode/Gull", "alias.md", "Elsewhere", "Welcome.md"),
    "template": (NOTE, f"{FOLDER}/Nothing.md", "alias.md"),
    "suggestions": ([{"target": NOTE, "text": "rye", "span": [0, 3]}],),
    "edits": (
        [{"op": "append", "text": "See [[Vexhollow]] and [[Trespelith#Snorbeck]]."}],
        *([{"op": "edit_note", "path": path, "edits": [EDIT]}] for path in (*DENIED, "alias.md")),
        [{"op": "create_note", "path": "New.md", "template": NOTE}],
        [{"op": "create_note", "path": "New.md"}, {"op": "create_note", "path": NOTE}],
        [{"op": "create_note", "path": "New.md"}, {"op": "create_note", "path": f"{FOLDER}/Nothing.md"}],
        [{"op": "move_note", "path": FOLDER, "to": "Elsewhere"}],
        [{"op": "move_note", "path": "Bread/Starters", "to": f"{FOLDER}/Starters"}],
        [{"op": "toggle_task", "path": NOTE, "line": 11, "text": "gorsebane"}],
        [{"op": "add_task", "path": NOTE, "text": "Sweep"}],
    ),
    "append": ("See [[Vexhollow]].",),
    "heading": ("Snorbeck", f"{FOLDER} > Snorbeck"),
    "tags": (["brindlewick"], ["brindlewick/inner"]),
    "tag": ("brindlewick", "#brindlewick/inner"),
    "name": ("torvandale", "Torvandale"),
    "old": ("skarnfeld",),
    "prefix": ("b", "brindle", ""),
    "properties": ({"torvandale": "skarnfeld"}, {"TORVANDALE": None}, {"up": "Vexhollow"}),
    "changes": (
        [{"kind": "upsert", "path": NOTE}],
        [{"kind": "rename", "path": NOTE, "from": "Welcome.md"}],
        [{"kind": "delete", "path": FOLDER}],
    ),
    "snapshot": ([{"path": NOTE, "mtime": 1.0, "size": 1}],),
    "section": ("Snorbeck",),
    "explain": (True,),
    "full": (True,),
}
"""What to ask by the name of the argument."""

ENOUGH = {"explain", "section", "task", "full"}
"""Arguments that say something only beside an example."""


WRITTEN = re.compile(r"^\+(?:id|created|updated): .*$|^\+valid_until: .*T.*$", re.MULTILINE)
"""Properties of a memory that tell when it was written, in a diff."""


@dataclass(frozen=True, slots=True)
class Vaults:
    """One bridge with the vault without the folder, one from which it was taken, and one that never showed it."""

    bridge: Sidecar
    without: str
    purged: str
    closed: str

    def ask(self, vault: str, operation: str, arguments: dict[str, Any]) -> tuple[int, str]:
        """Call an operation and return its answer without what differs from call to call and by the vault's name."""
        ready = self.bridge.ready
        status, answer = request(ready["url"], ready["token"], operation, {**arguments, "vault": vault})
        if operation == "reindex" and status == 200:
            wait = {"job_id": answer["job_id"], "wait": 300}
            status, answer = request(ready["url"], ready["token"], "job_status", wait)
        text = json.dumps(masked(answer), ensure_ascii=False)
        return status, text.replace(vault, "…")

    def alike(self, operation: str, arguments: dict[str, Any]) -> tuple[int, str]:
        """Check that all three answer the same, and return it."""
        expected = self.ask(self.without, operation, arguments)
        assert self.ask(self.closed, operation, arguments) == expected
        assert self.ask(self.purged, operation, arguments) == expected
        return expected


MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d[+-]\d\d:\d\d| \d{4}\b)")
"""The time in a note that an agent writes, and in its name."""


def masked(value: Any) -> Any:
    """Take out times and ids."""
    match value:
        case dict():
            return {k: "…" if k in {"took_ms", "job_id", "ms", "preview"} else masked(v) for k, v in value.items()}
        case list():
            return [masked(item) for item in value]
        case str():
            return MOMENT.sub("…", WRITTEN.sub("…", value))
        case _:
            return value


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaults]:
    folder = tmp_path_factory.mktemp("denied")
    without, purged, closed = (write_open(folder / name) for name in ("without", "purged", "closed"))
    folders = {"data_dir": folder / "data", "models_dir": folder / "no models"}
    with serving(write_private(purged), **folders) as bridge:
        bridge.wait_indexed(vectors=False)
        assert bridge.call("search", query="quillmarsh", mode="keyword")["hits"]
    # Which notes are read together is counted by each vault in its own time (tests/engine/test_co_reading.py).
    apart = "read_together_percent = 0\nrate_limit_per_s = 10000\n"
    rules = f'deny = ["{FOLDER.upper()}/**"]\n{apart}'
    (folder / "data/settings.toml").write_text(rules, encoding="utf-8")
    write_private(closed)
    # Twice: the order of what is read from the index is not that in which it was written.
    for again in (False, True):
        with serving(without, purged, closed, **folders) as bridge:
            found = Vaults(bridge, *(vault["id"] for vault in bridge.call("status")["vaults"]))
            for number, vault in enumerate((found.without, found.purged, found.closed)):
                index = folder / "data/vaults" / vault / "index"
                bridge.until(partial(indexed, bridge, number, index), "it is indexed and nothing denied is kept")
                found.ask(vault, "reindex", {})
            if again:
                yield found
        for index in (folder / "data/vaults").glob("*/index"):
            asyncio.run(compact(index))


async def compact(folder: Path) -> None:
    """Take every row into the indexes: how many are not yet decides a little how well words match."""
    index = await asyncio.to_thread(Index.open, folder)
    await index.optimise()
    await index.close()


def indexed(bridge: Sidecar, number: int, index: Path) -> bool:
    """Say whether all of a vault is read, and what is denied erased."""
    cleansed = (index / "rules.json").is_file() and FOLDER.upper() in (index / "rules.json").read_text("utf-8")
    return cleansed and settled(bridge.vault(number), vectors=False) is not None


def cases(operation: Operation) -> Iterator[dict[str, Any]]:
    """Yield arguments about what is denied."""
    yield dict(operation.example)
    required = {argument.name for argument in operation.arguments if argument.is_required}
    for argument in operation.arguments:
        alone = required <= {argument.name} and argument.name not in ENOUGH
        for value in ARGUMENTS.get(argument.name, ()):
            yield {argument.name: value} if alone else {**operation.example, argument.name: value}


@pytest.mark.parametrize("operation", READING, ids=lambda operation: operation.name)
def test_every_operation_answers_as_if_the_folder_were_not_there(vaults: Vaults, operation: Operation) -> None:
    for arguments in cases(operation):
        status, answer = vaults.alike(operation.name, arguments)
        assert status < 500, answer


@pytest.mark.parametrize("operation", WRITING, ids=lambda operation: operation.name)
def test_every_write_is_tried_as_if_the_folder_were_not_there(vaults: Vaults, operation: Operation) -> None:
    trying = {"dry_run": True} if any(argument.name == "dry_run" for argument in operation.arguments) else {}
    for arguments in cases(operation):
        asked = {**arguments, **trying}
        expected = vaults.ask(vaults.without, operation.name, asked)
        for vault in (vaults.closed, vaults.purged):
            answer = vaults.ask(vault, operation.name, asked)
            if answer != expected:
                # Whether there is room for a file in a folder that must seem missing is not told.
                assert (expected[0], "protected_path" in answer[1]) == (200, True), (asked, expected, answer)
                assert FOLDER.lower() in json.dumps(asked).lower() or "alias.md" in json.dumps(asked)
                assert not [word for word in SECRET if word in answer[1].lower() and word not in str(asked).lower()]


@pytest.mark.parametrize("operation", ["move_note", "delete_note"])
def test_a_note_that_denied_ones_link_to_goes_as_if_they_did_not(vaults: Vaults, operation: str) -> None:
    _, read = vaults.ask(vaults.without, "read_note", {"path": "Welcome.md"})
    to = {"to": "Bread/Hello.md"} if operation == "move_note" else {}
    asked = {"path": "Welcome.md", "digest": json.loads(read)["digest"], "dry_run": True, **to}
    assert vaults.alike(operation, asked)[0] == 200


def test_every_argument_that_may_name_a_note_is_asked_about() -> None:
    for operation in (*READING, *WRITING):
        for argument in operation.arguments:
            if VaultPath in (argument.hint, *get_args(argument.hint)):
                assert argument.name in ARGUMENTS, f"{operation.name} {argument.name}"


def test_status_and_doctor_tell_the_same_of_both(vaults: Vaults) -> None:
    bridge = vaults.bridge
    # What other tests reported may still be looked at.
    for number in range(3):
        bridge.until(lambda number=number: settled(bridge.vault(number), vectors=False), "it is indexed")  # type: ignore[misc]
    without, purged, closed = bridge.call("status")["vaults"]
    for vault in (without, purged, closed):
        del vault["id"], vault["name"], vault["path"], vault["indexed"]
    assert closed == without
    assert purged == without
    findings = vaults.bridge.call("doctor")["findings"]
    assert not [word for word in (*SECRET, *LINKED) if word in json.dumps(findings).lower()]
    by_vault = [
        [(f["check"], f["verdict"]) for f in findings if f["vault"] == name] for name in ("without", "purged", "closed")
    ]
    assert by_vault[0] == by_vault[1] == by_vault[2]


PIECES = [
    *(
        "path:",
        "file:",
        "tag:",
        "tag:#",
        "[",
        "]",
        "[torvandale:",
        "-",
        "(",
        ")",
        " OR ",
        '"',
        " ",
        "*",
        "/",
        "#",
        "\\",
    ),
    *("jundapeak", "Jundapeak/", "vexhollow", "brindlewick", "skarnfeld", "torvandale", "quillmarsh", "bread"),
    *("\u200b", "ｊundapeak", "JUNDAPEAK", "%2e%2e/", "../", "null", ">0", "Bread/"),
]
QUERIES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join).filter(str.strip)
FOLDERS = st.sampled_from([None, "", FOLDER, f"{FOLDER}/", f"./{FOLDER}", f"Bread/../{FOLDER}", "Bread", "jundapeak"])
DATES = st.sampled_from([None, "1970-01-01", "2999-01-01", "2026-01-01T00:00:00Z"])
TAGS = st.lists(st.sampled_from(["brindlewick", "#brindlewick", "bread", "brindlewick/", ""]), max_size=2)
PROPERTIES = st.dictionaries(
    st.sampled_from(["torvandale", "Torvandale ", "up", "tags", "aliases"]),
    st.sampled_from([None, "skarnfeld", ["skarnfeld", 1], "[[Vexhollow]]", "Vexhollow", True, "Ormulith"]),
    max_size=2,
)
FILTERS = st.fixed_dictionaries(
    {"tags": TAGS, "properties": PROPERTIES, "limit": st.sampled_from([1, 50])},
    optional={"folder": FOLDERS, "modified_after": DATES, "modified_before": DATES},
)
SPARING = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SPARING
@given(QUERIES, FILTERS, st.sampled_from(["keyword", "hybrid", "semantic"]), st.booleans())
def test_no_filter_of_a_search_reaches_the_folder(
    vaults: Vaults, query: str, filters: dict[str, Any], mode: str, explain: bool
) -> None:
    status, answer = vaults.alike("search", {"query": query, "mode": mode, "explain": explain, **filters})
    assert status in {200, 400} or mode == "semantic"
    assert not re.search(f'"path": "{FOLDER}', answer)


@SPARING
@given(FILTERS, st.sampled_from([None, NOTE, "Welcome.md"]), st.sampled_from([None, NOTE, "Open doors.md"]))
def test_no_filter_of_a_list_reaches_the_folder(
    vaults: Vaults, filters: dict[str, Any], links_to: str | None, linked_from: str | None
) -> None:
    status, answer = vaults.alike("find_notes", {**filters, "links_to": links_to, "linked_from": linked_from})
    assert status in {200, 400, 404}
    assert not re.search(f'"path": "{FOLDER}', answer.partition('"error"')[0])
