"""Looks the whole bridge over and says of each finding what to do."""

import asyncio
import logging
import os
import stat
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import orjson
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.feature import Check, Finding, Fix, VaultCheck, Verdict, WaitingCheck, make_finding
from bridge.api.markup import Element, Line, Role, Segment, aside
from bridge.api.registry import FEATURES, operation
from bridge.engine.hooks import describe_failure
from bridge.engine.host import Host, HostHealth
from bridge.errors import BridgeError
from bridge.features.status.operations import free_bytes
from bridge.index.index import IndexHealth
from bridge.index.vectors import MIN_RECALL
from bridge.records import Record
from bridge.text.counts import count_of, join_some
from bridge.text.invisible import inline
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.paths import parents
from bridge.vault.rules import Rules
from bridge.vault.scan import join_path

T = TypeVar("T")

log = logging.getLogger(__name__)

MIN_FREE_BYTES = 1 << 30
"""Bytes of free disk below which a larger vault may not fit."""

MAX_FRAGMENTS = 100
"""Table fragments above which compaction seems not to run."""

MAX_UNINDEXED_ROWS = 1_000
"""Rows outside the tables' indexes above which reading passages becomes slow."""

LAST_CALLS = 100
"""Calls that the health score looks back on."""

MAX_IGNORED_CALLS = 20
"""Calls up to which the health score says nothing: a start alone makes some fail."""

MIN_HEALTHY_PERCENT = 95
"""Per cent of the last calls below which something is wrong more than now and then."""

_PROJECTS = ("package.json", "pyproject.toml", "setup.py", "CMakeLists.txt", "build.gradle", "build.gradle.kts")
TOOL_FOLDERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("node_modules", "bower_components", "site-packages", "__pycache__"), ()),
    "target": ("Cargo.toml", "pom.xml"),
    "build": _PROJECTS,
    "dist": _PROJECTS,
}
"""Folders that tools fill, by name; those of an ordinary name only beside one of these files."""

MAX_SHOWN_FOLDERS = 5

OWN_ERRORS = frozenset({"internal", "not_ready", "model_missing", "disk_full"})
"""Errors that no caller can help; all others say what the caller should do differently."""


