import json
import tomllib
from pathlib import Path

import pytest

from scripts.lib.setup.lockfile import LOCKS, ROOT, Pin, find_misfits, normalize_name, parse_pins, wanted_requirements

NPM_LOCKS = [
    ROOT / place / "package-lock.json"
    for place in ("obsidian-plugin", "tests/conformance", "tests/plugin/carried", "tests/system/inspector")
]
HASH = "--hash=sha256:" + "0" * 64
LOCK = f"""Alpha==1.0 \\
    {HASH} \\
    {HASH}
beta-two==2.1 ; python_full_version < '3.12' \\
    {HASH}
beta-two==2.2 ; python_full_version >= '3.12' \\
    {HASH}
"""


def test_a_lock_is_read_pin_by_pin() -> None:
    assert list(parse_pins(LOCK)) == [
        Pin("alpha", "1.0", f"Alpha==1.0 \\\n    {HASH} \\\n    {HASH}\n"),
        Pin("beta-two", "2.1", f"beta-two==2.1 ; python_full_version < '3.12' \\\n    {HASH}\n"),
        Pin("beta-two", "2.2", f"beta-two==2.2 ; python_full_version >= '3.12' \\\n    {HASH}\n"),
    ]


@pytest.mark.parametrize("name", ["Beta_Two", "beta.two", "BETA--two"])
def test_names_are_compared_as_indexes_do(name: str) -> None:
    assert normalize_name(name) == "beta-two"


@pytest.mark.parametrize(
    ("requirements", "lock", "found"),
    [
        (["alpha==1.0", "Beta_Two>=2,<3"], LOCK, []),
        (["alpha==1.1"], LOCK, ["alpha is 1.1, the run lock has 1.0"]),
        (["gamma"], LOCK, ["gamma is not in the run lock"]),
        (["alpha[extra]==1.0"], LOCK, []),
        ([], "delta==1\n", ["delta has no hash in the run lock"]),
        (
            [],
            f"--index-url https://example.org/simple\n{LOCK}",
            ["the run lock names a place: '-'", "the run lock names a place: 'https://'"],
        ),
    ],
)
def test_what_does_not_fit_is_told(requirements: list[str], lock: str, found: list[str]) -> None:
    assert find_misfits({"run": requirements}, {"run": lock}) == found


def test_the_locks_of_this_project_fit() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    texts = {kind: path.read_text(encoding="utf-8") for kind, path in LOCKS.items()}
    assert find_misfits(wanted_requirements(project), texts) == []
    assert {pin.name: pin.version for pin in parse_pins(texts["run"])}.items() <= {
        pin.name: pin.version for pin in parse_pins(texts["dev"])
    }.items()


@pytest.mark.parametrize("lock", NPM_LOCKS, ids=lambda path: path.parent.name)
def test_what_npm_fetches_has_a_hash_and_no_address(lock: Path) -> None:
    packages = json.loads(lock.read_bytes())["packages"]
    own = json.loads(lock.with_name("package.json").read_bytes())
    kinds = ("dependencies", "devDependencies", "optionalDependencies")
    asked = {name: version for kind in kinds for name, version in own.get(kind, {}).items()}
    held = {name.removeprefix("node_modules/"): package for name, package in packages.items() if name}
    assert {name: held[name]["version"] for name in asked} == asked
    assert [name for name, package in held.items() if "integrity" not in package or "resolved" in package] == []
