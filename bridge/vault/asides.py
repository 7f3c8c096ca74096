"""Where a note says the names of files without linking to them, as Obsidian counts links."""

import re
from collections.abc import Iterator
from typing import Final

DEFINITION: Final = re.compile(
    r"""^[ ]{0,3}\[(?!\^)[^\[\]\r\n]+\]:[ \t]+
    (<[^<>\r\n]*>|[^<\s]\S*)
    (?:[ \t]+(?:"[^"\r\n]*"|'[^'\r\n]*'|\([^()\r\n]*\)))?[ \t]*\r?$""",
    re.MULTILINE | re.VERBOSE,
)
"""The definition of a reference link, alone on a line."""

_QUERY: Final = re.compile(
    r"^[ \t>]*(`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base)\b.*?(?:^[ \t>]*\1|\Z)|`\$?=[^`\r\n]+`",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def queries(text: str) -> Iterator[str]:
    """Yield the queries of a note: blocks of a language that asks, and Dataview's in a line."""
    return (found[0] for found in _QUERY.finditer(text))


def has_asides(text: str) -> bool:
    """Say whether a note has a query, or the definition of a reference link."""
    return DEFINITION.search(text) is not None or _QUERY.search(text) is not None
