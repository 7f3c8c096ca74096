"""Properties whose names are written in several ways."""

from collections import defaultdict
from collections.abc import Iterator

from bridge.changes.requests.many_notes import RenameProperty
from bridge.features.gardener.finding import MAX_NAMED, GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.notebook.plan_note import code_words, name_notes
from bridge.schema.census import PropertyCount, count_properties
from bridge.text.fold import fold_case, fold_letters
from bridge.types import VaultPath

RARE = 0.25
"""The share of the other spelling up to which one is a slip."""


class PropertyNames:
    """Finds properties that differ in case or separators."""

    name = "property_names"
    sentence = "Properties whose names differ only in case or separators."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each spelling that should be another one."""
        counts = count_properties(garden.notes.values())
        having: defaultdict[str, list[VaultPath]] = defaultdict(list)
        # Templates are changed along.
        for path, note in garden.graph_snapshot.notes.items():
            for name in note.properties if path.lower().endswith(".md") else ():
                having[name].append(path)
        alike: defaultdict[str, list[PropertyCount]] = defaultdict(list)
        for count in counts:
            alike[fold_letters(count.name)].append(count)
            for spelling in count.spellings:
                if spelling != count.name:
                    yield _respell(spelling, count.name, sorted(having[spelling]), 0.95, "Obsidian takes both for one")
        for main, *others in alike.values():
            for other in others:
                if main.kinds.most_common(1)[0][0] != other.kinds.most_common(1)[0][0]:
                    continue
                paths = sorted(path for spelling in other.spellings for path in having[spelling])
                slip = other.spellings.total() <= RARE * main.spellings.total()
                why = "the same letters with other separators"
                yield _respell(other.name, main.name, paths, 0.88 if slip else 0.7, why)


def _respell(name: str, to: str, paths: list[VaultPath], confidence: float, why: str) -> GardenFinding:
    folded = fold_case(name) == fold_case(to)
    return GardenFinding(
        check=PropertyNames.name,
        notes=tuple(paths[:MAX_NAMED]),
        text=f"Rename the property {code_words(name)} ({name_notes(paths)}) to {code_words(to)}",
        why=why,
        confidence=confidence,
        # Where a note has both, a person must say which value stays.
        request=RenameProperty(path=paths[0], name=name, to=to, on_clash="refuse" if folded else "keep"),
        key=f"all {name} {to}",
    )
