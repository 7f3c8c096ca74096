"""Names that many notes mention and that have no note."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.create_note import CreateNote
from bridge.features.gardener.checks.missing_links import DAY
from bridge.features.gardener.finding import TICKED, GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.linking.prospects import find_candidates
from bridge.linking.spellings import drop_meant
from bridge.markdown.link_targets import is_attachment_name, target_file
from bridge.notebook.plan_note import plain_words, plan_link
from bridge.text.counts import count_of
from bridge.types import VaultPath

FEWEST: Final = 4
"""Notes that must mention a name."""

LONGEST: Final = 100_000
"""Characters of each note that are looked at."""

MOST_CHARACTERS: Final = 3_000_000
"""Characters of all notes that are looked at, of those changed last: more would take longer than all other checks."""

FORBIDDEN: Final = frozenset('\\/:*?"<>|#^[]')
"""Characters that no name of a note has on every system."""


class Prospects:
    """Finds names worth a note."""

    name = "prospects"
    sentence = "Names that four or more notes mention and that have no note yet."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        wanted: defaultdict[str, set[VaultPath]] = defaultdict(set)
        for path, note in garden.notes.items():
            for target, kind in note.targets:
                file = target_file(target, kind)
                if (
                    file
                    and not is_attachment_name(file)
                    and garden.vault.names.resolve(target, path, kind).path is None
                ):
                    wanted[file.removesuffix(".md")].add(path)
        texts: dict[VaultPath, str] = {}
        room = MOST_CHARACTERS
        for path in sorted(garden.texts.keys() & garden.notes.keys(), key=lambda one: -garden.notes[one].mtime_ns):
            texts[path] = garden.texts[path][:LONGEST]
            room -= len(texts[path])
            if room < 0:
                break
        garden.budget.pause()
        languages = {path: garden.notes[path].language for path in texts}
        names = garden.corpus.names
        for one in drop_meant(names, find_candidates(texts, names, wanted, languages)):
            path = VaultPath(f"{one.name}.md")
            if one.notes < FEWEST or not FORBIDDEN.isdisjoint(one.name) or path in garden.vault.names:
                continue
            if one.name.startswith(".") or DAY.fullmatch(one.name) or not garden.may_change(path):
                continue
            yield GardenFinding(
                check=self.name,
                notes=one.examples,
                text=f"Create a note “{plain_words(one.name)}”",
                why=f"{count_of(one.notes, 'note')}, such as {plan_link(one.examples[0])}",
                # Whether a name deserves a note, only a person knows.
                confidence=round(min(one.confidence, TICKED - 0.01), 2),
                request=CreateNote(path=path, text=""),
                key=one.name,
                kind="prospect",
            )
