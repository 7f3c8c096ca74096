"""Fills in Obsidian's own templates: `{{title}}`, `{{date}}` and `{{time}}`; never executes anything."""

import re
from datetime import datetime
from typing import Final

from bridge.markdown.moment_format import format_moment
from bridge.records import dataclass

_FIELD: Final = re.compile(r"\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}", re.IGNORECASE)
_LEFT: Final = re.compile(r"\{\{[^{}\r\n]*\}\}")


@dataclass(frozen=True, slots=True)
class FilledTemplate:
    """A template's text with its fields filled in, and the fields left as they were."""

    text: str
    warnings: tuple[str, ...] = ()


def fill_template(
    text: str, title: str, when: datetime, *, date_format: str = "YYYY-MM-DD", time_format: str = "HH:mm"
) -> FilledTemplate:
    """Fill in a template."""

    def value(field: re.Match[str]) -> str:
        name, pattern = field[1].lower(), (field[2] or "").strip()
        if name == "title":
            return title
        return format_moment(pattern or (date_format if name == "date" else time_format), when)

    warnings = []
    if "<%" in text:
        warnings.append("The template has commands of Templater (`<% … %>`); they are not executed and stay.")
    others = dict.fromkeys(found for found in _LEFT.findall(text) if not _FIELD.fullmatch(found))
    if others:
        shown = ", ".join(f"`{each[:40]}`" for each in list(others)[:5])
        warnings.append(f"The template has fields that are not Obsidian's own; they stay: {shown}.")
    return FilledTemplate(_FIELD.sub(value, text), tuple(warnings))
