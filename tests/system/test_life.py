"""How the bridge starts, says where it is, and leaves."""

import json
import stat
import subprocess
from pathlib import Path

import psutil
import pytest

import bridge
from tests.system.sidecar import COMMAND, PATIENCE_S, Sidecar, outliving, request, serving
from tests.system.vaults import generate


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a small vault."""
    folder = tmp_path / "vault"
    generate(folder, 10, sections=1)
    return folder


def runtime_file(data: Path) -> Path:
    """Return the one runtime file of a data folder."""
    (found,) = (data / "run").glob("*.json")
    return found


def test_one_line_on_standard_output_says_where_it_is(vault: Path, tmp_path: Path) -> None:
    sidecar = Sidecar.start(vault, data_dir=tmp_path / "data", models_dir=tmp_path / "none")
    try:
        ready = sidecar.wait_ready().ready
        sidecar.wait_indexed(vectors=False)
        sidecar.call("search", query="harbour")
        sidecar.stop()
        assert sidecar.process.stdout is not None
        rest = sidecar.process.stdout.read()
    finally:
        sidecar.close()
    (served,) = ready["vaults"]
    assert rest == b""
    assert ready["url"].startswith("http://127.0.0.1:")
    assert (ready["pid"], ready["version"]) == (sidecar.process.pid, bridge.__version__)
    assert (served["name"], served["path"], len(served["id"])) == ("vault", str(vault.resolve()), 16)


def test_the_runtime_file_leads_to_it_and_goes_with_it(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as sidecar:
        file = runtime_file(data)
        facts = json.loads(file.read_text())
        mode = stat.S_IMODE(file.stat().st_mode)
        status, _ = request(facts["url"], facts["token"], "status", {})
    assert (facts["pid"], facts["url"], status, mode) == (sidecar.process.pid, sidecar.ready["url"], 200, 0o600)
    assert list((data / "run").glob("*.json")) == []


def test_a_stale_runtime_file_is_replaced(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    crashed = Sidecar.start(vault, data_dir=data, models_dir=tmp_path / "none")
    crashed.wait_ready()
    crashed.close()
    assert json.loads(runtime_file(data).read_text())["pid"] == crashed.process.pid
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as sidecar:
        assert json.loads(runtime_file(data).read_text())["pid"] == sidecar.process.pid


def test_a_second_process_is_told_who_holds_the_vault(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as first:
        command = [str(COMMAND), "serve", str(vault), "--data-dir", str(data), "--print-ready"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert first.call("status")["vaults"][0]["name"] == "vault"
    assert second.returncode != 0
    assert second.stdout == ""
    assert str(first.process.pid) in second.stderr
    assert first.ready["url"] in second.stderr
    assert "Traceback" not in second.stderr


def test_the_command_talks_to_the_bridge_that_runs(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as first:
        first.wait_indexed(vectors=False)
        command = [str(COMMAND), "search", "mark0003zq", "--data-dir", str(data), "--json"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=vault)
    assert answer.returncode == 0, answer.stderr
    assert len(json.loads(answer.stdout)["hits"]) == 1


@pytest.mark.model
def test_it_leaves_while_it_indexes(tmp_path: Path, models_dir: Path) -> None:
    vault, data = tmp_path / "vault", tmp_path / "data"
    generate(vault, 300)
    sidecar = Sidecar.start(vault, data_dir=data, models_dir=models_dir)
    try:
        sidecar.wait_ready()
        sidecar.until(lambda: sidecar.vault()["embedded_total"], "something is embedded")
        assert sidecar.vault()["pending"]["vectors"] > 0
        children = psutil.Process(sidecar.process.pid).children(recursive=True)
        status = sidecar.stop()
        alive = outliving(children)
        log = sidecar.errors()
    finally:
        sidecar.close()
    assert (status, alive) == (0, [])
    assert "Traceback" not in log
    assert list((data / "run").glob("*.json")) == []


@pytest.mark.parametrize("moment", ["ready", "starting"])
def test_it_leaves_with_the_program_that_started_it(vault: Path, tmp_path: Path, moment: str) -> None:
    data = tmp_path / "data"
    sidecar = Sidecar.start(vault, data_dir=data, models_dir=tmp_path / "none", options=["--parent-stdin"])
    try:
        if moment == "ready":
            sidecar.wait_ready()
        assert sidecar.process.stdin is not None
        sidecar.process.stdin.close()
        status = sidecar.process.wait(PATIENCE_S)
        log = sidecar.errors()
    finally:
        sidecar.close()
    assert status == 0
    assert "Traceback" not in log
    assert list(data.glob("run/*.json")) == []


def test_without_that_option_an_empty_standard_input_does_not_end_it(vault: Path, tmp_path: Path) -> None:
    with serving(vault, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as sidecar:
        assert sidecar.process.stdin is not None
        sidecar.process.stdin.close()
        status = sidecar.wait_indexed(vectors=False)
    assert status["notes"] == 10


def test_a_folder_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    command = [str(COMMAND), "serve", str(tmp_path / "nowhere"), "--data-dir", str(tmp_path / "data"), "--print-ready"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert answer.returncode not in {0, -9}
    assert "nowhere" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""


def test_the_token_stands_on_no_command_line_and_in_no_log(vault: Path, tmp_path: Path) -> None:
    with serving(vault, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as sidecar:
        sidecar.wait_indexed(vectors=False)
        sidecar.call("search", query="mark0003zq")
        family = [psutil.Process(sidecar.process.pid), *psutil.Process(sidecar.process.pid).children(recursive=True)]
        shown = "\n".join(" ".join(process.cmdline()) for process in family)
        log = sidecar.errors()
    assert sidecar.ready["token"] not in shown
    assert sidecar.ready["token"] not in log
    assert "mark0003zq" not in log
