"""`vaultside service`: serves vaults from login on, by systemd, launchd or the task scheduler, one service a user."""

import argparse
import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from bridge.cli.catalogue import program_command
from bridge.cli.console import NotConfirmed, confirm, json_line, print_message
from bridge.data_folder import folder_options
from bridge.errors import BridgeError, InvalidArguments, NoSuchVault
from bridge.private_files import make_private, write_private

UNIT = "vaultside.service"
AGENT = "vaultside"
TASK = "Vaultside"
RESTART_S = 10


class ServiceFailed(BridgeError):
    """The system's service manager refused."""

    code = "internal"


class Manager(NamedTuple):
    """The commands of a system's service manager.

    Attributes:
        file: What describes the service.
        start: Make it known and start it.
        stop: End it and make it unknown.
        status: Exits with 0 if it runs.
        logs: Prints what it said.
    """

    file: Path
    start: Sequence[Sequence[str]]
    stop: Sequence[Sequence[str]]
    status: Sequence[str]
    logs: Sequence[str]


def main(given: argparse.Namespace) -> int:
    """Install, remove or look at the service."""
    log = given.data_dir / "logs" / "service.log"
    manager = service_manager(sys.platform, given.data_dir, log)
    match given.action:
        case "install":
            install_service(manager, given, log)
        case "remove":
            remove_service(manager)
        case "logs":
            return run_manager(manager.logs)
        case _:
            is_running = manager.file.is_file() and not run_manager(manager.status, quiet=True)
            state = "running" if is_running else "stopped" if manager.file.is_file() else "not installed"
            print_message(f"The service is {state}{f' ({manager.file})' if manager.file.is_file() else ''}.")
            if given.json:
                json_line({"state": state, "file": str(manager.file)})
            return 0 if is_running else 1
    return 0


def service_manager(system: str, data_dir: Path, log: Path) -> Manager:
    if system == "darwin":
        file = Path.home() / "Library" / "LaunchAgents" / f"{AGENT}.plist"
        # The number of the user whose session it belongs to.
        session = f"gui/{os.getuid()}"
        return Manager(
            file,
            [["launchctl", "bootstrap", session, str(file)]],
            [["launchctl", "bootout", f"{session}/{AGENT}"]],
            ["launchctl", "print", f"{session}/{AGENT}"],
            ["tail", "-n", "100", str(log)],
        )
    if system == "win32":
        file = data_dir / "service.xml"
        return Manager(
            file,
            [["schtasks", "/Create", "/F", "/TN", TASK, "/XML", str(file)], ["schtasks", "/Run", "/TN", TASK]],
            [["schtasks", "/End", "/TN", TASK], ["schtasks", "/Delete", "/F", "/TN", TASK]],
            ["schtasks", "/Query", "/TN", TASK],
            ["powershell", "-NoProfile", "-Command", f"Get-Content -Tail 100 -LiteralPath '{log}'"],
        )
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    control = ["systemctl", "--user"]
    return Manager(
        folder / UNIT,
        [[*control, "daemon-reload"], [*control, "enable", "--now", UNIT]],
        [[*control, "disable", "--now", UNIT], [*control, "daemon-reload"]],
        [*control, "is-active", UNIT],
        ["journalctl", "--user", "--unit", UNIT, "--lines", "100", "--no-pager"],
    )


def install_service(manager: Manager, given: argparse.Namespace, log: Path) -> None:
    """Write the description and start the service; an earlier one is replaced."""
    for vault in given.vaults:
        if not vault.is_dir():
            raise NoSuchVault(f"There is no folder {vault}.", hint="Give the folder of your notes.")
    command = serve_command(given)
    what = f"`{shlex.join(command)}` will run from now on and after each login; {manager.file} says so"
    if not given.yes and not confirm(f"{what}. Go on?"):
        raise NotConfirmed(f"{what}.")
    if manager.file.is_file():
        remove_service(manager)
    manager.file.parent.mkdir(parents=True, exist_ok=True)
    make_private(log.parent)
    write_private(manager.file, describe(sys.platform, command, log))
    for step in manager.start:
        if run_manager(step, quiet=True):
            raise ServiceFailed(
                f"`{shlex.join(step)}` failed.", hint=f"Run it to see why. What it starts is in {manager.file}."
            )
    print_message("The service runs. `vaultside service status` and `vaultside service logs` tell how it is.")


def remove_service(manager: Manager) -> None:
    if not manager.file.is_file():
        raise InvalidArguments("There is no service.", hint="`vaultside service install VAULT` makes one.")
    for step in manager.stop:
        # What does not run cannot be ended.
        run_manager(step, quiet=True)
    manager.file.unlink()
    print_message("The service has ended and is removed.")


def run_manager(command: Sequence[str], *, quiet: bool = False) -> int:
    """Call the service manager and return its exit status."""
    try:
        return subprocess.run(command, capture_output=quiet, check=False).returncode
    except FileNotFoundError:
        raise ServiceFailed(
            f"This system has no `{command[0]}`.", hint="Start `vaultside serve VAULT` by the means that it has."
        ) from None


def serve_command(given: argparse.Namespace) -> list[str]:
    arguments = folder_options(given.data_dir, given.models_dir)
    return [*program_command(), "serve", *(str(vault.resolve()) for vault in given.vaults), *arguments]


def describe(system: str, command: Sequence[str], log: Path) -> bytes:
    """Return the file that describes the service: a unit, a property list or a task."""
    if system == "darwin":
        facts = {
            "Label": AGENT,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": RESTART_S,
            "StandardErrorPath": str(log),
        }
        return plistlib.dumps(facts)
    if system == "win32":
        return _describe_task(command).encode("utf-16")
    words = " ".join(_quote_for_systemd(word) for word in command)
    return (
        f"[Unit]\nDescription=Vaultside\n\n[Service]\nExecStart={words}\nRestart=on-failure\nRestartSec={RESTART_S}\n\n"
        "[Install]\nWantedBy=default.target\n"
    ).encode()


def _quote_for_systemd(word: str) -> str:
    """Quote a word of a unit's command; `%` and `$` mean something there too."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _describe_task(command: Sequence[str]) -> str:
    # Without a limit of time, and on a battery too, which are not the defaults.
    return f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><UserId>{escape(os.environ.get("USERNAME", ""))}</UserId></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>
  </Settings>
  <Actions><Exec>
    <Command>{escape(command[0])}</Command>
    <Arguments>{escape(subprocess.list2cmdline(command[1:]))}</Arguments>
  </Exec></Actions>
</Task>
"""
