"""Sums up a session by sentences that it wrote into notes; no model is needed."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bridge.api.write import Fetch
from bridge.changes.hunks import Difference
from bridge.engine.open_vault import OpenVault
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.parse import parse
from bridge.notebook.folder import agents_folder
from bridge.notebook.refusals import find_secret
from bridge.search.summary import choose_sentences_of
from bridge.text.invisible import one_line
from bridge.types import Digest, VaultPath

SENTENCES: Final = 3
"""Most sentences of a summary."""

FEWEST: Final = 2
"""Fewest sentences; one alone sums up nothing."""

MOST_LINES: Final = 2_000
"""Most lines that are considered, of all notes."""

Placed = tuple[VaultPath, "Difference"]
"""What a step did, and where its file is now."""


def sum_up(vault: OpenVault, made: Iterable[Placed], fetch: Fetch) -> str:
    """Return the sentences that stand for what changes added and later ones kept; empty if there are too few.

    Notes that are denied, and those of agents, which may be private to one, are left out. Blocks.
    """
    added, latest = defaultdict[VaultPath, set[str]](set), dict[VaultPath, Digest | None]()
    folder, rules = agents_folder(vault.settings), vault.files.rules
    for path, difference in made:
        if path.endswith(".md") and not folder.holds(path) and not rules.denies(path):
            rows = (row for hunk in difference.hunks for row in hunk.rows)
            added[path].update(row.text.strip() for row in rows if row.kind == "added")
            latest[path] = difference.step.after if difference.step.kind != "move" else latest.get(path)
    notes, left = [], MOST_LINES
    for path, digest in latest.items():
        kept = added_lines((fetch(digest) if digest else None) or b"", added[path])[:left]
        left -= len(kept)
        notes.append(parse(path, vault.index.boilerplate.blank("\n".join(kept)).encode()))
    return " ".join(choose([one.text for one in choose_sentences_of(notes, SENTENCES)]))


def added_lines(data: bytes, added: Collection[str]) -> list[str]:
    text = data.decode("utf-8-sig", "replace")
    cut = cut_frontmatter(text)
    return [line for line in text[cut[1] if cut else 0 :].splitlines() if not line.strip() or line.strip() in added]


def choose(sentences: Sequence[str]) -> list[str]:
    """Return the sentences as plain text, without those that seem to hold a secret; none if too few are left."""
    plain = [one_line(text) for text in sentences if find_secret(text) is None]
    return plain if len(plain) >= FEWEST else []
