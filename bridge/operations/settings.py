"""Reading and changing the user's settings."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.errors import InvalidArguments
from bridge.operations.call import Call
from bridge.operations.registry import operation


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


@operation(example={}, vault=False)
async def read_settings(call: Call) -> SettingsInUse:
    """Show every setting with its value, default and meaning."""
    return await asyncio.to_thread(in_use, call)


@operation(example={"changes": {"max_pdf_pages": 200}}, reads=False, idempotent=True, scope="admin", vault=False)
async def change_settings(call: Call, changes: Mapping[str, Any]) -> SettingsInUse:
    """Change settings; the file's other lines and comments are kept.

    Args:
        changes: New values by name; null takes a setting back to its default.
    """
    from bridge.settings import change

    if not changes:
        raise InvalidArguments("`changes` names no setting.")
    await asyncio.to_thread(change, call.bridge.settings_path, changes)
    await call.bridge.reload()
    return await asyncio.to_thread(in_use, call)


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
