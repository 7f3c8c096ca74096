"""Features: each can be taken out, and the bridge is whole without it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bridge.api.feature import Feature
from bridge.api.registry import FEATURES, install
from bridge.errors import StateUnusable
from bridge.export.catalogue import catalogue
from bridge.export.openapi import openapi
from bridge.features import FEATURES as ALL
from bridge.settings.file import save_settings
from bridge.state.store import Store
from bridge.state.tables import Subject, Table
from bridge.types import VaultPath
from tests.engine.conftest import until
from tests.features.served import serving, write_vault
from tests.mcp.client import connected

FOLDERS = {path.parent.name for path in (Path(__file__).parents[2] / "bridge" / "features").glob("*/__init__.py")}


TOY = Feature(
    "toy",
    tables=Subject(
        "toy",
        tables=(Table("toy_note", "ON CONFLICT (id) DO NOTHING", paths=("note",)),),
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
        engine = served.bridge.find(None)
        assert engine.store.salvaged
        assert sorted(toys(engine.store)) == [("Oats.md", "none"), ("Secret/Rye.md", "dark"), ("Wheat.md", "light")]
        (vault / "Wheat.md").rename(vault / "Barley.md")
        await until(lambda: ("Barley.md", "light") in toys(engine.store))
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
        await until(lambda: len(toys(engine.store)) == 2)
        assert sorted(toys(engine.store)) == [("Barley.md", "light"), ("Oats.md", "none")]
        engine.store.move({VaultPath("Barley.md"): VaultPath("Oats.md"), VaultPath("Oats.md"): VaultPath("Barley.md")})
        assert sorted(toys(engine.store)) == [("Barley.md", "none"), ("Oats.md", "light")]
    assert not any(b"Secret/Rye" in file.read_bytes() for file in state.parent.glob("state.sqlite*"))


def test_the_state_of_a_feature_is_not_opened_without_it(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with with_toy():
        Store.open(path).close()
    with pytest.raises(StateUnusable, match="toy"):
        Store.open(path)
    with with_toy(), closing(Store.open(path)) as store:
        assert (toys(store), store.salvaged) == ([], False)
