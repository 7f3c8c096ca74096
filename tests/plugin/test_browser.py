"""The plugin's bundle in a browser against a real bridge: a case for each file of `tests/browser`."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import pytest

from bridge.data_folder import default_models_dir
from tests.npm import installed
from tests.plugin.browser import chromium
from tests.plugin.npm_commands import PLUGIN, finish, run, vitest

HOST = Path(__file__).resolve().parents[1] / "mcp" / "apps"
"""What shows the pages of MCP Apps."""

FILES = sorted(path.relative_to(PLUGIN).as_posix() for path in (PLUGIN / "tests" / "browser").glob("*.test.ts"))


@pytest.fixture(scope="module")
def problems(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, embedded: Path
) -> Mapping[str, str]:
    """Run all files that are asked for, in one go; what went wrong in each, empty for nothing."""
    installed(PLUGIN)
    installed(HOST)
    run("node", "esbuild.config.mjs")
    files = [str(item.callspec.params["file"]) for item in request.session.items if is_case(item)]
    report = tmp_path_factory.mktemp("browser") / "report.json"
    done = finish(
        *vitest("browser", *files, "--reporter=default", "--reporter=json", f"--outputFile.json={report}"),
        CHROMIUM=chromium(),
        VAULTSIDE=str(Path(sys.executable).with_name("vaultside")),
        VAULTSIDE_MODELS=str(default_models_dir()),
        READY=str(embedded),
    )
    assert report.exists(), f"{done.stdout}\n{done.stderr}"
    results = json.loads(report.read_bytes())["testResults"]
    return {Path(result["name"]).relative_to(PLUGIN).as_posix(): told(result) for result in results}


def is_case(item: pytest.Item) -> TypeGuard[pytest.Function]:
    """Say whether this is the test of one file."""
    return isinstance(item, pytest.Function) and item.originalname == test_the_bundle_does_its_work.__name__


def told(result: Mapping[str, Any]) -> str:
    """Return what a file's tests told that failed; empty where none did."""
    failed = [test for test in result["assertionResults"] if test["status"] == "failed"]
    lines = [line for test in failed for line in (test["fullName"], *test["failureMessages"])]
    return "\n".join(filter(None, [result["message"], *lines]))


@pytest.mark.model
@pytest.mark.parametrize("file", FILES)
def test_the_bundle_does_its_work(file: str, problems: Mapping[str, str]) -> None:
    assert not problems[file], problems[file]
