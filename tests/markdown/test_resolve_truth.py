"""What the real Obsidian answered, if the development data is here."""

import json
from collections import Counter
from typing import Any

import pytest

from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval

pytestmark = [needs_eval, pytest.mark.eval]

TASKS = EVAL / "links/obsidian-tasks/tests/Obsidian/__test_data__"


def recorded(vault: str) -> tuple[list[dict[str, Any]], Names]:
    lines = (EVAL / f"links/{vault}.jsonl").read_text(encoding="utf-8").splitlines()
    paths = json.loads((EVAL / f"links/{vault}.files.json").read_text(encoding="utf-8"))["paths"]
    visible = (VaultPath(path) for path in paths if not any(part.startswith(".") for part in path.split("/")))
    return [json.loads(line) for line in lines], Names(visible)


def right(row: dict[str, Any], names: Names) -> bool:
    kind: LinkKind = "markdown" if row["kind"] == "md" else "wiki"
    path: str | None = row["target"]
    return names.resolve(row["raw"], VaultPath(row["source"]), kind).path == path


@pytest.mark.parametrize("vault", ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"])
def test_links_lead_where_obsidian_says(vault: str) -> None:
    rows, names = recorded(vault)
    assert len(rows) > 2000
    assert sum(right(row, names) for row in rows) / len(rows) >= 0.999


def test_links_to_names_that_several_files_have_lead_where_obsidian_says() -> None:
    rows, names = recorded("DawnVespero__TheBlackSunLodge")
    count = Counter(path.rpartition("/")[2].lower() for path in names)
    twins = [row for row in rows if row["target"] and count[row["target"].rpartition("/")[2].lower()] > 1]
    assert len(twins) >= 40
    assert sum(right(row, names) for row in twins) / len(twins) >= 0.99


def test_obsidians_own_cache_agrees_link_by_link() -> None:
    resolved = json.loads((TASKS / "metadataCache/resolvedLinks.json").read_text(encoding="utf-8"))
    unresolved = json.loads((TASKS / "metadataCache/unresolvedLinks.json").read_text(encoding="utf-8"))
    names = Names({VaultPath(path) for path in resolved} | {VaultPath(p) for to in resolved.values() for p in to})
    seen = 0
    for file in sorted(TASKS.glob("*.json")):
        note = json.loads(file.read_text(encoding="utf-8"))
        found: Counter[str] = Counter()
        missed: Counter[str] = Counter()
        cache = note["cachedMetadata"]
        for link in (*cache.get("links", ()), *cache.get("embeds", ()), *cache.get("frontmatterLinks", ())):
            kind = "wiki" if link["original"].lstrip("!").startswith("[[") else "markdown"
            path = names.resolve(link["link"], note["filePath"], kind).path  # type: ignore[arg-type]
            found.update([path] if path else [])
            missed.update([] if path else [link["link"].partition("#")[0]])
        assert (found, missed) == (resolved[note["filePath"]], unresolved[note["filePath"]]), note["filePath"]
        seen += found.total() + missed.total()
    assert seen > 30
