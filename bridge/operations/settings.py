"""Reading and changing the user's settings."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.errors import InvalidArguments
from bridge.operations.call import Call
from bridge.operations.registry import operation

GLOBS = {"exclude", "deny", "readonly"}
"""Settings that are lists of globs."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        name: Its name in the file.
        value: Its value now; null for `deny` unless the caller may change it, since it names what must seem missing.
        default: What it is without a line in the file.
        type: What it takes.
        meaning: What it does.
        restart: Whether a change is taken up only by the next start.
    """

    name: str
    value: Any
    default: Any
    type: str
    meaning: str
    restart: bool


@dataclass(frozen=True, slots=True)
class SettingsInUse:
    """The settings in use.

    Attributes:
        path: The file they are kept in.
        settings: Every setting.
        problems: Lines of the file that were not taken, and why.
    """

    path: str
    settings: tuple[Setting, ...]
    problems: tuple[str, ...]


@operation(
    example={},
    vault=False,
    tasks=("show the settings", "configuration of the bridge", "what is excluded"),
)
async def read_settings(call: Call) -> SettingsInUse:
    """Show every setting with its value, default and meaning."""
    return await asyncio.to_thread(in_use, call)


@operation(
    example={"changes": {"max_pdf_pages": 200}},
    reads=False,
    idempotent=True,
    scope="admin",
    vault=False,
    tasks=("change a setting", "configure the bridge"),
)
async def change_settings(call: Call, changes: Mapping[str, Any]) -> SettingsInUse:
    """Change settings; the file's other lines and comments are kept.

    Args:
        changes: New values by name; null takes a setting back to its default.
    """
    from bridge.settings import change

    if not changes:
        raise InvalidArguments("`changes` names no setting.")
    for name in GLOBS & changes.keys():
        require_sound(name, changes[name])
    await asyncio.to_thread(change, call.bridge.settings_path, changes)
    await call.bridge.reload()
    return await asyncio.to_thread(in_use, call)


def require_sound(name: str, globs: Any) -> None:
    """Refuse globs that would not protect what they seem to; that it is a list of them is checked elsewhere.

    Raises:
        InvalidArguments: One of them cannot be used.
    """
    from bridge.vault import mistake

    for glob in globs if isinstance(globs, list | tuple) else ():
        if isinstance(glob, str) and (why := mistake(glob)) is not None:
            raise InvalidArguments(f"`{glob[:80]}` in `{name}` {why}.")


def in_use(call: Call) -> SettingsInUse:
    """Read the settings file."""
    from bridge.settings import described, load

    values, problems = load(call.bridge.settings_path)
    kept_back = set() if "admin" in call.principal.scopes else {"deny"}
    return SettingsInUse(
        path=str(call.bridge.settings_path),
        settings=tuple(
            Setting(
                name=s.name,
                value=None if s.name in kept_back else getattr(values, s.name),
                default=s.default,
                type=s.type,
                meaning=s.meaning,
                restart=s.restart,
            )
            for s in described()
        ),
        problems=tuple(problem.message for problem in problems),
    )
