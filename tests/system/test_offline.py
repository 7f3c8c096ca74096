"""Nothing leaves the machine: everything works without a network, and nothing asks for one."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.features import operations
from tests.features.fresh import BETWEEN_VAULTS
from tests.system.offline import exercise
from tests.system.sidecar import COMMAND, PATIENCE_S
from tests.system.vaults import generate

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "vaults" / "sample"

UNSHARE = ["unshare", "--map-root-user", "--net"]
CALLS = "connect,sendto,sendmsg,sendmmsg,bind"
STRACE = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none"]
"""By a filter in the kernel, a program stops for these calls only."""

ADDRESS = re.compile(r"sa_family=(?P<family>AF_\w+)(?:.*?inet_(?:addr|pton)\((?:AF_INET6, )?\"(?P<host>[^\"]+)\")?")
STAYS = {"AF_UNIX", "AF_LOCAL", "AF_NETLINK", "AF_UNSPEC"}
"""Families that reach nothing but this machine: files, the kernel, and undoing a connect."""


def works(command: list[str]) -> bool:
    """Say whether a command runs here."""
    try:
        return subprocess.run([*command, "true"], capture_output=True, check=False, timeout=PATIENCE_S).returncode == 0
    except OSError:
        return False


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a copy of half of the sample vault, with all that the examples speak of."""
    ignored = shutil.ignore_patterns("Archive", "Beds", "Daily", "Ferments", "Soil")
    return Path(shutil.copytree(SAMPLE, tmp_path / "sample", ignore=ignored))


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """Return a Python that has loopback alone."""
    if not works(UNSHARE):
        pytest.skip("network namespaces are not permitted here")
    python = [*UNSHARE, sys.executable]
    code = "from tests.system import offline as o; o.raise_loopback(); print(o.outside_is_unreachable())"
    tried = subprocess.run(
        [*python, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False, timeout=PATIENCE_S
    )
    if tried.returncode:
        pytest.skip(f"a network namespace cannot be set up here: {tried.stderr.strip().splitlines()[-1]}")
    assert tried.stdout == "True\n"
    return python


def expect_everything(answers: dict[str, Any]) -> None:
    """Assert that the vault was indexed by words and meaning and that every operation had its answer."""
    assert answers["indexed"]["ready"] == {"keyword": True, "semantic": True, "words": True}
    assert answers["indexed"]["embedded_total"] >= answers["indexed"]["passages"] > 0
    assert answers["meant"][0] == "Written offline.md"
    assert answers["hybrid"] == "hybrid"
    unanswered = {
        operation.name: answers[operation.name]
        for operation in operations()
        # The token of the runtime file is no administrator's.
        if answers[operation.name] != ("forbidden" if operation.scope == "admin" else "answered")
    }
    # Their examples speak of what there is not.
    missing = {
        "job_id": "job_not_found",
        "change_id": "change_not_found",
        "session": "change_not_found",
    }
    assert unanswered == {
        operation.name: missing[name] for operation in operations() for name in missing if name in operation.example
    } | BETWEEN_VAULTS | {"give_note": "invalid_arguments"} | dict.fromkeys(
        ("show_plan", "apply_plan", "judge_finding"), "note_not_found"
    ) | {"decide": "change_not_found"}


@pytest.mark.model
def test_everything_works_with_loopback_alone(vault: Path, tmp_path: Path, models_dir: Path, alone: list[str]) -> None:
    command = [*alone, "-m", "tests.system.offline", str(vault), str(tmp_path / "data"), str(models_dir)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=900, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    expect_everything(json.loads(done.stdout))


@pytest.mark.model
def test_no_system_call_reaches_beyond_loopback(vault: Path, tmp_path: Path, models_dir: Path) -> None:
    trace = tmp_path / "trace"
    answers = exercise(vault, tmp_path / "data", models_dir, before=traced(trace))
    expect_everything(answers)
    lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    assert any("bind(" in line and "127.0.0.1" in line for line in lines)
    assert [line for line in lines if leaves(line)] == []


@pytest.mark.model
@pytest.mark.parametrize(
    "arguments",
    [["index", "VAULT"], ["search", "harvest"], ["doctor"], ["models", "list"], ["models", "verify"], ["list-tags"]],
    ids=" ".join,
)
def test_no_command_but_models_install_reaches_beyond_loopback(
    arguments: list[str], tmp_path: Path, models_dir: Path
) -> None:
    vault = tmp_path / "vault"
    generate(vault, 8)
    (vault / ".obsidian").mkdir()
    trace = tmp_path / "trace"
    words = [str(vault) if word == "VAULT" else word for word in arguments]
    folders = ["--models-dir", str(models_dir)]
    if arguments[0] != "models":
        folders += ["--data-dir", str(tmp_path / "data")]
    done = subprocess.run(
        [*traced(trace), str(COMMAND), *words, *folders],
        capture_output=True,
        text=True,
        cwd=vault,
        timeout=900,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert [line for line in trace.read_text(encoding="utf-8", errors="replace").splitlines() if leaves(line)] == []


def test_the_trace_would_show_a_way_out(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
    subprocess.run([*traced(trace), sys.executable, "-c", code], capture_output=True, check=False, timeout=PATIENCE_S)
    assert [line for line in trace.read_text().splitlines() if leaves(line)] != []


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ('connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', False),
        ('connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.2")}, 16) = 0', True),
        ('bind(3, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("0.0.0.0")}, 16) = 0', True),
        ('connect(3, {sa_family=AF_INET6, sin6_port=htons(1), inet_pton(AF_INET6, "::1", &sin6_addr)}, 28) = 0', False),
        (
            'connect(3, {sa_family=AF_INET6, sin6_port=htons(1), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28)',
            True,
        ),
        ('connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0', False),
        ("sendto(3, [{nlmsg_len=20}], 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20", False),
        ('sendto(5, "GET", 3, 0, NULL, 0) = 3', False),
    ],
)
def test_a_line_of_the_trace_is_read_right(line: str, out: bool) -> None:
    assert leaves(line) is out


def leaves(line: str) -> bool:
    """Say whether a traced call names an address beyond this machine."""
    found = ADDRESS.search(line)
    if found is None or found["family"] in STAYS:
        return False
    host = found["host"] or ""
    return not (host.startswith("127.") or host == "::1")


def traced(trace: Path) -> list[str]:
    """Return the command that writes a program's network calls into a file."""
    command = [*STRACE, "-o", str(trace)]
    if not works(command):
        pytest.skip("system calls cannot be traced here")
    return command
