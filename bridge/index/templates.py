"""Which notes are templates, from which others are made."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from bridge.index.note import IndexedNote
from bridge.text.fold import fold_word
from bridge.types import lies_in

FOLDERS: Final = frozenset(
    fold_word(name)
    for name in (
        *("template", "templates", "vorlage", "vorlagen", "modèles", "plantillas", "modelli", "modelos"),
        *("sjablonen", "szablony", "шаблоны", "模板", "范本", "テンプレート", "템플릿"),
    )
)
"""Names of folders that hold templates, without case, accents, numbers and signs."""

_SIGNS: Final = re.compile(r"[\W\d_]+")
_FIELD: Final = re.compile(r"(?<!`)(?:\{\{[ \t]*(?:title|date|time)\b[^{}\n]*\}\}|<%.*?%>)", re.IGNORECASE)
"""A field of Obsidian's templates or a command of Templater, unless it is quoted as code."""


def is_template(note: IndexedNote, folders: Collection[str]) -> bool:
    """Return whether a note is a template: by its folder, or by fields in its headings or properties."""
    if lies_in(note.path, folders) or _holds_templates(note.path.rpartition("/")[0]):
        return True
    said = (note.packed_headings, *map(str, note.properties.values()))
    return any(_FIELD.search(text) for text in said if "{{" in text or "<%" in text)


@lru_cache(maxsize=10_000)
def _holds_templates(folder: str) -> bool:
    return any(_SIGNS.sub("", fold_word(name)) in FOLDERS for name in folder.split("/"))
