"""What the suite wrote is read for what it is."""

import json
from collections import Counter
from pathlib import Path

from scripts.lib.mcp_suite import failed_scenarios, read_results


def test_the_checks_of_each_scenario_are_counted(tmp_path: Path) -> None:
    for scenario, statuses in {
        "ping": ["SUCCESS", "INFO"],
        "json-schema-2020-12": ["SUCCESS", "FAILURE"],
        "caching": ["INFO"],
        "tools-list": ["SUCCESS", "SKIPPED"],
    }.items():
        folder = tmp_path / f"server-{scenario}-2026-11-22T01-51-44-747Z"
        folder.mkdir()
        (folder / "checks.json").write_text(json.dumps([{"status": status} for status in statuses]))
    found = read_results(tmp_path)
    assert found["ping"] == Counter(SUCCESS=1, INFO=1)
    assert sorted(failed_scenarios(found)) == ["caching", "json-schema-2020-12", "tools-list"]
