"""Reads and changes the settings file; an invalid line is ignored, prevents no start and lifts no rule."""

import codecs
import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bridge.errors import InvalidArguments
from bridge.private_files import write_private
from bridge.settings.schema import RULES, SECTIONS, SettingProblem, Settings, setting_fields, value_problem
from bridge.text.closest import find_closest

HEADER = re.compile(r"""\s*\[\s*([^\[\]"']+?)\s*\]\s*(#.*)?""")
"""A line that begins a section."""

FORMER_NAMES = (
    (r"^(\s*\[?\s*)gardener(?=\s*[.\]])", r"\1tidy"),
    (r"^(\s*(?:tidy\s*\.\s*)?)garden_every_days(?=\s*=)", r"\1plan_every_days"),
    (r"^\s*(?:tidy\s*\.\s*)?plans_keep_days\s*=.*\n?", ""),
    (r"^(\s*(?:topics\s*\.\s*)?)ontology_folder(?=\s*=)", r"\1folder"),
    (r"^(\s*(?:topics\s*\.\s*)?folder_meaning\s*=\s*[\"'])ontology(?=[\"'])", r"\1topics"),
)
"""What names of earlier versions became, each at the beginning of a line; `plans_keep_days` is not needed any more."""


def load_settings(path: Path) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Read the file; an absent one means defaults."""
    try:
        if is_foreign(path):
            rules = tuple(rule for rule in RULES if may_set_rule(path, rule))
            message = f"{path} belongs to another user, defaults are used"
            return Settings(), (SettingProblem("", message, rules, is_whole_file=True),)
        text = read_text(path)
        table = tomllib.loads(text)
        if (renamed := rename_former(text)) != text:
            # What has both names already stays as it is, with a problem.
            with suppress(OSError, tomllib.TOMLDecodeError):
                table = tomllib.loads(renamed)
                write_private(path, renamed.encode())
    except FileNotFoundError:
        return Settings(), ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        rules = tuple(rule for rule in RULES if may_set_rule(path, rule))
        kept = ", except for its rules" if rules else ""
        message = f"{path.name} cannot be read, defaults are used{kept}: {error}"
        return Settings(), (SettingProblem("", message, rules, is_whole_file=True),)
    values = flatten(table)
    problems = (*find_problems(values), *permission_problems(path))
    return build_settings({name: values[name] for name in values.keys() - {p.name for p in problems}}), problems


def read_text(path: Path) -> str:
    """Return the text of the file; programs of Windows write UTF-16, or a byte order mark before UTF-8."""
    data = path.read_bytes()
    return data.decode("utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")


def rename_former(text: str) -> str:
    """Return the text of a settings file with the names of earlier versions as they are now."""
    for former, name in FORMER_NAMES:
        text = re.sub(former, name, text, flags=re.MULTILINE)
    return text


def flatten(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of the file by name; those in the section of a feature are named `section.setting`."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in SECTIONS and isinstance(value, dict):
            values |= {f"{name}.{key}": entry for key, entry in value.items()}
        else:
            values[name] = value
    return values


def build_settings(values: Mapping[str, Any]) -> Settings:
    own: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        (sections.setdefault(section, {}) if section else own)[key] = freeze(value)
    return Settings(**own, sections=tuple(SECTIONS[name](**sections[name]) for name in SECTIONS if name in sections))


def is_foreign(path: Path) -> bool:
    """Say whether a file belongs to another user who is not the administrator."""
    return os.name == "posix" and path.stat().st_uid not in {0, os.geteuid()}


def permission_problems(path: Path) -> tuple[SettingProblem, ...]:
    """Return a problem if other users may change the file, which decides what clients may see and do."""
    if os.name != "posix" or not path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return ()
    return (SettingProblem("", f"other users can change {path}; run: chmod go-w '{path}'"),)


def may_set_rule(path: Path, rule: str) -> bool:
    try:
        return rule in read_text(path)
    except (OSError, UnicodeDecodeError):
        return True


def keep_rules(settings: Settings, problems: Iterable[SettingProblem], before: Settings | None) -> Settings:
    """Return settings in which no rule is lifted by lines that could not be read."""
    problems = tuple(problems)
    doubtful = {rule for problem in problems for rule in problem.rules}
    if before is not None and any(problem.is_whole_file for problem in problems):
        doubtful = {*RULES}
    closed = before or Settings(deny=("**",), readonly=("**",))
    deny, readonly = (closed if rule in doubtful else settings for rule in RULES)
    return replace(settings, deny=deny.deny, readonly=readonly.readonly)


def save_settings(path: Path, changes: Mapping[str, Any]) -> Settings:
    """Write changed settings, keeping the file's other lines and comments."""
    fields = setting_fields()
    problems = find_problems({k: v for k, v in changes.items() if v is not None or k not in fields})
    if problems:
        messages = "; ".join(p.message for p in problems)
        messages = messages[0].upper() + messages[1:]
        raise InvalidArguments(
            messages if messages.endswith("?") else f"{messages}.",
            hint="`read_settings` lists every setting with its values.",
        )
    try:
        lines = read_text(path).splitlines() if path.exists() else []
        for name, value in changes.items():
            lines = replace_assignment(lines, name, value)
        text = "\n".join([*lines, ""])
        tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArguments(
            f"{path} cannot be read: {error}.", hint="Correct or delete that file, then change settings again."
        ) from None
    write_private(path, text.encode())
    return load_settings(path)[0]


