"""Features: each can be taken out, and the bridge is whole without it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.api.feature import Feature
from bridge.api.registry import FEATURES, install
from bridge.export.catalogue import catalogue
from bridge.export.openapi import openapi
from bridge.features import FEATURES as ALL
from tests.features.served import serving, write_vault
from tests.mcp.client import connected

FOLDERS = {path.parent.name for path in (Path(__file__).parents[2] / "bridge" / "features").glob("*/__init__.py")}


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
