"""Where the daily note of a day is."""

from datetime import date, datetime
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.moment_format import format_moment
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.paths import vault_path

DAILY_SETTINGS: Final = ("daily-notes.json", "plugins/periodic-notes/data.json")
"""Obsidian's settings files that locate daily notes."""


def daily_path(settings: ObsidianSettings, day: date) -> VaultPath:
    """Return the path of a day's daily note, whether or not the note exists."""
    name = format_moment(settings.daily_format, datetime.combine(day, datetime.min.time()).astimezone()).strip()
    if not name.strip("/"):
        raise InvalidArguments("The vault's daily note format does not name a file.", hint="Change it in Obsidian.")
    return vault_path(f"{settings.daily_folder}/{name.lstrip('/')}{'' if name.endswith('.md') else '.md'}".lstrip("/"))
