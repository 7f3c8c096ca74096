"""Fixtures shared by the tests of several packages, and what a run of them tells."""

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from bridge.data_folder import Folders, default_models_dir, vault_id
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.install import install
from tests.system.sidecar import serving

# Test files are as private as on most machines: some systems let the user's group change new files.
os.umask(0o022)

# No test fails for being slow on a busy machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

TESTS = Path(__file__).parent
PLUGIN, SYSTEM = TESTS / "plugin", TESTS / "system"
SAMPLE = TESTS / "vaults" / "sample"

NOT_QUICK = {
    "cli",
    "conformance",
    "external_tools",
    "features",
    "mcp",
    "models",
    "plugin",
    "scripts",
    "server",
    "system",
}
"""Folders of tests that serve vaults, start processes or need models."""
NOT_QUICK_MARKS = {"eval", "long", "model", "process"}


@pytest.fixture(autouse=True)
def patient_stops() -> Iterator[None]:
    """Let no stop of a bridge in this process leave its index unsaved on a busy machine."""
    # By a context of its own: the fixture `monkeypatch` would be undone after the temporary folders are deleted.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bridge.engine.bridge.STOP_S", 300.0)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run be quick, and keep its failures for the program that started it."""
    parser.addoption(
        "--quick", action="store_true", help="only tests that need no model, no browser and no process but a brief one"
    )
    parser.addoption("--failures", type=Path, metavar="FILE", help="append each failure to FILE, as a line of JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Keep failures in the process that hears of all of them, and start no others in those that test quickly."""
    is_worker, file = hasattr(config, "workerinput"), config.getoption("failures")
    if file is not None and not is_worker:
        config.pluginmanager.register(FailureLog(file))
    if config.getoption("quick") and (is_worker or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(refusal := ProcessRefusal())
        sys.addaudithook(refusal.hear)


class ProcessRefusal:
    """Refuses to start a program in a quick test, unless it is marked as one that starts a brief one."""

    def __init__(self) -> None:
        self._is_brief = False

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Look at the next test."""
        self._is_brief = any(is_brief(mark) for mark in item.iter_markers())

    def hear(self, event: str, _arguments: tuple[object, ...]) -> None:
        """Hear what happens in this process."""
        if event == "subprocess.Popen" and not self._is_brief:
            raise PermissionError("A quick test starts no processes; mark this one `process`.")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders in which nothing is quick."""
    is_slow = collection_path.parent == TESTS and collection_path.name in NOT_QUICK
    return True if config.getoption("quick") and is_slow else None


class FailureLog:
    """Appends failures to a file: the test, and what it told."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the failure of a test."""
        self._keep(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the failure of a file that cannot be read."""
        self._keep(report)

    def _keep(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            text = "\n".join([report.longreprtext, *(f"-- {title}\n{said}" for title, said in report.sections)])
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"test": report.nodeid, "text": text}) + "\n")


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder with the default model and no other; fetched by the first test that needs it."""
    named = os.environ.get("VAULTSIDE_TEST_MODELS")
    kept, folder = Path(named) if named else default_models_dir(), tmp_path_factory.mktemp("models")
    install(kept, DEFAULT_MODEL, lambda *_: None)
    for file in kept.glob(f"{DEFAULT_MODEL}.*"):
        (folder / file.name).symlink_to(file)
    return folder


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """Return a folder with what is made once a run of the sample vault, to be copied.

    It holds the vault as `Notes`, its `index` with every note embedded, and one of its `words` only.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "embedded"
    with (shared / "embedded.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = shared / "embedding"
            vault, data = made / "Notes", made / "data"
            shutil.copytree(SAMPLE, vault)
            index = Folders(data).index(vault_id(vault))
            with serving(vault, data_dir=data, models_dir=made / "none") as sidecar:
                sidecar.wait_indexed(vectors=False)
            shutil.copytree(index, made / "words")
            with serving(vault, data_dir=data, models_dir=models_dir) as sidecar:
                sidecar.wait_indexed()
            index.rename(made / "index")
            made.rename(folder)
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with what takes longest in one file, and waits for other processes; else one would be left at the end.

    Only tests that everyone can run count as coverage.
    """
    items.sort(key=lambda item: [folder not in item.path.parents for folder in (PLUGIN, SYSTEM)])
    for item in items:
        if item.get_closest_marker("eval"):
            item.add_marker("no_cover")
    if config.getoption("quick"):
        config.hook.pytest_deselected(items=[item for item in items if not is_quick(item)])
        items[:] = filter(is_quick, items)


def is_quick(item: pytest.Item) -> bool:
    """Say whether a test needs a moment, and nothing but this process or a brief one."""
    return NOT_QUICK_MARKS.isdisjoint(mark.name for mark in item.iter_markers() if not is_brief(mark))


def is_brief(mark: pytest.Mark) -> bool:
    """Say whether a test's process takes about a second."""
    return mark.name == "process" and bool(mark.kwargs.get("brief"))


@pytest.fixture(autouse=True)
def _not_into_your_trash() -> Iterator[None]:
    """Keep files that tests delete out of the user's trash."""
    # Not the test's own patches, which would then last until its folder is deleted.
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr("bridge.vault.write.trash.has_trash", lambda _: False)
        yield
