"""Folders of a vault in a store, and the search of those that others published."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.errors import InvalidArguments
from bridge.features.search import operations
from bridge.features.shared_index import stores
from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, Served, readable, serving, write_vault

NOTES = {
    "Bread/Rye.md": "---\nrating: 4\n---\n# Rye\nBread of rye flour and water. #bread\n\n## Oven\nAs [[Oven]] says.\n",
    "Bread/Private.md": "# Hidden\nThe klepthorn bread of rye.\n",
    "Bread/Wheat.md": "# Wheat\nThe snorbeck rises at noon.\n",
    "Diary/Monday.md": "# Monday\nI slept, and dreamt of a quillmarsh.\n",
    "Agents/Memory/Fact.md": "---\ntype: memory\nkind: fact\n---\nThe user likes brindlewick.\n",
}
OTHERS = {"Rivers.md": "# Rivers\nWater flows, and rye grows beside it.\n"}


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for every store, since others use the machine as well."""
    monkeypatch.setattr(operations, "DEADLINE_S", PATIENCE_S)
    monkeypatch.setattr(stores, "DEADLINE_S", PATIENCE_S)


class Team:
    """Two people, each with a bridge: one publishes, the other searches."""

    def __init__(self, anna: Served, ben: Served, store: Path, vault: Path) -> None:
        self.anna, self.ben, self.store, self.vault = anna, ben, store, vault

    async def publish(self, *folders: str, **arguments: Any) -> Any:
        answer = await self.anna.call("publish", uri=str(self.store), folders=folders, **arguments)
        assert answer.status == 200, answer.body
        return answer.json

    async def write(self, path: str, text: str | None) -> None:
        file = self.vault / path
        file.unlink() if text is None else file.write_text(text, encoding="utf-8")
        await self.anna.bridge.find(None).vault.indexer.look_at([path])
        await readable(self.anna)

    async def search(self, query: str, **arguments: Any) -> tuple[list[tuple[str, str]], list[str]]:
        answer = (await self.ben.call("search", query=query, everywhere=True, **arguments)).json
        hits = [(hit["vault"].rpartition(": ")[2], hit["path"]) for hit in answer["hits"]]
        return hits, [notice for notice in answer["notices"] if "tore" in notice]

    def holds(self, word: str) -> bool:
        """Return whether a word, or a name, is anywhere in the store, also inside what can be unpacked."""
        names = [path.relative_to(self.store).as_posix() for path in self.store.rglob("*")]
        contents = [path.read_bytes().lower() for path in self.store.rglob("*") if path.is_file()]
        return any(word in name.lower() for name in names) or any(word.encode() in content for content in contents)


@asynccontextmanager
async def serve_team(folder: Path, models: Path) -> AsyncIterator[Team]:
    """Serve the vaults of both; only one person's bridge has the store in its settings."""
    vault, store = write_vault(folder / "anna/Kitchen", NOTES), folder / "store"
    store.mkdir()
    for who, rules in (("anna", 'deny = ["Bread/Private.md"]\n'), ("ben", f'[shared_index]\nstores = ["{store}"]\n')):
        (folder / who / "data").mkdir(parents=True)
        (folder / who / "data/settings.toml").write_text(rules)
    other = write_vault(folder / "ben/Notes", OTHERS)
    async with (
        serving([vault], folder / "anna/data", models) as anna,
        serving([other], folder / "ben/data", models) as ben,
    ):
        yield Team(anna, ben, store, vault)


@pytest_asyncio.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    async with serve_team(tmp_path, tmp_path / "no models") as team:
        yield team


async def test_nothing_is_published_until_the_person_agrees_to_what_a_dry_run_shows(team: Team) -> None:
    shown = await team.publish("Bread", dry_run=True)
    assert (shown["notes"], shown["written"], shown["removed"]) == (2, 2, 0)
    assert shown["paths"] == ["Bread/Rye.md", "Bread/Wheat.md"]
    refused = await team.anna.call("publish", uri=str(team.store), folders=["Bread"])
    assert (refused.code, "Bread" in refused.json["error"]["message"]) == ("confirmation_required", True)
    assert [*team.store.iterdir()] == []
    assert (await team.search("snorbeck"))[0] == []


