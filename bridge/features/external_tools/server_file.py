"""Reads and checks `servers.toml`, the user's list of MCP servers; a file with a mistake starts nothing."""

import hashlib
import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

import orjson
from msgspec import Meta, convert, field

from bridge.api.arguments import mismatch
from bridge.errors import SettingsUnreadable
from bridge.records import Record
from bridge.settings.file import is_foreign, section_of_lines
from bridge.text.invisible import one_line, visible_text
from bridge.types import Digest

Confirm = Literal["always", "first", "never"]
"""When the user is asked: before every call, before the first one of this program, or not at all."""

NAME = re.compile(r"[A-Za-z0-9](?:[-_]?[A-Za-z0-9]){0,39}")
"""Names of servers: a section of the file, and the first part of `server__tool`."""
SECRET = re.compile(r"\{secret:([A-Za-z0-9_.-]+)\}")
"""Where a secret belongs in the value of an environment variable."""
Variable = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z")]
Text = Annotated[str, Meta(pattern=r"^[^\0]*\Z")]
Filled = Annotated[str, Meta(pattern=r"(?s)^(?=.*\S)[^\0]*\Z")]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
HINT = "Correct this line by hand; until then no server of the file is started, and nothing is written to it."


class ExternalServer(Record):
    """One server of the file.

    Attributes:
        name: Its name.
        command: The program that is started; None for one that listens.
        args: The program's arguments.
        env: Its environment variables; `{secret:NAME}` in a value stands for a secret.
        cwd: The folder in which it runs; None for the user's home.
        url: The address of one that listens on this machine; None for a program.
        tools: The tools that agents may call; all if empty. `resource:GLOB` allows resources.
        confirm: When the user is asked.
        enabled: Whether it may be used at all.
    """

    name: str
    command: Filled | None = None
    args: tuple[Text, ...] = ()
    env: Mapping[Variable, Text] = field(default_factory=dict)
    cwd: Filled | None = None
    url: Filled | None = None
    tools: tuple[Text, ...] = ()
    confirm: Confirm = "always"
    enabled: bool = True

    @property
    def program(self) -> str:
        return self.url or PurePath(self.command or "").name

    @property
    def fingerprint(self) -> Digest:
        """A digest of what is started or called; it changes whenever the user must agree again."""
        identity = [self.command, self.args, self.cwd, self.url, sorted(self.env)]
        return Digest(hashlib.sha256(orjson.dumps(identity)).hexdigest())

    def allows(self, tool: str) -> bool:
        return not self.tools or tool in self.tools


KEYS: Mapping[str, str] = {
    "command": "a text",
    "args": "a list of texts",
    "env": "a table of texts",
    "cwd": "the absolute path of a folder",
    "url": "an address such as http://127.0.0.1:8000/mcp",
    "tools": "a list of texts",
    "confirm": "one of " + ", ".join(f'"{option}"' for option in get_args(Confirm)),
    "enabled": "true or false",
}
"""What the value of each entry must be, in words."""

HINTS = get_type_hints(ExternalServer, include_extras=True)


def read_servers(path: Path) -> Mapping[str, ExternalServer]:
    """Read the file; an absent one has no servers. Blocks."""
    try:
        text = path.read_text(encoding="utf-8")
        check_file_rights(path, others=stat.S_IWGRP | stat.S_IWOTH, mode="go-w", what="change")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsUnreadable(f"{path.name} cannot be read: {type(error).__name__}.", hint=HINT) from None
    return parse_servers(text, path.name)


def check_file_rights(path: Path, *, others: int, mode: str, what: str) -> None:
    if os.name != "posix":
        return
    if is_foreign(path):
        raise SettingsUnreadable(f"{path.name} belongs to another user.", hint="Make a file of your own.")
    if path.stat().st_mode & others:
        raise SettingsUnreadable(f"Other users can {what} {path.name}.", hint=f"Run: chmod {mode} '{path}'")


def parse_servers(text: str, file: str) -> Mapping[str, ExternalServer]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsUnreadable(f"{file} is not valid TOML: {error}.", hint=HINT) from None
    lines = text.splitlines()
    found = {}
    for name, table in tables.items():
        wrong = find_wrong_entry(name, table)
        if wrong is not None:
            key, why = wrong
            line = find_line(lines, name, key)
            raise SettingsUnreadable(f"{file}, line {line}: {why}.", hint=HINT, line=line)
        found[name] = convert({"name": name, **table}, ExternalServer)
    return found


