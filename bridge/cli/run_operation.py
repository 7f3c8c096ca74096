"""`vaultside <operation>`: runs in the running bridge if there is one, else in this process."""

import argparse
import contextlib
import json
import os
import re
import sys
import threading
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.cli import find_bridge, options, render
from bridge.cli.catalogue import operation_commands
from bridge.cli.console import print_bytes, print_message
from bridge.cli.find_bridge import FoundVault, ServedVault, find_vault, served_vaults
from bridge.cli.parser import JOURNAL
from bridge.data_folder import Folders
from bridge.errors import BridgeError, FolderNotFound, NoSuchVault, NoteNotFound, OutsideVault, VaultHeld
from bridge.server.runtime_file import VIEW

if TYPE_CHECKING:
    from bridge.export.catalogue import OperationCommand

LISTS = ("hits", "notes", "tasks", "tags", "folders")
"""Fields of results that list what was found."""


def explain_missing(data_dir: Path, root: Path, arguments: Mapping[str, Any]) -> str:
    """Say which file or folder that the arguments name is hidden; empty if none is."""
    if not (globs := denied_globs(data_dir)):
        return ""
    from bridge.vault.rules import GlobSet

    denied = GlobSet(globs)
    for typed in texts(arguments):
        for path in (typed, f"{typed}.md"):
            if denied.covers(path) and (root / path).exists():
                return f"`{path}` exists; the setting `deny` hides it from every client: {quote_globs(globs)}."
    return ""