async def test_others_search_what_was_published(team: Team) -> None:
    published = await team.publish("Bread", confirm=True)
    assert (published["notes"], published["written"], published["folders"]) == (2, 2, ["Bread"])
    hits, notices = await team.search("rye")
    assert (sorted(hits), notices) == ([("Kitchen", "Bread/Rye.md"), ("Notes", "Rivers.md")], [])
    (hit,) = (await team.ben.call("search", query="snorbeck", everywhere=True)).json["hits"]
    assert (hit["lines"], hit["title"], hit["snippet"]) == ([1, 2], "Wheat", "The ==snorbeck== rises at noon.")
    assert hit["why"][0].startswith("published 2")
    assert (await team.search("klepthorn"))[0] == []
    assert (await team.search("rye", tags=["bread"])) == (
        [],
        ["Shared stores are asked only for plain words, without filters and `explain`."],
    )
    for word in ("klepthorn", "private.md", "quillmarsh", "monday", "brindlewick"):
        assert not team.holds(word), word
    assert team.holds("snorbeck")


@pytest.mark.model
async def test_others_search_by_meaning(tmp_path: Path, models_dir: Path) -> None:
    async with serve_team(tmp_path, models_dir) as team:
        await readable(team.anna, meaning=True)
        await readable(team.ben, meaning=True)
        published = await team.publish("Bread", "Diary", confirm=True)
        assert published["model"].startswith("all-minilm")
        hits, notices = await team.search("a dream at night", mode="semantic")
        assert (hits[0], notices) == (("Kitchen", "Diary/Monday.md"), [])
        assert (await team.search("bread of rye"))[0][0] == ("Kitchen", "Bread/Rye.md")


async def test_only_what_changed_is_published_again_and_former_words_are_erased(team: Team) -> None:
    await team.publish("Bread", confirm=True)
    again = await team.publish()
    assert (again["written"], again["removed"], again["folders"]) == (0, 0, ["Bread"])
    await team.write("Bread/Wheat.md", "# Wheat\nThe gorsebane rises at noon.\n")
    assert (await team.publish())["written"] == 1
    assert (team.holds("snorbeck"), team.holds("gorsebane")) == (False, True)
    assert (await team.search("gorsebane"))[0] == [("Kitchen", "Bread/Wheat.md")]
    await team.write("Bread/Wheat.md", None)
    assert (await team.publish())["removed"] == 1
    assert not team.holds("gorsebane")
    assert not team.holds("wheat")
    assert (await team.search("rye"))[0] != []


async def test_a_note_that_is_denied_later_is_erased(team: Team) -> None:
    await team.publish("Bread", confirm=True)
    rules = 'deny = ["Bread/Private.md", "Bread/Wheat.md"]\n'
    team.anna.bridge.settings_path.write_text(rules)
    await team.anna.bridge.reload()
    assert (await team.publish())["removed"] == 1
    assert not team.holds("snorbeck")


async def test_other_folders_need_agreement_and_fewer_do_not(team: Team) -> None:
    await team.publish("Bread", "Diary", confirm=True)
    assert team.holds("quillmarsh")
    assert (await team.publish("Bread"))["removed"] == 1
    assert not team.holds("quillmarsh")
    refused = await team.anna.call("publish", uri=str(team.store), folders=["Bread", "Agents"])
    assert refused.code == "confirmation_required"
    await team.publish("Bread", "Agents", confirm=True)
    assert team.holds("brindlewick")
    assert (await team.publish("", confirm=True))["notes"] == 3
    assert not team.holds("brindlewick")


async def test_what_is_retracted_is_in_no_file(team: Team) -> None:
    await team.publish("Bread", confirm=True)
    retracted = (await team.anna.call("retract", uri=str(team.store))).json
    assert (retracted["folders"], retracted["notes"]) == (["Bread"], 2)
    assert not team.holds("snorbeck")
    assert not team.holds("rye")
    assert await team.search("snorbeck") == ([], [])
    assert (await team.anna.call("retract", uri=str(team.store))).json["notes"] == 0


