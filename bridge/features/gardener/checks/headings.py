"""Headings that stand twice in a note, with nothing between them."""

from collections.abc import Iterator
from itertools import pairwise

from bridge.changes.requests.edit_note import EditNote
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.markdown.edit.requests import ReplaceLines
from bridge.notebook.plan_note import plain_words, plan_link


class RepeatedHeadings:
    """Finds a heading right below the same heading."""

    name = "headings"
    sentence = "Headings that stand twice, one right below the other."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each heading that can go."""
        for note in garden.fresh():
            headings = note.headings
            pairs = [
                (one, other)
                for one, other in pairwise(headings)
                if one.text.strip() and (one.text, one.level) == (other.text, other.level)
            ]
            read = garden.read(note) if pairs else None
            if read is None:
                continue
            lines = read.text.splitlines()
            for one, other in pairs:
                between = lines[one.line : other.line - 1]
                if any(line.strip() for line in between) or not lines[one.line - 1].lstrip().startswith("#"):
                    continue
                yield GardenFinding(
                    check=self.name,
                    notes=(note.path,),
                    text=f"In {plan_link(note.path)}, remove the first of two headings “{plain_words(one.text)}”",
                    why=f"lines {one.line} and {other.line}, with nothing between them",
                    confidence=0.92,
                    request=EditNote(
                        path=note.path,
                        edits=(ReplaceLines(lines=(one.line, other.line - 1), text=""),),
                        digest=note.digest,
                    ),
                    key=one.text,
                )
