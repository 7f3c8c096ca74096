"""Sums up a session by sentences that it wrote into notes; no model is needed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from bridge.markdown.parse import parse
from bridge.notebook.folder import agents_folder
from bridge.notebook.refusals import find_secret
from bridge.search.summary import choose_sentences_of
from bridge.text.invisible import one_line
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.changes.hunks import Difference
    from bridge.engine.open_vault import OpenVault

SENTENCES: Final = 3
"""Most sentences of a summary."""

FEWEST: Final = 2
"""Fewest sentences; one alone sums up nothing."""

MOST_LINES: Final = 2_000
"""Most lines that are considered, the first ones."""

Placed = tuple[VaultPath, "Difference"]
"""What a step did, and where its file is now."""


def sum_up(vault: "OpenVault", made: Iterable[Placed]) -> str:
    """Return the sentences that stand for what changes added and later ones kept; empty if there are too few.

    Notes that are denied, and those of agents, which may be private to one, are left out. Blocks.
    """
    added: dict[VaultPath, dict[str, None]] = {}
    for path, difference in made:
        lines = added.setdefault(path, {})
        for row in (row for hunk in difference.hunks for row in hunk.rows):
            if row.kind == "removed":
                lines.pop(row.text, None)
            elif row.kind == "added":
                lines[row.text] = None
    folder, rules = agents_folder(vault.settings), vault.files.rules
    kept = {path: [*lines][:MOST_LINES] for path, lines in added.items()}
    notes = [
        parse(path, "".join(lines).encode("utf-8", "replace"))
        for path, lines in kept.items()
        if path.endswith(".md") and not folder.holds(path) and not rules.denies(path)
    ]
    return " ".join(choose([one.text for one in choose_sentences_of(notes, SENTENCES)]))


def choose(sentences: Sequence[str]) -> list[str]:
    """Return the sentences as plain text, without those that seem to hold a secret; none if too few are left."""
    plain = [one_line(text) for text in sentences if find_secret(text) is None]
    return plain if len(plain) >= FEWEST else []
