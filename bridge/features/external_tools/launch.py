"""What a server is started with: its program, its folder and its environment."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from bridge.errors import ServerFailed
from bridge.features.external_tools.server_file import ExternalServer, fill_in_secrets
from bridge.records import Record

INHERITED = (
    (
        *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
        *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
    )
    if sys.platform == "win32"
    else ("HOME", "LOGNAME", "USER", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
)
"""Variables that a server gets from the bridge's own environment, beside PATH."""

BIN_FOLDERS = (
    *("~/.local/bin", "~/.cargo/bin", "~/.bun/bin", "~/.deno/bin", "~/.volta/bin", "~/go/bin"),
    *("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"),
)
"""Where programs usually are; one that starts from Obsidian has only the system's folders in its PATH."""


class Launch(Record):
    """A server as it is started; another one is another process.

    Attributes:
        server: The server.
        env: Its whole environment.
        secrets: The secrets in it, by name.
    """

    server: ExternalServer
    env: Mapping[str, str]
    secrets: Mapping[str, str]

    @property
    def folder(self) -> Path:
        return Path(self.server.cwd).expanduser() if self.server.cwd else Path.home()

    def has_same_process(self, other: "Launch") -> bool:
        ours, theirs = self.server, other.server
        return (ours.command, ours.args, ours.cwd, ours.url, self.env) == (
            theirs.command,
            theirs.args,
            theirs.cwd,
            theirs.url,
            other.env,
        )

    def command_line(self) -> list[str]:
        """Return the program's path and its arguments. Blocks."""
        name = str(Path(self.server.command or "").expanduser())
        if not self.folder.is_dir():
            raise ServerFailed(f"The folder `cwd` of `{self.server.name}` does not exist.", hint="Correct `cwd`.")
        place = str(self.folder / name) if os.path.dirname(name) else name  # noqa: PTH120 - "./x" has a folder
        path = shutil.which(place, path=self.env["PATH"])
        if path is None:
            raise ServerFailed(
                f"The program of `{self.server.name}` was not found.",
                hint="Install it, or give its whole path as `command`.",
            )
        return [path, *self.server.args]


def prepare_launch(server: ExternalServer, secrets: Mapping[str, str]) -> Launch:
    env, used = fill_in_secrets(server.env, secrets)
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return Launch(server, {**inherited, **env, "PATH": search_path(env.get("PATH"))}, used)


def search_path(own: str | None) -> str:
    """Return the folders of programs: those of the server or else of the bridge, then the usual ones."""
    folders = (own or os.environ.get("PATH", "")).split(os.pathsep)
    if os.name == "posix":
        folders += [os.path.expanduser(folder) for folder in BIN_FOLDERS]  # noqa: PTH111 - PATH is text
    return os.pathsep.join(dict.fromkeys(filter(None, folders)))