def find_wrong_entry(name: str, table: Any) -> tuple[str, str] | None:
    if not isinstance(table, Mapping):
        return name, f"`{name[:40]}` must be a section, begun by `[{name[:40]}]`"
    if not NAME.fullmatch(name):
        return "", f"`{name[:40]}` is no name of a server: use letters, digits and single `-` or `_`, 40 at most"
    for key, value in table.items():
        if key not in KEYS:
            return key, f"`{key[:40]}` is no entry of a server; there are {', '.join(KEYS)}"
        if mismatch(value, HINTS[key]) or (key == "cwd" and not Path(value).expanduser().is_absolute()):
            return key, f"`{key}` of `{name}` must be {KEYS[key]}"
    return find_misplaced_secret(name, table) or find_mismatch(name, table)


def find_misplaced_secret(name: str, table: Mapping[str, Any]) -> tuple[str, str] | None:
    if any("{secret:" in one for one in table.get("args", ())):
        return "args", f"`args` of `{name}` cannot hold secrets, since other programs can see them: use `env`"
    values = table.get("env", {}).values()
    wrong = next((value for value in values if "{secret:" in SECRET.sub("", value)), None)
    return ("env", f"`{wrong[:40]}` in `env` of `{name}` names no secret: write {{secret:NAME}}") if wrong else None


def find_mismatch(name: str, table: Mapping[str, Any]) -> tuple[str, str] | None:
    if ("command" in table) == ("url" in table):
        return "", f"`{name}` needs either `command` or `url`"
    if "command" in table:
        return None
    if extra := next((key for key in ("args", "env", "cwd") if table.get(key)), None):
        return extra, f"`{extra}` of `{name}` is only for a program: a server with `url` runs already"
    why = find_url_mistake(table["url"])
    return ("url", f"`url` of `{name}` {why}") if why else None


def find_url_mistake(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is no address"
    if parts.scheme.lower() not in {"http", "https"}:
        return "must begin with http:// or https://"
    if parts.username is not None or parts.password is not None:
        return "must not hold a name or password"
    if host not in LOOPBACK:
        return "must be on this machine: 127.0.0.1, ::1 or localhost"
    return None


def find_line(lines: Sequence[str], name: str, key: str) -> int:
    homes = section_of_lines(lines)
    first = None
    for number, (line, home) in enumerate(zip(lines, homes, strict=True), start=1):
        word = line.split("=")[0].strip().strip("\"'")
        if (home == name and word == key) or home == f"{name}.{key}" or (not home and word == f"{name}.{key}"):
            return number
        if (home == name or (not home and word.split(".")[0] == name)) and first is None:
            first = number
    return first or 1


MIN_SECRET_CHARS = 8
"""Characters from which on a secret is taken out of texts: shorter ones stand in other words, and could be guessed by
seeing which disappear."""


def read_secrets(path: Path) -> Mapping[str, str]:
    """Read the file of secrets; an absent one has none. Blocks."""
    try:
        check_file_rights(path, others=stat.S_IRWXG | stat.S_IRWXO, mode="600", what="read or change")
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at .*\)", str(error))
        raise SettingsUnreadable(
            f"{path.name} is not valid TOML {place[0] if place else ''}".rstrip() + ".", hint='Write NAME = "value".'
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsUnreadable(
            f"{path.name} cannot be read: {type(error).__name__}.", hint="Correct it by hand."
        ) from None
    wrong = next((name for name, value in values.items() if not isinstance(value, str)), None)
    if wrong is not None:
        raise SettingsUnreadable(f"`{wrong[:40]}` in {path.name} must be a text.", hint='Write NAME = "value".')
    return values


def fill_in_secrets(env: Mapping[str, str], secrets: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    used: dict[str, str] = {}

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name not in secrets:
            raise SettingsUnreadable(
                f"There is no secret `{name}`.", hint=f'Write `{name} = "…"` into secrets.toml in the data folder.'
            )
        used[name] = secrets[name]
        return secrets[name]

    return {name: SECRET.sub(value_of, value) for name, value in env.items()}, used


def redact_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Return the visible part of a text with the names of secrets instead of their values."""
    # Before as well: a secret that is cut by the end of a comment would otherwise be left in part.
    return replace_values(visible_text(replace_values(text, secrets)), secrets)


def redact_line(text: str, secrets: Mapping[str, str]) -> str:
    return replace_values(one_line(redact_secrets(text, secrets)), secrets)


def replace_values(text: str, secrets: Mapping[str, str]) -> str:
    """Replace the values of secrets that are not short, the longest first, also where they are written as in JSON."""
    long = {name: value for name, value in secrets.items() if len(value) >= MIN_SECRET_CHARS}
    for name, value in sorted(long.items(), key=lambda item: -len(item[1])):
        for form in {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}:
            text = text.replace(form, f"[secret {name}]")
    return text