def explain_empty(data_dir: Path, root: Path, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """Say that notes are hidden where nothing was found; empty if something was, or nothing is hidden."""
    lists = [result[name] for name in LISTS if isinstance(result.get(name), list)]
    if not lists or any(lists):
        return ""
    globs = denied_globs(data_dir)
    which = explain_missing(data_dir, root, arguments)
    return which or (f"Notes that the setting `deny` hides are never found: {quote_globs(globs)}." if globs else "")


def texts(value: Any) -> Iterator[str]:
    """Yield the texts among arguments that may be paths."""
    match value:
        case str():
            yield value.strip("/")
        case list():
            for one in value:
                yield from texts(one)
        case Mapping():
            for name in ("path", "paths", "folder", "links_to", "linked_from", "source", "target", "edits"):
                yield from texts(value.get(name))


def denied_globs(data_dir: Path) -> tuple[str, ...]:
    path = Folders(data_dir).settings
    # Most users hide nothing, and reading settings takes longer than most commands.
    if not path.exists() or b"deny" not in path.read_bytes():
        return ()
    from bridge.settings.file import load_settings

    return tuple(load_settings(path)[0].deny)


def quote_globs(globs: tuple[str, ...]) -> str:
    return ", ".join(f"`{glob}`" for glob in globs)


def to_vault_paths(command: "OperationCommand", arguments: Mapping[str, Any], root: Path) -> dict[str, Any]:
    found = dict(arguments)
    for name, argument in command["arguments"].items():
        value = arguments.get(name)
        if argument["kind"] == "file" and isinstance(value, str):
            found[name] = str(Path(value).expanduser().absolute())
        if argument["kind"] not in {"path", "folder"}:
            continue
        if isinstance(value, str):
            found[name] = vault_path(value, root)
        elif isinstance(value, list):
            found[name] = [vault_path(one, root) if isinstance(one, str) else one for one in value]
    return found


def vault_path(typed: str, root: Path, here: Path | None = None) -> str:
    """Return a typed path relative to the vault's root.

    A path that exists in the vault is taken as such, since notes are named that way everywhere else; `./` in front
    makes it relative to the current folder.
    """
    here = Path.cwd() if here is None else here
    if not typed:
        return typed
    from_here = relative_to_vault(root, here / typed)
    if from_here and typed.endswith("/"):
        # The slash marks a folder.
        from_here += "/"
    if Path(typed).is_absolute() or re.match(r"\.\.?([/\\]|$)", typed):
        if from_here is None:
            raise OutsideVault(f"`{typed}` is outside the vault {root}.", hint="Give a path inside the vault.")
        return from_here
    if from_here is None:
        return typed
    if not exists(root / typed):
        return from_here if exists(here / typed) else typed
    if from_here != typed and exists(here / typed):
        print_message(f"`{typed}` is taken from the top of the vault; `./{typed}` means {from_here}.")
    return typed


def exists(path: Path) -> bool:
    """Say whether a file or folder of this path exists, or a note with `.md` appended."""
    return os.path.lexists(path) or os.path.lexists(f"{path}.md")


def relative_to_vault(root: Path, path: Path) -> str | None:
    real = Path(os.path.realpath(path.parent), path.name)
    for base, place in ((root, path), (Path(os.path.realpath(root)), real)):
        for one, other in spellings(Path(os.path.normpath(place)), base):
            if one.is_relative_to(other):
                return "/".join(one.relative_to(other).parts)
    return None


def spellings(*paths: Path) -> Iterator[tuple[Path, ...]]:
    """Yield paths as given and in NFC: macOS hands out one form, and disks contain either."""
    yield paths
    yield tuple(Path(unicodedata.normalize("NFC", str(path))) for path in paths)


VAULT = "vault"
"""The argument that every operation has beside its own."""

CHANGE_SETTINGS = "change_settings"
APPLIED_WITHIN_S = 120.0
"""Seconds that a bridge gets to apply changed settings, and to erase what they deny."""

NOT_FOUND = {NoteNotFound.code, FolderNotFound.code}

HOOK_PATIENCE_S = 1.0
"""Seconds after which nothing is printed for an agent's hook."""

FAILURES: Mapping[str, tuple[str, object]] = {
    "doctor": ("verdict", "fail"),
    "call_server": ("failed", True),
}
"""By operation: the field of its result that says that something failed, and its value then."""


def main(given: argparse.Namespace) -> int:
    if getattr(given, "hook", None) is not None:
        typed = options.collect(operation_commands()[given.command], given)
        return answer_hook(given, given.command, typed, typed.pop(VAULT, None) or given.vault)
    answer, reached = find_and_run(given)
    if given.json:
        print_bytes(answer)
        result = json.loads(answer) if given.command in FAILURES else {}
    else:
        result, view = split_view(answer)
        render.show(given.command, view)
        if "freshness" in result:
            render.explain_backlog(result, reached.indexer if isinstance(reached, ServedVault) else "none")
        if reached is not None and (hidden := explain_empty(given.data_dir, reached.path, vars(given), result)):
            print_message(hidden)
    field, failure = FAILURES.get(given.command, ("", None))
    return int(bool(field) and result[field] == failure)


def answer_hook(given: argparse.Namespace, operation: str, arguments: Mapping[str, Any], reference: str | None) -> int:
    """Answer the hook of an agent, which waits for it, by the text of an operation's result, in time or not at all."""
    said: list[str] = []

    def ask() -> None:
        try:
            reached = find_vault(given.data_dir, reference)
            if isinstance(reached, ServedVault):
                own = {"client": given.hook} if operation == JOURNAL else arguments
                asked = {**own, "vault": reached.id}
                answer = json.loads(find_bridge.send(reached.runtime, operation, asked, patience=HOOK_PATIENCE_S))
                said.append(str(answer.get("text", "")))
        except (BridgeError, OSError, ValueError):
            return

    # A bridge that accepts the connection and is busy must not hold the agent up.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(HOOK_PATIENCE_S)
    for text in said:
        sys.stdout.write(f"{text}\n" if text else "")
    return 0


class OtherVersion(BridgeError):
    """The running bridge is of another version than this command."""

    code = "not_ready"
    hint = "Stop it with `vaultside stop`, then repeat the command."


def split_view(answer: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    match json.loads(answer):
        case {"result": dict(result), "view": list(view)}:
            return result, view
        case _:
            raise OtherVersion


def find_and_run(given: argparse.Namespace) -> tuple[bytes, FoundVault | None]:
    command = operation_commands()[given.command]
    typed = options.collect(command, given)
    reference = typed.pop(VAULT, None) or given.vault
    options.require_all(command, given.command, typed)
    # What needs the scope `admin` runs in this process, since the runtime token does not grant it; a user who may write
    # the settings file may run it.
    is_admins = "admin" in {command["scope"], command["complete"]}
    reached = None if is_admins else target_vault(given, reference, command)
    arguments = typed if reached is None else to_vault_paths(command, typed, reached.path)
    asks_one = command["vault"] or reference is not None
    where = {VAULT: reached.id} if isinstance(reached, ServedVault) and asks_one else {}
    if needs_digest(command, arguments):
        # A user who types a command means the note as it is now; the write checks that it is still that.
        query = {"path": arguments["path"], "max_chars": 1, **where}
        arguments["digest"] = json.loads(run_operation(given, "read_note", query, reached, view=False))["digest"]
    answer = run_operation(given, given.command, {**arguments, **where}, reached, view=not given.json)
    if given.command == CHANGE_SETTINGS:
        apply_at_once(given.data_dir, arguments)
    return answer, reached


def apply_at_once(data_dir: Path, changes: Mapping[str, Any]) -> None:
    """Have running bridges apply saved settings, since nobody expects a new `deny` to hold only seconds later."""
    for runtime in find_bridge.owned_bridges(data_dir):
        # One that does not answer notices the change by itself, or is starting and reads the file.
        with contextlib.suppress(find_bridge.Unreachable):
            find_bridge.send(runtime, CHANGE_SETTINGS, changes, patience=APPLIED_WITHIN_S)


def run_operation(
    given: argparse.Namespace, operation: str, arguments: Mapping[str, Any], reached: FoundVault | None, *, view: bool
) -> bytes:
    try:
        return run_there(given, operation, arguments, reached, view=view)
    except BridgeError as error:
        if reached is not None and error.code in NOT_FOUND:
            error.hint = explain_missing(given.data_dir, reached.path, arguments) or error.hint
        raise


def run_there(
    given: argparse.Namespace, operation: str, arguments: Mapping[str, Any], reached: FoundVault | None, *, view: bool
) -> bytes:
    if isinstance(reached, ServedVault):
        accept = VIEW if view else "application/json"
        return find_bridge.send(reached.runtime, operation, arguments, accept=accept)
    from bridge.cli.local import run_in_process

    if reached is None:
        return run_in_process(given, operation, arguments, [], view=view)
    try:
        return run_in_process(given, operation, arguments, [reached.path], view=view)
    except VaultHeld as held:
        # A bridge that was starting meanwhile serves it by now.
        served = find_vault(given.data_dir, str(reached.path)) if held.facts else None
        if not isinstance(served, ServedVault):
            raise
        return run_there(given, operation, {**arguments, VAULT: served.id}, served, view=view)


def needs_digest(command: "OperationCommand", arguments: Mapping[str, Any]) -> bool:
    if command["reads"] or "digest" in arguments or not isinstance(arguments.get("path"), str):
        return False
    digest = command["arguments"].get("digest")
    return digest is not None and (digest["required"] or "edits" in arguments)


def target_vault(given: argparse.Namespace, reference: str | None, command: "OperationCommand") -> FoundVault | None:
    try:
        return find_vault(given.data_dir, reference)
    except NoSuchVault:
        if command["vault"] or reference is not None:
            raise
        # Any running bridge can answer an operation that needs no particular vault.
        running = next(served_vaults(given.data_dir), None)
        if running is None and given.command == "status":
            raise
        return running