@pytest.mark.parametrize("query", ["rye -flour", "title:Rye", '"rye flour"', "+rye"])
async def test_what_demands_something_of_a_note_is_not_asked_of_stores(team: Team, query: str) -> None:
    await team.publish("Bread", confirm=True)
    hits, notices = await team.search(query)
    assert (hits, len(notices)) == ([], 1) or (hits == [("Notes", "Rivers.md")] and len(notices) == 1)


async def test_who_may_read_the_folder_of_a_store_may_read_what_is_in_it(team: Team) -> None:
    before = os.umask(0o077)
    try:
        team.store.chmod(0o755)
        await team.publish("Bread", confirm=True)
    finally:
        os.umask(before)
    (table,) = team.store.glob("vault-*")
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in (table, *table.rglob("*"))}
    assert modes == {(True, 0o755), (False, 0o644)}


async def test_nothing_is_published_among_notes(team: Team) -> None:
    refused = await team.anna.call("publish", uri=str(team.vault), folders=["Bread"], confirm=True)
    assert (refused.code, [*team.vault.glob("*.lance")]) == ("invalid_arguments", [])


def test_the_settings_take_no_credentials_and_no_relative_folder(tmp_path: Path) -> None:
    for store in ("s3://key:secret@bucket/x", "s3://bucket/x?secret=1", "https://example.org/x", "relative/x"):
        with pytest.raises(InvalidArguments) as refused:
            save_settings(tmp_path / "settings.toml", {"shared_index.stores": [store]})
        assert "secret" not in str(refused.value)
    settings = save_settings(tmp_path / "settings.toml", {"shared_index.stores": ["s3://bucket/x", "~/Team", "/mnt/x"]})
    assert settings.value("shared_index.stores") == ("s3://bucket/x", "~/Team", "/mnt/x")


async def test_a_store_that_is_away_costs_one_notice(team: Team) -> None:
    await team.publish("Bread", confirm=True)
    await team.search("rye")
    away = team.store.rename(team.store.with_name("away"))
    for _ in range(2):
        hits, notices = await team.search("rye")
        assert (hits, len(notices), team.store.exists()) == ([("Notes", "Rivers.md")], 1, False)
    refused = await team.anna.call("publish", uri=str(team.store))
    assert (refused.code, team.store.exists()) == ("folder_not_found", False)
    away.rename(team.store)
    assert len((await team.search("rye"))[0]) == 2
    shutil.rmtree(team.store)
    team.store.mkdir()
    assert await team.search("rye") == ([("Notes", "Rivers.md")], [])


async def test_a_store_that_is_late_costs_one_notice(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    await team.publish("Bread", confirm=True)
    monkeypatch.setattr(stores, "DEADLINE_S", 0.0)
    notice = f"The shared store {team.store} did not answer in time."
    assert await team.search("rye") == ([("Notes", "Rivers.md")], [notice])


@pytest.mark.parametrize(
    "uri", ["s3://key:secret@bucket/x", "s3://bucket/x?secret=1", "https://example.org/x", "db://x", "Team", "../x"]
)
async def test_an_address_with_a_secret_or_without_a_place_is_refused(team: Team, uri: str) -> None:
    answer = await team.anna.call("publish", uri=uri, folders=["Bread"], confirm=True)
    assert (answer.code, "secret" in answer.body.decode()) == ("invalid_arguments", False)


async def test_only_programs_of_the_user_publish(team: Team) -> None:
    made = await team.anna.command("tokens", "create", "agent", "--scope", "write")
    token = {"Authorization": f"Bearer {made.out.split()[-1]}"}
    for name in ("publish", "retract"):
        body = b'{"uri": "%s", "dry_run": true}' % str(team.store).encode() if name == "publish" else b'{"uri": "/x"}'
        answer = await team.anna.request("POST", f"/api/{name}", headers=token, data=body)
        assert (answer.status, answer.code) == (403, "forbidden")
