"""Which of the models of the package index fits a vault, by the languages of its notes."""

from collections.abc import Collection

from bridge.errors import BridgeError
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL
from bridge.records import Record
from bridge.text.scripts import latin_share
from bridge.text.stems import DEFAULT, FREQUENT_WORDS, SAMPLE_CHARS, language_of
from bridge.text.words import ALPHANUMERIC
from bridge.types import VaultPath
from bridge.vault.vault import Vault

_MAX_READ_NOTES = 200
"""Notes that are read, evenly spread over the vault."""

_MIN_WORDS = 20
"""Words below which a note tells nothing."""

_MIN_FREQUENT_SHARE = 0.05
"""Least share of an English note's words that are frequent ones."""

_MAX_FOREIGN_SHARE, _MIN_ENGLISH_SHARE = 0.1, 0.5
"""Share of notes in other languages from which English is not enough, and of clearly English ones that it needs.

The second one is for languages that are not known here.
"""


class ModelChoice(Record):
    """The model that fits a vault, and why."""

    id: str
    reason: str

    @property
    def other(self) -> str:
        """The model that is used while the fitting one is not installed."""
        return DEFAULT_MODEL if self.id == MULTILINGUAL_MODEL else MULTILINGUAL_MODEL


def choose_model(vault: Vault, paths: Collection[VaultPath], before: str | None = None) -> ModelChoice:
    """Return the model that fits a vault, by a sample of its notes; blocking."""
    notes = sorted(path for path in paths if path.endswith(".md"))
    told = [*filter(None, (_is_english(vault, path) for path in notes[:: max(1, len(notes) // _MAX_READ_NOTES)]))]
    had_others = before is not None and before.startswith(MULTILINGUAL_MODEL)
    if not told:
        return ModelChoice(MULTILINGUAL_MODEL if had_others else DEFAULT_MODEL, "no note tells its language yet")
    foreign, sure = told.count("no") / len(told), told.count("yes") / len(told)
    # Half as many keep it, or a vault on the border would be embedded again and again.
    if foreign >= _MAX_FOREIGN_SHARE / (1 + had_others) or sure < _MIN_ENGLISH_SHARE:
        return ModelChoice(MULTILINGUAL_MODEL, f"{1 - sure:.0%} of the notes are not clearly in English")
    return ModelChoice(DEFAULT_MODEL, "the notes are in English")


def _is_english(vault: Vault, path: VaultPath) -> str:
    try:
        text = vault.read(path)[0].decode("utf-8", "replace")[:SAMPLE_CHARS]
    except BridgeError:
        return ""
    if latin_share(text) < 0.5:
        return "no"
    words = ALPHANUMERIC.findall(text.casefold())
    if len(words) < _MIN_WORDS:
        return ""
    if language_of(text) != DEFAULT:
        return "no"
    frequent = FREQUENT_WORDS[DEFAULT].split()
    return "yes" if sum(word in frequent for word in words) >= _MIN_FREQUENT_SHARE * len(words) else "maybe"
