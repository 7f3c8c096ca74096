"""Reads Obsidian's own settings of a vault; they are never written."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Final, Literal, TypeVar, get_args

from msgspec import field

from bridge.errors import BridgeError, InvalidArguments, Missing, SettingsUnreadable
from bridge.markdown.moment_format import format_moment
from bridge.markdown.tasks import TaskSettings, read_task_settings
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.open_file import open_inside
from bridge.vault.paths import vault_path

LinkFormat = Literal["shortest", "relative", "absolute"]
Trash = Literal["system", "local", "none"]

TEMPLATER = "plugins/templater-obsidian/data.json"
MAX_BYTES = 1024 * 1024
MAX_TYPES = 10_000

Choice = TypeVar("Choice", LinkFormat, Trash)
Facts = Mapping[str, object]


class ObsidianSettings(Record):
    """The user's settings in Obsidian, or Obsidian's defaults."""

    ignored: tuple[str, ...] = ()
    """Excluded files: path prefixes, or `/regular expressions/`."""
    new_link_format: LinkFormat = "shortest"
    markdown_links: bool = False
    """Whether new links are written as `[…](…)`."""
    trash: Trash = "system"
    template_folder: str | None = None
    templater_folder: str | None = None
    """The folder of templates of the plugin Templater."""
    date_format: str = "YYYY-MM-DD"
    """The Moment.js format of `{{date}}` in templates."""
    time_format: str = "HH:mm"
    daily_folder: str = ""
    daily_format: str = "YYYY-MM-DD"
    """A Moment.js format; it may contain `/`."""
    daily_template: VaultPath | None = None
    property_types: Mapping[str, str] = field(default_factory=dict)
    """Obsidian's types of properties, as assigned: text, multitext, number, checkbox, date, datetime …"""
    tasks: TaskSettings = field(default_factory=TaskSettings)
    """The settings of the Tasks plugin."""
    unusable: tuple[tuple[str, str], ...] = ()
    """The files of which some part is unusable, each with a sentence that gives the reason."""

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(sentence for _, sentence in self.unusable)

    def problem_of(self, *names: str) -> str | None:
        """Return the problem of the first of some files of `.obsidian`; None when all are usable."""
        return next((sentence for name, sentence in self.unusable if name in names), None)

    @property
    def template_folders(self) -> tuple[str, ...]:
        return tuple(folder for folder in (self.template_folder, self.templater_folder) if folder)

    def require(self, *names: str, hint: str) -> None:
        """Refuse a write that depends on unusable settings files."""
        if problem := self.problem_of(*names):
            raise SettingsUnreadable(problem, hint=f"Repair the file in `.obsidian`, {hint}")


def read_obsidian_settings(root: Path) -> ObsidianSettings:
    """Read the settings of the vault at `root`; unusable ones count as not set."""
    reader = _Reader(root)
    app = reader.facts("app.json")
    daily = reader.facts("daily-notes.json")
    if not daily:
        periodic = reader.facts("plugins/periodic-notes/data.json").get("daily")
        daily = periodic if isinstance(periodic, dict) and periodic.get("enabled", True) else {}
    types = reader.facts("types.json").get("types")
    filters = app.get("userIgnoreFilters")
    template = reader.path("daily-notes.json", daily.get("template"))
    templates = reader.facts("templates.json")
    has_tasks = "obsidian-tasks-plugin" in reader.names("community-plugins.json")
    return ObsidianSettings(
        ignored=tuple(f for f in filters if isinstance(f, str)) if isinstance(filters, list) else (),
        new_link_format=choice_or_default(get_args(LinkFormat), app.get("newLinkFormat"), "shortest"),
        markdown_links=app.get("useMarkdownLinks") is True,
        trash=choice_or_default(get_args(Trash), app.get("trashOption"), "system"),
        template_folder=reader.path("templates.json", templates.get("folder")),
        templater_folder=reader.path(TEMPLATER, reader.facts(TEMPLATER).get("templates_folder")),
        date_format=setting_text(templates.get("dateFormat")) or "YYYY-MM-DD",
        time_format=setting_text(templates.get("timeFormat")) or "HH:mm",
        daily_folder=reader.path("daily-notes.json", daily.get("folder")) or "",
        daily_format=setting_text(daily.get("format")) or "YYYY-MM-DD",
        daily_template=add_extension(template) if template else None,
        property_types={k: v for k, v in list(types.items())[:MAX_TYPES] if isinstance(v, str)}
        if isinstance(types, dict)
        else {},
        tasks=read_task_settings(reader.facts("plugins/obsidian-tasks-plugin/data.json") if has_tasks else {}),
        unusable=tuple(reader.unusable),
    )


class _Reader:
    """Reads files of `.obsidian` and collects their problems."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unusable: list[tuple[str, str]] = []

    def facts(self, name: str) -> Facts:
        """Return the object in a settings file; empty when there is no file."""
        found = self._json(name)
        if not isinstance(found, dict):
            self.unusable.append((name, f"Obsidian's {name} is not used: it is not a JSON object of at most 1 MiB."))
            return {}
        return found

    def names(self, name: str) -> Sequence[str]:
        """Return the strings of the list in a settings file; empty when there is no file."""
        found = self._json(name)
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def _json(self, name: str) -> object:
        try:
            descriptor = open_inside(self.root, f".obsidian/{name}")
        except Missing:
            return {}
        except BridgeError as error:
            self.unusable.append((name, f"Obsidian's {name} is not used: {error.message}"))
            return {}
        try:
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(MAX_BYTES + 1)
            return json.loads(data.decode("utf-8-sig")) if len(data) <= MAX_BYTES else None
        except (OSError, ValueError, RecursionError):
            return None

    def path(self, name: str, value: object) -> VaultPath | None:
        """Return the path in a setting; None for the root, for no value and for a path outside the vault."""
        text = setting_text(value).strip("/")
        if not text or text == ".":
            return None
        try:
            return vault_path(text)
        except BridgeError as error:
            self.unusable.append((name, f"A path in Obsidian's {name} is not used: {error.message}"))
            return None


def setting_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def choice_or_default(choices: tuple[Choice, ...], value: object, default: Choice) -> Choice:
    return next((choice for choice in choices if choice == value), default)


def add_extension(template: VaultPath) -> VaultPath:
    return template if template.lower().endswith(".md") else VaultPath(f"{template}.md")


DAILY_SETTINGS: Final = ("daily-notes.json", "plugins/periodic-notes/data.json")
"""Obsidian's settings files that locate daily notes."""


def daily_path(settings: ObsidianSettings, day: date) -> VaultPath:
    """Return the path of a day's daily note, whether or not the note exists."""
    name = format_moment(settings.daily_format, datetime.combine(day, datetime.min.time()).astimezone()).strip()
    if not name.strip("/"):
        raise InvalidArguments("The vault's daily note format does not name a file.", hint="Change it in Obsidian.")
    return vault_path(f"{settings.daily_folder}/{name.lstrip('/')}{'' if name.endswith('.md') else '.md'}".lstrip("/"))
