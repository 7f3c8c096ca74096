"""Renames of tags in real vaults, held against what the real Obsidian recorded."""

import json
from collections import Counter

import pytest

from bridge.errors import BridgeError
from bridge.markdown.edit.tags import TagRename, rename_tag
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval

pytestmark = [needs_eval, pytest.mark.eval]

VAULTS = ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"]
NEW = "zq9x-new"


@pytest.mark.parametrize("vault", VAULTS)
def test_a_tag_is_renamed_where_the_real_application_sees_it_and_nowhere_else(vault: str) -> None:
    rows = json.loads((EVAL / f"links/{vault}.notes.json").read_text(encoding="utf-8"))
    folder = EVAL / "links" / vault
    data = {VaultPath(row["relativePath"]): (folder / row["relativePath"]).read_bytes() for row in rows}
    recorded = {VaultPath(row["relativePath"]): {tag.lower() for tag in row.get("tags") or ()} for row in rows}
    found: Counter[str] = Counter()
    for tag in sorted({tag for tags in recorded.values() for tag in tags}):
        rename = TagRename.of(tag, NEW)
        for path, before in data.items():
            concerned = any(own == tag or own.startswith(f"{tag}/") for own in recorded[path])
            if not concerned and tag.encode() not in before.lower():
                continue
            try:
                after = rename_tag(path, before, rename).data
            except BridgeError:
                found["skipped"] += concerned
                continue
            found["misses"] += concerned and after == before
            found["false edits"] += not concerned and after != before
            found["renamed"] += after != before
            left = [own.name for own in parse(path, after).tags if rename.apply(own.name) is not None]
            found["misses"] += bool(left)
            found["other bytes"] += after.decode().replace(NEW, tag).lower() != before.decode().lower()
    assert found["renamed"] > 20
    assert {kind: count for kind, count in found.items() if count and kind != "renamed"} == {}
