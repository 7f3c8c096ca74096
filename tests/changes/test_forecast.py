"""Forecasts are compared with counts of the whole vault before and after."""

from pathlib import Path

import pytest

from bridge.changes.forecast import CountForecast, explain_difference
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import Append
from bridge.types import VaultPath
from tests.changes.random_requests import differing, forecast_of, try_forecasts

FILES = {
    "Rye.md": "---\ntags: [grain]\nStatus: open\n---\nSee [[Dough]] and [[Missing]].\n",
    "Dough.md": "#grain\n",
    "Lone.md": "Nobody.\n",
    "Other.md": "Nobody either. #grain/rye\n",
    "Empty.md": "---\nstatus: done\n---\n",
}


def at(path: str) -> VaultPath:
    return VaultPath(path)


@pytest.mark.parametrize(
    ("request_", "difference"),
    [
        (CreateNote(path=at("Missing.md"), text="[[Lone]]"), {"notes": 1, "links": 2, "dangling": -1, "orphans": -1}),
        (EditNote(path=at("Lone.md"), edits=(Append(text="[[Other]]"),)), {"links": 1, "orphans": -2}),
        (EditNote(path=at("Lone.md"), edits=(Append(text="[[Nowhere]]"),)), {"dangling": 1, "orphans": -1}),
        (MoveNote(path=at("Dough.md"), to=at("Batter.md")), {}),
        (MoveNote(path=at("Lone.md"), to=at("Missing.md")), {"links": 1, "dangling": -1, "orphans": -1}),
        (
            DeleteNote(path=at("Dough.md"), digest=digest_of(FILES["Dough.md"].encode())),
            {"notes": -1, "links": -1, "dangling": 1, "tag grain": -1},
        ),
        (
            MergeNotes(path=at("Lone.md"), into=at("Dough.md"), digest=digest_of(FILES["Lone.md"].encode())),
            {"notes": -1, "orphans": -1, "properties": 1, "property aliases": 1},
        ),
        (
            RenameTag(path=at("Rye.md"), tag="grain", to="cereal"),
            {"tag grain": -2, "tag cereal": 2, "tag grain/rye": -1, "tag cereal/rye": 1},
        ),
        (
            RenameTag(path=at("Rye.md"), tag="grain/rye", to="grain", children=False),
            {"tags": -1, "tag grain": 1, "tag grain/rye": -1},
        ),
        (
            RenameProperty(path=at("Rye.md"), name="status", to="status"),
            {"properties": -1, "property status": 1, "property Status": -1},
        ),
        (
            SetProperties(path=at("Lone.md"), properties={"up": "[[Dough]]"}),
            {
                "links": 1,
                "orphans": -1,
                "properties": 1,
                "property up": 1,
            },
        ),
    ],
)
def test_a_forecast_says_what_the_counts_of_all_notes_say(
    tmp_path: Path, request_: Request, difference: dict[str, int]
) -> None:
    forecast, before, after = forecast_of(tmp_path, FILES, [request_])
    assert not differing(forecast, before, after)
    assert forecast.difference == difference


def test_requests_are_forecast_together(tmp_path: Path) -> None:
    requests = [
        MoveNote(path=at("Dough.md"), to=at("Bread/Dough.md")),
        CreateNote(path=at("Dough.md"), text="[[Rye]] #grain"),
        RenameTag(path=at("Rye.md"), tag="grain", to="cereal"),
    ]
    forecast, before, after = forecast_of(tmp_path, FILES, requests)
    assert not differing(forecast, before, after)
    assert CountForecast("tag cereal", 0, 2) in forecast.tags


@pytest.mark.parametrize("seed", range(3))
def test_random_plans_do_what_is_forecast(tmp_path: Path, seed: int) -> None:
    tally = try_forecasts(tmp_path, 12, seed)
    assert not tally.wrong


def test_what_the_index_does_not_know_yet_is_read(tmp_path: Path) -> None:
    """Another program may have written a note that is not indexed again yet."""
    from bridge.changes.draft import Draft
    from bridge.changes.forecast import CountedVault, affected_by, compare_counts
    from bridge.engine.apply_requests import apply_requests, request_context
    from bridge.markdown.names import Names
    from bridge.vault.vault import Vault
    from tests.changes.vaults import Paper

    stale, now = Paper.of(FILES), Paper.of(FILES | {"Rye.md": "#rare [[Lone]]\n"})
    for path, data in now.files.items():
        (tmp_path / path).write_bytes(data)
    vault, names = Vault(tmp_path, now.rules), Names(now.files)
    draft = Draft(lambda path: vault.read(path)[0], vault.has)
    edit = EditNote(path=at("Rye.md"), edits=(Append(text="#new"),))
    apply_requests([edit], draft, request_context(vault, names, stale.notes, lambda _: None))
    files = affected_by(draft, CountedVault.over(stale.notes, names))
    forecast = compare_counts(files.before, files.after)
    assert forecast.difference == {"tags": 1, "tag new": 1}


def test_a_difference_is_explained_by_name() -> None:
    assert explain_difference({"links": 2, "notes": 1}, {"links": -1, "notes": 1}) == "links -1 instead of +2"
    assert not explain_difference({"links": 2}, {"links": 2})