class Diagnosis(Record):
    """The results of all checks.

    Attributes:
        verdict: The worst verdict.
        findings: The findings.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]


@operation(
    example={},
    vault=False,
    tasks=("diagnose a problem", "check that everything works", "something is broken", "health check"),
)
async def doctor(call: Call) -> Diagnosis:
    """Check the model, index, watcher, runtime file, vault, changes, disk, settings and tokens."""
    waits = [run_waiting_check(check, call, feature.name) for feature in FEATURES for check in feature.waiting_checks]
    later = await asyncio.gather(*waits)
    return await asyncio.to_thread(diagnose, call, [finding for findings in later for finding in findings])


def diagnose(call: Call, later: Sequence[Finding]) -> Diagnosis:
    hosts = list(call.bridge.vaults.values()) if call.vault_name is None else [call.host]
    findings = [run_check(check, call, feature.name) for feature in FEATURES for check in feature.checks]
    for host in hosts:
        looks = (run_check(check, host, feature.name) for feature in FEATURES for check in feature.vault_checks)
        findings += [replace(finding, vault=host.name) for finding in looks]
    findings += later
    if not call.principal.local:
        findings = [hide_paths(finding, call, hosts) for finding in findings]
    verdicts = {finding.verdict for finding in findings}
    worst: Verdict = "fail" if "fail" in verdicts else "warn" if "warn" in verdicts else "ok"
    return Diagnosis(worst, tuple(findings))


def hide_paths(finding: Finding, call: Call, hosts: list[Host]) -> Finding:
    """Take the paths of the data folder out of a finding: files with tokens are there, which are not for clients."""
    names = {str(host.folders.runtime(host.id)): "the runtime file" for host in hosts}
    names[str(call.bridge.data_dir)] = "the data folder"

    def hide(text: str) -> str:
        for path, name in names.items():
            text = text.replace(path, name)
        return text

    fix = finding.fix
    is_open = fix is not None and hide(fix.command) == fix.command
    return replace(finding, message=hide(finding.message), do=hide(finding.do), fix=fix if is_open else None)


def run_check(check: Callable[[T], Finding], target: T, feature: str) -> Finding:
    """Run one check; if it fails itself, say so, and lose none of the others."""
    try:
        return check(target)
    except Exception as error:  # noqa: BLE001 - the other checks go on whatever one does
        return failed_check(error, feature)


async def run_waiting_check(check: WaitingCheck, call: Call, feature: str) -> Sequence[Finding]:
    """Run one check that waits; if it fails itself, say so."""
    try:
        return await check(call)
    except Exception as error:  # noqa: BLE001 - the other checks go on whatever one does
        return (failed_check(error, feature),)


def failed_check(error: Exception, feature: str) -> Finding:
    log.warning("A check of %s failed: %s", feature, describe_failure(error))
    message = f"A check of {feature} failed: {type(error).__name__}."
    return make_finding(feature, "warn", message, "This is a bug in Vaultside; the log has the details.")


def check_permissions(data_dir: Path) -> Finding:
    if os.name != "posix":
        return make_finding("data folder", "ok", f"{data_dir} has the rights of your profile.")
    if not data_dir.is_dir():
        return make_finding("data folder", "warn", f"{data_dir} does not exist yet.", "It is made at the first start.")
    open_to = stat.S_IMODE(data_dir.stat().st_mode) & 0o077
    if open_to:
        fix = Fix("Make it private", f"chmod 700 '{data_dir}'", None)
        return make_finding("data folder", "fail", f"Other users can open {data_dir}.", f"Run: {fix.command}", fix)
    if not os.access(data_dir, os.W_OK | os.X_OK):
        return make_finding(
            "data folder", "fail", f"{data_dir} is not writable.", "Give another one with `--data-dir`."
        )
    return make_finding("data folder", "ok", f"{data_dir} is private and can be written.")


def check_free_space(free: int) -> Finding:
    text = f"{free / 2**30:.1f} GiB are free where the index lies."
    if free < MIN_FREE_BYTES // 10:
        return make_finding("disk", "fail", text, "Make room: indexing stops when the disk is full.")
    if free < MIN_FREE_BYTES:
        return make_finding("disk", "warn", text, "Make room before you add a large vault.")
    return make_finding("disk", "ok", text)


def check_folder(host: Host) -> Finding:
    try:
        count = sum(1 for _ in os.scandir(host.root))
    except OSError as error:
        return make_finding(
            "vault", "fail", f"{host.root} cannot be read: {error.strerror}.", "Check the path and its rights."
        )
    if not count:
        return make_finding("vault", "warn", f"{host.root} is empty.", "Give the folder that holds your notes.")
    if not os.access(host.root, os.W_OK | os.X_OK):
        do = "Change its rights if notes shall be changed through the bridge."
        return make_finding("vault", "warn", f"{host.root} can be read, but not written.", do)
    if host.rival:
        return make_finding("vault", "warn", f"{host.root}: {host.rival}", "Stop one of them with `vaultside stop`.")
    return make_finding("vault", "ok", f"{host.root} can be read and written.")


def check_obsidian(host: Host) -> Finding:
    settings = read_obsidian_settings(host.root)
    unused = [f"`{text}`" for text in Rules(ignored=settings.ignored).unusable_filters]
    file_problems = (
        [f"What its excluded files {', '.join(unused)} name is indexed: they cannot be used."] if unused else []
    )
    # Of a vault that is gone nothing can be used, which is said already.
    if (file_problems or settings.problems) and host.root.is_dir():
        do = "Change it in Obsidian; what shall not be indexed can be named in the setting `exclude`, too."
        return make_finding("Obsidian", "warn", " ".join([*settings.problems, *file_problems]), do)
    return make_finding("Obsidian", "ok", "Its settings of the vault can be used.")


def check_program_folders(host: Host) -> Finding:
    """Offer to leave out folders that tools of programmers fill, such as those of libraries."""
    try:
        found = find_program_folders(host.vault.index.notes, host.vault.indexer.names).most_common()
    except BridgeError:
        # The vault is not open; what it says of that is told elsewhere.
        found = []
    if not found:
        return make_finding("program folders", "ok", "No indexed note lies in a folder that tools fill.")
    shown = join_some([f"`{folder}/` ({count_of(count, 'note')})" for folder, count in found], MAX_SHOWN_FOLDERS)
    globs = ", ".join(f'"{glob}"' for glob in dict.fromkeys(map(glob_of, dict(found[:MAX_SHOWN_FOLDERS]))))
    do = f"If nobody looks for them, add to the setting `exclude`: {globs}."
    return make_finding("program folders", "warn", f"Notes of programs are indexed: {shown}.", do)


def find_program_folders(notes: Iterable[VaultPath], files: Container[str]) -> Counter[str]:
    @cache
    def is_filled(folder: str) -> bool:
        above, _, name = folder.rpartition("/")
        if f"{folder}/pyvenv.cfg" in files:
            return True
        beside = TOOL_FOLDERS.get(name)
        return beside == () or any(join_path(above, file) in files for file in beside or ())

    outermost = (next(filter(is_filled, parents(path)), None) for path in notes)
    return Counter(folder for folder in outermost if folder is not None)


def glob_of(folder: str) -> str:
    name = folder.rpartition("/")[2]
    return name if TOOL_FOLDERS.get(name) == () else f"{folder.replace('[', '[[]')}/**"


def check_index(health: HostHealth) -> Finding:
    index_health, progress = health.index, health.progress
    if progress.trouble is not None:
        # Trouble of the vault or the disk is no reason to lose an index that is sound.
        own = str(health.folder / "index") in progress.trouble
        do = f"If it stays so, delete {health.folder / 'index'}." if own else "It goes on once that is mended."
        return make_finding("index", "fail", progress.trouble, do)
    if index_health is None:
        return make_finding("index", "warn", "The index is being opened.", "Ask again in a moment.")
    text = (
        f"{count_of(progress.notes, 'note')}, {count_of(progress.passages, 'passage')}, "
        f"{index_health.bytes / 2**20:.1f} MiB."
    )
    if not progress.ready_keyword:
        return make_finding("index", "warn", f"{text} The first scan is not done.", "Wait, or look at `status`.")
    if index_health.fragments > MAX_FRAGMENTS or index_health.unindexed_rows > MAX_UNINDEXED_ROWS:
        fix = Fix("Reindex", "vaultside reindex", "reindex")
        why = (
            f"It is in {count_of(index_health.fragments, 'fragment')}, and "
            f"{count_of(index_health.unindexed_rows, 'row')} outside its indexes: search is slow."
        )
        return make_finding("index", "warn", f"{text} {why}", f"Run `{fix.command}` when idle.", fix)
    if progress.failed:
        return make_finding(
            "index", "warn", f"{text} {count_of(len(progress.failed), 'file')} could not be read.", "See `status`."
        )
    return check_repairs(index_health, text)


async def check_vector_index(call: Call) -> Sequence[Finding]:
    """Compare what the index of vectors finds with what comparing all of them finds, where there is one."""
    hosts = list(call.bridge.vaults.values()) if call.vault_name is None else [call.host]
    findings = []
    for host in hosts:
        vault = host.open_vault
        recall = await vault.index.vectors.measure_recall() if vault and vault.index.vectors.is_indexed else None
        if recall is not None:
            text = f"The index of vectors on disk finds {recall:.1%} of the notes that comparing all of them finds."
            low = recall < MIN_RECALL
            do = "It is built again by the next search; a larger `memory_mb` does without it." if low else ""
            finding = make_finding("index", "warn" if low else "ok", text, do)
            findings.append(replace(finding, vault=host.name))
    return findings


def check_repairs(index_health: IndexHealth, text: str) -> Finding:
    if not index_health.set_aside and not index_health.rebuilds:
        return make_finding("index", "ok", text)
    why = f" ({index_health.set_aside})" if index_health.set_aside else ""
    return make_finding("index", "warn", f"{text} What could not be used{why} was built again.", "Check the disk.")


def check_state(health: HostHealth) -> Finding:
    if health.index is not None and not health.store_sound:
        return make_finding(
            "state", "fail", "The state file is damaged.", "Restart: it is made again from what can be read."
        )
    if health.store_salvaged:
        return make_finding(
            "state",
            "warn",
            "The state file was damaged or lost, and was made again from what could be read of it and its backups.",
            "Check the disk. The damaged file lies beside it.",
        )
    return make_finding("state", "ok", "The state file is sound.")


def check_watcher(health: HostHealth) -> Finding:
    if not health.watches:
        return make_finding(
            "watcher", "warn", "Watching is off in the settings.", "Changes are seen at the next start."
        )
    if not health.is_watched and health.progress.trouble:
        return make_finding("watcher", "warn", "Nothing watches the vault now.", 'Set watch = "poll".')
    begins = "as they happen" if health.is_watched else "once all notes were read"
    return make_finding("watcher", "ok", f"Changes are noticed {begins}.")


def check_runtime(host: Host) -> Finding:
    path = host.folders.runtime(host.id)
    try:
        facts = orjson.loads(path.read_bytes())
        mode = stat.S_IMODE(path.stat().st_mode)
        pid, url = facts["pid"], facts["url"]
    except FileNotFoundError:
        return make_finding("runtime file", "ok", "No bridge serves this vault; this command opened it itself.")
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return make_finding("runtime file", "fail", f"{path} cannot be read.", "Stop the bridge and start it again.")
    if pid != os.getpid():
        return make_finding(
            "runtime file", "warn", f"{path} names process {pid}.", "Stop that process, then start again."
        )
    if os.name == "posix" and mode & 0o077:
        fix = Fix("Make it private", f"chmod 600 '{path}'", None)
        text = f"Other users can read the token in {path}."
        return make_finding("runtime file", "fail", text, f"Run: {fix.command}", fix)
    return make_finding("runtime file", "ok", f"The bridge listens at {url}; its token is in {path}.")


def last_call_codes(host: Host) -> Counter[str | None]:
    """Return how the last calls ended; none while the vault is not open."""
    try:
        return host.store.calls.last_codes(LAST_CALLS)
    except BridgeError:
        return Counter()


def check_calls(codes: Counter[str | None]) -> Finding:
    """Judge the health score: the share of the last calls that did not fail for a reason of ours."""
    failed = Counter({str(code): count for code, count in codes.items() if code in OWN_ERRORS})
    if not codes:
        return make_finding("calls", "ok", "Nothing was called yet.")
    score = 100 * (codes.total() - failed.total()) // codes.total()
    text = (
        f"Health {score} %: of the last {codes.total()} calls, {failed.total()} failed through no fault of the caller"
    )
    if not failed:
        return make_finding("calls", "ok", f"{text}.")
    text = f"{text} ({', '.join(f'`{code}` {count}' for code, count in failed.most_common())})."
    if score >= MIN_HEALTHY_PERCENT or codes.total() <= MAX_IGNORED_CALLS:
        return make_finding("calls", "ok", text)
    fix = Fix("Show which tools fail", "vaultside usage", None)
    hint = f"`{fix.command}` shows which tools fail; other warnings here may tell why."
    return make_finding("calls", "warn", text, hint, fix)


CHECKS: tuple[Check, ...] = (
    lambda call: check_permissions(call.bridge.data_dir),
    lambda call: check_free_space(free_bytes(call.bridge.folders)),
)

VAULT_CHECKS: tuple[VaultCheck, ...] = (
    check_folder,
    check_obsidian,
    check_program_folders,
    lambda host: check_index(host.health()),
    lambda host: check_state(host.health()),
    lambda host: check_watcher(host.health()),
    check_runtime,
    lambda host: check_calls(last_call_codes(host)),
)


SIGNS: Mapping[str, tuple[str, Role]] = {"ok": ("ok  ", "ok"), "warn": ("warn", "warning"), "fail": ("FAIL", "error")}


def diagnosis_view(diagnosis: Diagnosis) -> Iterable[Element]:
    for finding in diagnosis.findings:
        vault = f" ({inline(finding.vault)})" if finding.vault else ""
        check = Segment(f"  {finding.check}{vault}: ", "title")
        yield Line(Segment(*SIGNS[finding.verdict]), check, inline(finding.message))
        if finding.do:
            yield Line("      ", Segment(f"→ {inline(finding.do)}", "path"))
        if finding.fix:
            # Unchanged, so that it can be copied; a model reads it in the line before.
            yield Line(aside(f"        {finding.fix.command}", "title"))
