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
        value: Its value now.
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
    await call.bridge.use(await asyncio.to_thread(change, call.bridge.settings_path, changes))
    return await asyncio.to_thread(in_use, call)


def in_use(call: Call) -> SettingsInUse:
    """Read the settings file."""
    from bridge.settings import described, load

    values, problems = load(call.bridge.settings_path)
    return SettingsInUse(
        path=str(call.bridge.settings_path),
        settings=tuple(
            Setting(s.name, getattr(values, s.name), s.default, s.type, s.meaning, s.restart) for s in described()
        ),
        problems=tuple(problem.message for problem in problems),
    )
