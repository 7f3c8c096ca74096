"""The agents' notes are kept apart: ordinary questions are answered as if there were none."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.settings.file import save_settings
from tests.conftest import SAMPLE
from tests.features.served import Served, serving

ABOUT = "Agents/About this folder.md"
JOURNALS = 2_000
QUERIES = (
    "sourdough starter",
    "rye bread",
    "why does bread go stale",
    "slugs in the garden",
    "tag:#ferment",
    '"the starter"',
    "starter OR compost -rye",
    "levian",
    "session",
    "zymurgist",
)
NOTES = {
    "Rye.md": "# Rye\n\nRye bread keeps. #bread\n\n- [ ] Bake rye\n",
    "Oven.md": "# Oven\n\nFor [[Rye]].\n",
    ABOUT: "# About this folder\n\nWhat agents wrote.\n",
    "Agents/Sessions/Rye.md": "# Rye session\n\nA zymurgist read [[Oven]] about rye. #journal\n\n- [ ] Ask for rye\n",
    "Agents/Memory/Flour.md": "# Flour\n\nRye flour is grey. See [[Agents/Sessions/Rye]].\n",
}
INSIDE = {path for path in NOTES if path.startswith("Agents/")}


def write_journals(vault: Path, paths: Sequence[str]) -> None:
    """Write journals that link to notes, name them, and share their words, tags, tasks and lines."""
    folder = vault / "Agents" / "Sessions"
    folder.mkdir(parents=True)
    (vault / ABOUT).write_text("# About this folder\n", encoding="utf-8")
    for number in range(JOURNALS):
        one, other = paths[number % len(paths)], paths[number * 7 % len(paths)]
        name = one.rpartition("/")[2].removesuffix(".md")
        (folder / f"2026-11-{number % 28 + 1:02} {number} {name}.md").write_text(
            f"---\ntype: journal\ntags: [ferment, session{number % 9}]\naliases: [starter {number}]\n---\n"
            f"# {name} {number}\n\n## Goal\n\nThe zymurgist fed the sourdough starter, and read [[{one[:-3]}]] and"
            f" [[{other[:-3]}]] about rye.\n\n## Later\n\nA line that every journal of the session repeats.\n\n"
            f"See [[A note nobody wrote {number % 3}]].\n\n- [ ] Feed the starter of {name} 📅 2026-11-30\n",
            encoding="utf-8",
        )


async def answers(served: Served, paths: Sequence[str]) -> dict[str, Any]:
    """Return what the ordinary questions find."""
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("search", {"query": query, "limit": 20}) for query in QUERIES),
        *(("search_blocks", {"query": query, "limit": 20}) for query in QUERIES),
        *(("search", {"query": query, "passage_tokens": 4_000}) for query in QUERIES),
        *(("related_notes", {"path": path}) for path in paths[::5]),
        *(("suggest_links", {"path": path}) for path in paths[::5]),
        ("find_notes", {"limit": 500}),
        ("list_tasks", {"limit": 500}),
        ("list_tags", {}),
        ("list_folders", {}),
        ("find_prospects", {}),
        ("link_report", {}),
        ("graph_insights", {"limit": 50}),
        ("graph_view", {"stubs": True, "tagged": True}),
        ("graph_neighbours", {"path": paths[0], "depth": 3}),
    ]
    found = {}
    # Searches follow links as soon as there is a graph.
    await served.call("graph_insights", parts=["orphans"])
    for operation, arguments in asked:
        answer = await served.result(operation, **arguments)
        found[f"{operation} {arguments}"] = without_times(answer)
    return found


def number_nodes(view: Any) -> None:
    """Number the nodes of a picture by their order: the ids of names without a note follow those of all notes."""
    order = {node["id"]: number for number, node in enumerate(view["nodes"])}
    for node in view["nodes"]:
        node["id"] = order[node["id"]]
    for edge in view["edges"]:
        edge["source"], edge["target"] = order[edge["source"]], order[edge["target"]]


def without_times(value: Any) -> Any:
    """Return an answer without how long it took, and how much waits for a model."""
    if isinstance(value, dict):
        return {name: without_times(item) for name, item in value.items() if name not in {"took_ms", "freshness"}}
    return [without_times(item) for item in value] if isinstance(value, list) else value


async def test_with_thousands_of_journals_every_ordinary_answer_is_the_same(tmp_path: Path) -> None:
    found = []
    for name in ("without", "with"):
        vault = tmp_path / name / "sample"
        shutil.copytree(SAMPLE, vault)
        paths = sorted(str(path.relative_to(vault)) for path in vault.rglob("*.md") if ".obsidian" not in path.parts)
        if name == "with":
            write_journals(vault, paths)
        async with serving([vault], tmp_path / name / "data", tmp_path / "no models") as served:
            found.append(await answers(served, paths))
            number_nodes(found[-1]["graph_view {'stubs': True, 'tagged': True}"])
    for question, answer in found[0].items():
        assert found[1][question] == answer, question


async def listed(served: Served, operation: str, **arguments: Any) -> set[str]:
    answer = (await served.call(operation, **arguments)).json
    [name] = [name for name in ("hits", "notes", "tasks", "nodes") if name in answer]
    return {one["path"] for one in answer[name] if one["path"]}


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("search", {"query": "rye"}),
        ("search_blocks", {"query": "rye"}),
        ("search", {"query": "rye", "passage_tokens": 4_000}),
        ("related_notes", {"text": "rye flour and bread"}),
        ("find_notes", {}),
        ("list_tasks", {}),
        ("graph_view", {}),
    ],
)
async def test_agents_notes_are_found_on_request(served: Served, operation: str, arguments: dict[str, Any]) -> None:
    ordinary = await listed(served, operation, **arguments)
    agents = await listed(served, operation, **arguments, among="agents")
    assert ordinary
    assert ordinary.isdisjoint(INSIDE)
    assert agents
    assert agents <= INSIDE
    assert await listed(served, operation, **arguments, among="all") == ordinary | agents
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_notes_in_search": True}))
    assert await listed(served, operation, **arguments) == ordinary | agents


async def test_a_place_in_the_folder_is_always_reached(served: Served) -> None:
    journal = "Agents/Sessions/Rye.md"
    assert await listed(served, "search", query="rye path:Agents/") >= {journal}
    assert await listed(served, "search", query="rye", folder="agents/sessions") == {journal}
    assert await listed(served, "search", query="rye", paths=["Agents/Memory"]) == {"Agents/Memory/Flour.md"}
    assert await listed(served, "search_blocks", query="rye", folder="agents/sessions") == {journal}
    assert await listed(served, "find_notes", folder="Agents") == INSIDE
    assert await listed(served, "find_notes", links_to=journal) == {"Agents/Memory/Flour.md"}
    assert await listed(served, "list_tasks", path=journal) == {journal}
    assert await listed(served, "related_notes", path=journal)
    assert "Oven.md" in await listed(served, "graph_neighbours", path=journal)
    assert await listed(served, "search", query="zymurgist") == set()


async def test_an_answer_without_the_agents_notes_says_how_to_ask_them(served: Served) -> None:
    question = "What did the zymurgist read about rye?"
    assert not any("agents' notes" in notice for notice in (await served.result("ask", question=question))["notices"])
    await served.result("set_up_memory", confirm=True)
    (notice,) = [one for one in (await served.result("ask", question=question))["notices"] if "agents' notes" in one]
    asked = await served.result("ask", question=f"{question} {notice.split('`')[1]}")
    assert {one["path"] for one in asked["citations"]} == {"Agents/Sessions/Rye.md"}


async def test_tags_and_folders_are_counted_by_side(served: Served) -> None:
    async def counted(operation: str, field: str, **arguments: Any) -> set[str]:
        answer = (await served.call(operation, **arguments)).json
        return {one[field] for one in answer[f"{field}s" if field == "tag" else "folders"]}

    assert await counted("list_tags", "tag") == {"bread"}
    assert await counted("list_tags", "tag", among="agents") == {"journal"}
    assert await counted("list_folders", "path") == set()
    assert "Agents/Sessions" in await counted("list_folders", "path", among="all")


async def test_a_folder_of_this_name_that_nobody_set_up_is_ordinary(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / ABOUT).unlink()
    await served.call("report_changes", changes=[{"kind": "delete", "path": ABOUT}])
    assert await listed(served, "search", query="zymurgist") == {"Agents/Sessions/Rye.md"}
    assert INSIDE - {ABOUT} < await listed(served, "find_notes")
    (root / ABOUT).write_text("Again.\n", encoding="utf-8")
    await served.call("report_changes", changes=[{"kind": "upsert", "path": ABOUT}])
    await served.call("wait_until_indexed", path=ABOUT, what="links")
    assert await listed(served, "search", query="zymurgist") == set()
    assert "Agents/Sessions/Rye.md" not in await listed(served, "graph_view")


async def test_another_folder_is_kept_apart_once_it_is_set(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_folder": "Robots"}))
    assert await listed(served, "search", query="zymurgist") == {"Agents/Sessions/Rye.md"}
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_folder": "Agents"}))
    assert await listed(served, "search", query="zymurgist") == set()
