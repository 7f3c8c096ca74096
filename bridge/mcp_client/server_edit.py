"""Changes `servers.toml`, keeping the user's other lines and comments."""

import contextlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.errors import InvalidArguments, SettingsUnreadable
from bridge.mcp_client.server_file import ExternalServer, check_server, parse_servers, read_servers
from bridge.private_files import file_lock, write_private
from bridge.settings.file import is_complete, section_of_lines, toml_value

TOKENS = re.compile(
    r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'" r"|(?P<comment>#[^\n]*)", re.DOTALL
)
"""Strings, in which `#` begins no comment, and comments."""
EMPTY: tuple[Any, ...] = (None, "", (), [], {})
"""Values that remove an entry."""


def save_server(path: Path, name: str, changes: Mapping[str, Any]) -> Mapping[str, ExternalServer]:
    """Add a server or change entries of one, and return all servers. Blocks."""
    with file_lock(path.with_name(f".{path.name}.lock")):
        before = read_servers(path)
        table = tomllib.loads(read_text(path)).get(name, {})
        if env := changes.get("env"):
            # Variables are changed one by one, so that nobody has to repeat those with secrets.
            merged = {**(table.get("env") or {}), **env}
            changes = {**changes, "env": {key: value for key, value in merged.items() if value not in EMPTY}}
        after = {key: value for key, value in {**table, **changes}.items() if value not in EMPTY}
        server = check_server(name, after)
        lines = read_text(path).splitlines()
        if name not in before:
            lines += [*([""] if lines and lines[-1].strip() else []), f"[{name}]"]
        for key in changes:
            if after.get(key) != table.get(key):
                lines = replace_entry(lines, name, key, after.get(key))
        return write_servers(path, lines, {**before, name: server})


def remove_server(path: Path, name: str) -> Mapping[str, ExternalServer]:
    """Remove a server's sections and return the others; comments above the next section stay. Blocks."""
    with file_lock(path.with_name(f".{path.name}.lock")):
        before = read_servers(path)
        lines = read_text(path).splitlines()
        kept: list[str] = []
        homes = section_of_lines(lines)
        for number, (line, home) in enumerate(zip(lines, homes, strict=True)):
            is_own = home == name or home.startswith(f"{name}.") or (not home and is_assignment(line, f"{name}."))
            if not is_own or number >= section_end(lines, homes, home):
                kept.append(line)
        return write_servers(path, kept, {one: server for one, server in before.items() if one != name})


def read_text(path: Path) -> str:
    """Return the text of the file, empty if it is absent."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def write_servers(
    path: Path, lines: Sequence[str], expected: Mapping[str, ExternalServer]
) -> Mapping[str, ExternalServer]:
    text = "\n".join([*lines, ""])
    with contextlib.suppress(SettingsUnreadable):
        if parse_servers(text, path.name) == expected:
            write_private(path, text.encode())
            return expected
    raise InvalidArguments(
        f"{path.name} is written in a way that cannot be changed here.", hint="Change it by hand, in an editor."
    )


def replace_entry(lines: Sequence[str], name: str, key: str, value: Any) -> list[str]:
    """Return the lines with an entry of a server replaced, added, or removed if its value is empty.

    Comments of a replaced entry stay: one after it on its line, others above it.
    """
    homes = section_of_lines(lines)
    fresh = [] if value in EMPTY else [f"{key} = {entry_value(value)}"]
    if f"{name}.{key}" in homes:
        # A table with a section of its own: its comments stay, and the entry goes above them.
        first = homes.index(f"{name}.{key}")
        end = section_end(lines, homes, f"{name}.{key}")
        comments = [one for line in lines[first:end] for one in comments_in(line)]
        lines = [*lines[:first], *comments, *lines[end:]]
        homes = section_of_lines(lines)
    start = next((i for i, line in enumerate(lines) if homes[i] == name and is_assignment(line, key)), None)
    if start is None and (at := find_dotted(lines, homes, f"{name}.{key}")) is not None:
        start, fresh = at, [f"{name}.{one}" for one in fresh]
    if start is None:
        end = section_end(lines, homes, name)
        return [*lines[:end], *fresh, *lines[end:]]
    end = start + 1
    while end < len(lines) and not is_complete("\n".join(lines[start:end])):
        end += 1
    comments = comments_in("\n".join(lines[start:end]))
    if fresh and comments and lines[end - 1].endswith(comments[-1]):
        fresh = [f"{fresh[0]}  {comments.pop()}"]
    return [*lines[:start], *comments, *fresh, *lines[end:]]


def find_dotted(lines: Sequence[str], homes: Sequence[str], dotted: str) -> int | None:
    return next((i for i, line in enumerate(lines) if not homes[i] and is_assignment(line, dotted)), None)


def is_assignment(line: str, key: str) -> bool:
    word, equals, _ = line.partition("=")
    word = word.strip().replace('"', "").replace("'", "")
    return bool(equals) and (word.startswith(key) if key.endswith(".") else word == key)


def section_end(lines: Sequence[str], homes: Sequence[str], name: str) -> int:
    end = max((i for i, home in enumerate(homes, start=1) if home == name), default=0)
    if end < len(lines):
        while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def comments_in(text: str) -> list[str]:
    return [match["comment"].rstrip() for match in TOKENS.finditer(text) if match["comment"]]


def entry_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + " }"
    return toml_value(value)
