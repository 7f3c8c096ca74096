"""Tags that are written in several ways."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from bridge.changes.requests.many_notes import RenameTag
from bridge.features.gardener.finding import MAX_NAMED, GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.markdown.edit.tags import TagRename
from bridge.notebook.plan_note import code_words, name_notes
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.types import VaultPath

PLURALS = (("ies", "y"), ("es", ""), ("s", ""))
SHORTEST_PLURAL = 5

Respelling = tuple[str, str, str, float]
"""A tag, what it should be, the evidence, and how sure that is."""


class TagVariants:
    """Finds tags that differ in case, separators or number."""

    name = "tags"
    sentence = "Tags that differ only in case, separators or number."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each tag that should be another one."""
        having: defaultdict[str, list[VaultPath]] = defaultdict(list)
        for path, note in garden.notes.items():
            for tag in note.tags:
                having[tag].append(path)
        notes: Mapping[str, Sequence[VaultPath]] = having
        common = _most_used(notes)
        found = (self._by_case(notes), self._by_separator(notes, common), self._by_number(notes, common))
        for tag, to, why, sure in chain.from_iterable(found):
            rename = TagRename(tag, to)
            # Templates are changed along.
            every = garden.graph_snapshot.notes.items()
            changed = sorted(path for path, note in every if any(map(rename.apply, note.tags)))
            yield GardenFinding(
                check=self.name,
                notes=tuple(changed[:MAX_NAMED]),
                text=f"Rename the tag {code_words(tag)} ({name_notes(changed)}) to"
                f" {code_words(to)} ({count_of(len(notes[to]), 'note')})",
                why=why,
                confidence=sure,
                request=RenameTag(path=changed[0], tag=tag, to=to),
                key=f"all {tag} {to}",
            )

    def _by_case(self, notes: Mapping[str, Sequence[VaultPath]]) -> Iterator[Respelling]:
        for spellings in _groups(notes, fold_case):
            main, other = spellings[:2]
            # Where each note with a spelling has the other one, too, they may be there to be compared.
            sure = 0.8 if set(notes[other]) <= set(notes[main]) else 0.95
            yield other, main, f"Obsidian takes {_quote_tags(spellings)} for one tag", sure

    def _by_separator(
        self, notes: Mapping[str, Sequence[VaultPath]], common: Mapping[str, str]
    ) -> Iterator[Respelling]:
        mains = {tag: notes[tag] for tag in common.values()}
        for spellings in _groups(mains, _without_separators):
            main, *others = spellings
            for other in others:
                yield other, main, "the same letters with other separators", 0.9

    def _by_number(self, notes: Mapping[str, Sequence[VaultPath]], common: Mapping[str, str]) -> Iterator[Respelling]:
        for folded, tag in common.items():
            for ending, singular in PLURALS:
                stem = folded.removesuffix(ending) + singular
                if len(folded) < SHORTEST_PLURAL or not folded.endswith(ending) or stem not in common or stem == folded:
                    continue
                less, more = sorted((tag, common[stem]), key=lambda one: len(notes[one]))
                # Where both are used a lot, both may be meant.
                sure = 0.86 if len(notes[less]) * 4 <= len(notes[more]) else 0.7
                yield less, more, "singular and plural of one word", sure
                break


def _groups(notes: Mapping[str, Sequence[VaultPath]], fold: Callable[[str], str]) -> Iterator[list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for tag in notes:
        found[fold(tag)].append(tag)
    for tags in found.values():
        if len(tags) > 1:
            yield _by_use(tags, notes)


def _by_use(tags: Iterable[str], notes: Mapping[str, Sequence[VaultPath]]) -> list[str]:
    """Return tags with the most used first; of those used as often, a shorter one, and one in lower case."""
    return sorted(tags, key=lambda tag: (-len(notes[tag]), len(tag), tag.swapcase()))


def _most_used(notes: Mapping[str, Sequence[VaultPath]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag in _by_use(notes, notes):
        found.setdefault(fold_case(tag), tag)
    return found


def _without_separators(tag: str) -> str:
    return "/".join(part.replace("-", "").replace("_", "") or part for part in fold_case(tag).split("/"))


def _quote_tags(tags: Sequence[str]) -> str:
    return " and ".join(code_words(tag) for tag in tags[:3])
