"""Reads secrets by name, puts them where a server's environment asks for them, and takes them out of texts."""

import json
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path

from bridge.errors import SettingsUnreadable
from bridge.mcp_client.server_file import SECRET, check_file_rights
from bridge.text.invisible import one_line, visible_text

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
