"""Features: each can be taken out, and the bridge is whole without it; each may work in open vaults."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Never

import pytest
from msgspec import defstruct

from bridge.api.call import OWNER, Call
from bridge.api.feature import Feature
from bridge.api.registry import FEATURES, get_operation, install
from bridge.engine.bridge import Bridge
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, StateUnusable
from bridge.export.catalogue import catalogue
from bridge.export.openapi import openapi
from bridge.export.reference import settings_page
from bridge.features import FEATURES as ALL
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.settings.file import save_settings
from bridge.settings.schema import Setting, install_sections
from bridge.state.store import Store
from bridge.state.tables import StateTable, Subject
from bridge.types import VaultPath
from tests.engine.conftest import until
from tests.features.served import serving, write_vault
from tests.mcp.client import connected

FOLDERS = {path.parent.name for path in (Path(__file__).parents[2] / "bridge" / "features").glob("*/__init__.py")}


class ToySettings(Record):
    """The settings of the toy."""

    keep_days: Annotated[int, Setting("Days to keep toys.", least=1, most=100)] = 30
    colours: Annotated[tuple[str, ...], Setting("Colours of toys.", restart=True)] = ()


TOY = Feature(
    "toy",
    settings=ToySettings,
    tables=Subject(
        "toy",
        tables=(StateTable("toy_note", "ON CONFLICT (id) DO NOTHING", paths=("note",)),),
        migrations=(
            "CREATE TABLE toy_note (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;",
            "ALTER TABLE toy_note ADD COLUMN said TEXT;",
        ),
    ),
)
"""A feature as others may add it."""


@contextmanager
def with_toy() -> Iterator[None]:
    """Install the toy for a block."""
    install((*ALL, TOY))
    try:
        yield
    finally:
        install(ALL)


@pytest.fixture
def toy() -> Iterator[None]:
    """Install the toy for one test."""
    with with_toy():
        yield


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    """Return a bridge with the toy, whose settings are to be written."""
    (tmp_path / "data").mkdir()
    with with_toy():
        yield Bridge(tmp_path / "data", tmp_path / "models", [])


@pytest.fixture(params=ALL, ids=lambda feature: feature.name)
def absent(request: pytest.FixtureRequest) -> Iterator[Feature]:
    """Take a feature out for one test."""
    install(feature for feature in ALL if feature is not request.param)
    yield request.param
    install(ALL)


def test_every_folder_is_a_feature_of_its_name() -> None:
    modules = {function.__module__ for feature in ALL for function in feature.operations}
    homes = {module.split(".")[2] for module in modules if module.startswith("bridge.features.")}
    assert {feature.name for feature in ALL} == FOLDERS == homes
    assert [feature.name for feature in FEATURES] == [feature.name for feature in ALL]


async def test_the_bridge_starts_without_it(absent: Feature, tmp_path: Path) -> None:
    names = {function.__name__ for function in absent.operations}
    vault = write_vault(tmp_path / "Notes", {"Rye.md": "Bread of rye, see [[Wheat]]."})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        missing = await served.call(min(names))
        assert (missing.status, missing.json["error"]["code"]) == (404, "no_such_operation")
        for name, arguments in {"find_notes": {}, "search": {"query": "rye"}, "status": {}}.items():
            # Without `status` nobody can tell when the notes are indexed.
            if not names & {name, "status"}:
                assert (await served.call(name, **arguments)).status == 200
        async with connected(served, preset="full") as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
    assert listed
    assert not listed & names
    assert not names & {entry["name"] for entry in catalogue()}
    assert openapi()["paths"]


def toys(store: Store) -> list[tuple[str, str]]:
    return store.database.read(lambda connection: connection.execute("SELECT note, said FROM toy_note").fetchall())


@pytest.mark.usefixtures("toy")
async def test_rows_of_a_feature_follow_moves_outlive_damage_and_are_erased_by_deny(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"Rye.md": "Bread of rye.", "Wheat.md": "Bread of wheat.", "Oats.md": "O."})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        store = served.bridge.find(None).store
        rows = [("Rye.md", "dark"), ("Wheat.md", "light"), ("Oats.md", "none")]
        store.database.write("INSERT INTO toy_note (note, said) VALUES (?, ?)", *rows)
        assert (await served.call("move_note", path="Rye.md", to="Secret/Rye.md")).status == 200
        await until(lambda: ("Secret/Rye.md", "dark") in toys(store))
        state = store.database.path
    state.write_bytes(b"not a database" * 1000)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        host = served.bridge.find(None)
        assert host.store.salvaged
        assert sorted(toys(host.store)) == [("Oats.md", "none"), ("Secret/Rye.md", "dark"), ("Wheat.md", "light")]
        (vault / "Wheat.md").rename(vault / "Barley.md")
        await until(lambda: ("Barley.md", "light") in toys(host.store))
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
        await until(lambda: len(toys(host.store)) == 2)
        assert sorted(toys(host.store)) == [("Barley.md", "light"), ("Oats.md", "none")]
        host.store.move({VaultPath("Barley.md"): VaultPath("Oats.md"), VaultPath("Oats.md"): VaultPath("Barley.md")})
        assert sorted(toys(host.store)) == [("Barley.md", "none"), ("Oats.md", "light")]
    assert not any(b"Secret/Rye" in file.read_bytes() for file in state.parent.glob("state.sqlite*"))


def test_the_state_of_a_feature_is_not_opened_without_it(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with with_toy():
        Store.open(path).close()
    with pytest.raises(StateUnusable, match="toy"):
        Store.open(path)
    with with_toy(), closing(Store.open(path)) as store:
        assert (toys(store), store.salvaged) == ([], False)


async def settings_of(bridge: Bridge) -> tuple[dict[str, Any], tuple[str, ...]]:
    shown = await get_operation("read_settings").run(Call(bridge, OWNER), {})
    return {one.name: one.value for one in shown.settings if one.name.startswith("toy.")}, shown.problems


async def test_settings_of_a_feature_are_read_from_its_section(bridge: Bridge) -> None:
    bridge.settings_path.write_text('workers = 2\n\n[toy]\nkeep_days = 7\ncolours = ["red"]\n')
    await bridge.reload()
    assert bridge.settings.section(ToySettings) == ToySettings(7, ("red",))
    assert await settings_of(bridge) == ({"toy.keep_days": 7, "toy.colours": ("red",)}, ())
    bridge.settings_path.write_text("")
    await bridge.reload()
    assert bridge.settings.section(ToySettings) == ToySettings()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[toy]\nkeep_days = 0", "`toy.keep_days` must be at least 1"),
        ('[toy]\ncolours = "red"', '`toy.colours` must be a list of strings, such as ["A", "B"]'),
        ("[toy]\nkeep_day = 3", "unknown setting `toy.keep_day`; did you mean `toy.keep_days`?"),
        ("toy = 3", "`toy` must be a section, begun by `[toy]`"),
        ("[toys]\nkeep_days = 3", "unknown setting `toys`"),
    ],
)
async def test_a_wrong_setting_of_a_feature_is_named_and_left_out(bridge: Bridge, text: str, problem: str) -> None:
    bridge.settings_path.write_text(f"workers = 2\n{text}\n")
    await bridge.reload()
    shown, (message,) = await settings_of(bridge)
    assert (shown, message) == ({"toy.keep_days": 30, "toy.colours": ()}, problem)
    assert (bridge.settings.workers, bridge.settings.deny) == (2, ())


async def test_settings_of_a_feature_are_changed_in_its_section(bridge: Bridge) -> None:
    async def change(**changes: Any) -> str:
        named = {name.replace("__", "."): value for name, value in changes.items()}
        await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": named})
        return bridge.settings_path.read_text()

    assert await change(toy__keep_days=7) == "\n[toy]\nkeep_days = 7\n"
    # What belongs to no feature stands before the first section.
    assert await change(workers=2, toy__colours=["red"]) == 'workers = 2\n\n[toy]\nkeep_days = 7\ncolours = ["red"]\n'
    assert await change(toy__keep_days=None, workers=3) == 'workers = 3\n\n[toy]\ncolours = ["red"]\n'
    assert bridge.settings.section(ToySettings) == ToySettings(colours=("red",))
    with pytest.raises(InvalidArguments, match=r"`toy\.keep_days` must be at most 100"):
        await change(toy__keep_days=101)
    bridge.settings_path.write_text("toy.keep_days = 7\n")
    assert await change(toy__keep_days=8) == "toy.keep_days = 8\n"


async def test_a_rule_that_landed_in_a_section_is_not_lifted(bridge: Bridge) -> None:
    bridge.settings_path.write_text('deny = ["Private/**"]\n')
    await bridge.reload()
    bridge.settings_path.write_text('[toy]\nkeep_days = 7\ndeny = ["Private/**"]\n')
    await bridge.reload()
    assert bridge.settings.deny == ("Private/**",)


@pytest.mark.usefixtures("toy")
def test_settings_of_a_feature_are_documented() -> None:
    page = settings_page().partition("\n## Toy\n")[2]
    assert "In the section `[toy]`" in page
    assert "| `toy.keep_days` | integer, 1 to 100 | `30` | Days to keep toys. |\n" in page
    assert "Colours of toys. Takes effect after a restart. |\n" in page


@pytest.mark.usefixtures("toy")
def test_a_setting_without_a_meaning_is_refused() -> None:
    with pytest.raises(TypeError, match="settings of bare without a meaning: days"):
        install_sections({"bare": defstruct("Bare", [("days", int, 1)])})


class Diary:
    """A feature that keeps what it is given."""

    def __init__(self) -> None:
        self.opened: list[OpenVault] = []
        self.running = 0
        self.batches: list[set[str]] = []
        self.feature = Feature("diary", tasks=(self.follow,), on_indexed=self.write_down)

    async def follow(self, vault: OpenVault) -> Never:
        """Count the vaults that are followed."""
        self.opened.append(vault)
        self.running += 1
        try:
            while True:
                await vault.signal.wait()
        finally:
            self.running -= 1

    def write_down(self, vault: OpenVault, notes: Sequence[IndexedNote]) -> None:
        """Keep which notes were indexed, all of which are found by now."""
        paths = {note.path for note in notes}
        assert paths <= vault.index.notes.keys()
        self.batches.append({*paths})


@pytest.fixture
def diary() -> Iterator[Diary]:
    """Install a feature for one test."""
    kept = Diary()
    install((*ALL, kept.feature))
    yield kept
    install(ALL)


async def test_a_feature_follows_each_opening_of_a_vault(diary: Diary, tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"Rye.md": "Bread.", "Oat.md": "Porridge."})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        assert diary.opened == [served.bridge.find(None).vault]
        assert set().union(*diary.batches) == {"Rye.md", "Oat.md"}
        diary.batches.clear()
        await served.call("create_note", path="Spelt.md", text="Grain.")
        assert diary.batches == [{"Spelt.md"}]
        shutil.rmtree(served.bridge.folders.index(served.bridge.find(None).id).rename(tmp_path / "gone"))
        await until(lambda: len(diary.opened) == 2 and served.bridge.find(None).progress().ready_keyword)
        assert diary.opened[1] is served.bridge.find(None).vault is not diary.opened[0]
        assert diary.running == 1
    assert diary.running == 0


async def test_a_feature_that_fails_stops_neither_the_vault_nor_the_others(
    diary: Diary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bridge.engine.hooks.AGAIN_AFTER_S", 0.01)
    tries: list[OpenVault] = []

    async def break_twice(vault: OpenVault) -> None:
        tries.append(vault)
        if len(tries) < 3:
            raise ValueError("the words of a note")

    def break_always(vault: OpenVault, notes: Sequence[IndexedNote]) -> None:
        raise ZeroDivisionError(vault.index.notes[notes[0].path].title)

    install((Feature("broken", tasks=(break_twice,), on_indexed=break_always), *FEATURES))
    vault = write_vault(tmp_path / "Notes", {"Zebrawood.md": "Bread."})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await until(lambda: len(tries) == 3)
        assert (await served.call("search", query="bread")).json["hits"][0]["path"] == "Zebrawood.md"
        await asyncio.sleep(0.05)
        assert tries == [served.bridge.find(None).vault] * 3
        assert (diary.batches, diary.running) == ([{"Zebrawood.md"}], 1)
    assert "ValueError at test_features.py" in caplog.text
    assert "ZeroDivisionError at test_features.py" in caplog.text
    assert "words" not in caplog.text
    assert "Zebrawood" not in caplog.text