def find_problems(table: Mapping[str, Any]) -> tuple[SettingProblem, ...]:
    found = []
    names = tuple(setting_fields())
    for name, value in table.items():
        if name in SECTIONS:
            found.append(SettingProblem(name, f"`{name}` must be a section, begun by `[{name}]`"))
        elif name not in names:
            near = find_closest(name, names)
            section, _, key = name.rpartition(".")
            suggestion = f"; did you mean `{near}`?" if near else ""
            if section and key in RULES:
                suggestion = f"; `{key}` belongs above the first section, and this stands in `[{section}]`"
            inside = value if isinstance(value, dict) else {}
            # A rule below the beginning of a section is an entry of that section.
            last = find_closest(name.rpartition(".")[2], RULES)
            rules = tuple(rule for rule in RULES if rule in (near, last) or rule in inside)
            found.append(SettingProblem(name, f"unknown setting `{name}`{suggestion}", rules))
        elif why := value_problem(name, value):
            found.append(SettingProblem(name, f"`{name}` {why}", (name,) if name in RULES else ()))
    return tuple(found)


def replace_assignment(lines: list[str], name: str, value: Any) -> list[str]:
    section, _, key = name.rpartition(".")
    homes = section_of_lines(lines)
    here = {section: key, "": name}
    start = next((i for i, line in enumerate(lines) if line.split("=")[0].strip() == here.get(homes[i])), None)
    fresh = [] if value is None else [f"{key if start is None else here[homes[start]]} = {toml_value(value)}"]
    if start is not None:
        end = start + 1
        while end < len(lines) and not is_complete("\n".join(lines[start:end])):
            end += 1
        return [*lines[:start], *fresh, *lines[end:]]
    if fresh and section and section not in homes:
        return [*lines, "", f"[{section}]", *fresh]
    end = max((i for i, home in enumerate(homes, start=1) if home == section), default=0)
    while end and not lines[end - 1].strip():
        end -= 1
    return [*lines[:end], *fresh, *lines[end:]]


def section_of_lines(lines: Sequence[str]) -> list[str]:
    """Return the section in which each line stands, empty before the first."""
    homes, home = [], ""
    for line in lines:
        if match := HEADER.fullmatch(line):
            home = match[1]
        homes.append(home)
    return homes


def is_complete(assignment: str) -> bool:
    """Say whether the assignment ends here; a list may span lines."""
    try:
        tomllib.loads(assignment)
    except tomllib.TOMLDecodeError:
        return False
    return True


def toml_value(value: Any) -> str:
    """Format a value as TOML, which writes it as JSON does; what is not printable could part a line."""
    written = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in written)


def freeze(value: Any) -> Any:
    """Convert lists to tuples."""
    return tuple(value) if isinstance(value, list) else value
