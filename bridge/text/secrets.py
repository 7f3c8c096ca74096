"""What an agent may not write into its notebook: secrets, and text that a person would not see."""

import re
from collections.abc import Mapping
from typing import Final

from bridge.errors import InvalidArguments
from bridge.text.invisible import visible_text

_SECRETS: Final[Mapping[str, str]] = {
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----|\bAGE-SECRET-KEY-1[0-9A-Z]{50,}",
    "an access key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a token of GitHub": r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{40,}",
    "a token of GitLab": r"\bglpat-[\w-]{20,}",
    "a token of Slack": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a key of Google": r"\bAIza[\w-]{35}|\bya29\.[\w-]{20,}",
    "a key of Stripe": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "an API key": r"\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}|\b(?:npm|hf|dop_v1|pypi)[_-][A-Za-z0-9_-]{30,}",
    "a signed token": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",
    "a password in an address": r"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s/@]{3,}@[^\s/]+",
    "a password or key": (
        r"(?i)\b(?:pass(?:word|wd|phrase)?|pwd|secret|api[ _-]?key|access[ _-]?key|auth[ _-]?token|bearer)\b"
        r"[\"'`]?(?:\s+is\s+|\s*(?:=|:)\s*|\s+)[\"'`]?(?=\S*\d)(?=\S*[A-Za-z])(?![\w./-]+\.(?:py|md|ts|json)\b)\S{8,}"
    ),
}
"""How a secret looks, by its kind; compiled when the first text is looked at, as that takes a twentieth of a start."""


def require_plain(**fields: str) -> None:
    """Require that texts hold no secret, and nothing that a reader does not see."""
    for name, text in fields.items():
        if (kind := find_secret(text)) is not None:
            raise InvalidArguments(
                f"`{name}` seems to contain {kind}, which is not written into notes.",
                hint="Say where the secret is kept, not what it is.",
            )
        if visible_text(text) != text:
            raise InvalidArguments(
                f"`{name}` contains text that a reader would not see.",
                hint="Leave out zero-width characters, direction marks, and comments of HTML and Obsidian.",
            )


def find_secret(text: str) -> str | None:
    """Return the kind of the first secret in a text; None if there seems to be none."""
    return next((kind for kind, pattern in _SECRETS.items() if re.search(pattern, text)), None)
