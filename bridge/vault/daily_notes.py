"""Finds daily notes where the vault's own settings put them; days are those of the local time zone."""

from datetime import date, datetime

from bridge.errors import InvalidArguments
from bridge.markdown.moment_format import format_moment
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.paths import vault_path


def time_on_day(day: date, now: datetime) -> datetime:
    """Return the current time of day on another day, in local time."""
    there = datetime.combine(day, now.astimezone().time())
    local = there.astimezone()
    # A time that the clock skips is moved forward; otherwise it might fall on the day before.
    return local if local.replace(tzinfo=None) == there else there.replace(fold=1).astimezone()


def daily_path(settings: ObsidianSettings, day: date) -> VaultPath:
    """Return the path of a day's daily note, whether or not the note exists.

    Raises:
        InvalidArguments: The format in the settings has an unknown token, or gives no file name.
        OutsideVault: The path leads out of the vault.
        ProtectedPath: The path is hidden.
    """
    name = format_moment(settings.daily_format, datetime.combine(day, datetime.min.time()).astimezone()).strip()
    if not name.strip("/"):
        raise InvalidArguments("The vault's daily note format does not name a file.", hint="Change it in Obsidian.")
    return vault_path(f"{settings.daily_folder}/{name.lstrip('/')}{'' if name.endswith('.md') else '.md'}".lstrip("/"))
