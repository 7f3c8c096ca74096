"""Names that a note is given in the vault and does not have yet."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Literal

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.features.links.public import read_corpus
from bridge.features.profiles.records import AliasSuggestion
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.words import TOKEN
from bridge.types import VaultPath

AliasReason = Literal["link text", "accepted", "acronym", "in parentheses"]

MAX_FORM_CHARS: Final = 60
MAX_FORM_WORDS: Final = 6
"""Words of a form; a longer link text is a part of a sentence."""

_SPACE: Final = re.compile(r"\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NO_NAME: Final = frozenset({"here", "link", "this", "see", "more", "hier", "ici", "aquí", "qui", "这里"})
_MARKS: Final = "*_`\"'“”‘’ "


class AliasForm(Record):
    """A form, as most often written, with the notes that use it for each reason."""

    form: str
    why: tuple[AliasReason, ...]
    notes: tuple[VaultPath, ...]


def find_alias_forms(
    title: str,
    shown: Iterable[tuple[str, VaultPath]],
    accepted: Iterable[tuple[str, VaultPath]],
    texts: Mapping[VaultPath, str],
    taken: Collection[str],
) -> list[AliasForm]:
    """Return the forms that mean a note, those that most notes use first."""
    written: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, dict[AliasReason, None]] = defaultdict(dict)
    notes: dict[str, dict[VaultPath, None]] = defaultdict(dict)
    found: list[tuple[AliasReason, str, VaultPath]] = [
        *(("link text", form, path) for form, path in shown),
        *(("accepted", form, path) for form, path in accepted),
        *(("acronym", form, path) for form, path in _acronyms(title, texts)),
        *(("in parentheses", form, path) for form, path in _in_parentheses(title, texts)),
    ]
    for reason, form, path in found:
        clean = _SPACE.sub(" ", form).strip(_MARKS)
        key = fold_case(clean)
        if not _is_name(clean) or key in taken or key == fold_case(title):
            continue
        written[key][clean] += 1
        reasons[key][reason] = None
        notes[key][path] = None
    forms = [AliasForm(written[key].most_common(1)[0][0], tuple(reasons[key]), tuple(notes[key])) for key in written]
    return sorted(forms, key=lambda one: (-len(one.notes), -len(one.why), one.form))


def acronyms_of(title: str) -> tuple[str, ...]:
    """Return the acronyms of a title, with and without its small words; none of a single word."""
    words = TOKEN.findall(title)
    whole = "".join(word[0] for word in words).upper()
    short = "".join(word[0] for word in words if word.casefold() not in FUNCTION_WORDS).upper()
    return tuple(dict.fromkeys(one for one in (short, whole) if len(one) > 1 and _LETTER.match(one)))


def _acronyms(title: str, texts: Mapping[VaultPath, str]) -> Iterator[tuple[str, VaultPath]]:
    names = acronyms_of(title)
    if not names:
        return
    whole = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.]\w)")
    said = fold_case(title)
    for path, text in texts.items():
        if said in fold_case(text):
            yield from ((form, path) for form in {*whole.findall(text)})


def _in_parentheses(title: str, texts: Mapping[VaultPath, str]) -> Iterator[tuple[str, VaultPath]]:
    name = rf"(?<!\w)(?:\[\[)?{re.escape(title)}(?:\]\])?"
    behind = re.compile(rf"{name}\s?[(（]([^()（）\[\]\n]{{2,{MAX_FORM_CHARS}}})[)）]", re.IGNORECASE)
    before = re.compile(
        rf"((?:(?-i:[^\W\d_a-zß-ÿ])[\w.&-]*)(?:[ ](?-i:[^\W\d_a-zß-ÿ])[\w.&-]*){{0,3}})\s?[(（]{name}[)）]",
        re.IGNORECASE,
    )
    for path, text in texts.items():
        for form in {*behind.findall(text)}:
            # What begins with a small letter is a remark.
            if not form[0].islower():
                yield form, path
        yield from ((form, path) for form in {*before.findall(text)})


def _is_name(form: str) -> bool:
    return (
        1 < len(form) <= MAX_FORM_CHARS
        and len(TOKEN.findall(form)) <= MAX_FORM_WORDS
        and _LETTER.search(form) is not None
        and fold_case(form) not in _NO_NAME
        and not any(sign in form for sign in "[]|#\n")
    )


MAX_FORMS = 20
MAX_EXAMPLES = 3
"""Notes listed of those that use a form."""


async def suggest_aliases(vault: OpenVault, path: VaultPath) -> tuple[AliasSuggestion, ...]:
    """Return the forms by which notes mean a note, and which are no alias of it or of another note yet."""
    graph_snapshot = await vault.graph_snapshot("all")
    note = graph_snapshot.notes[path]
    corpus = await read_corpus(vault)
    feedback = await asyncio.to_thread(vault.store.feedback.all)

    def naming() -> set[VaultPath]:

        return {*corpus.notes_with([fold_case(note.title)]), *graph_snapshot.graph.linked_from(path)} - {path}

    texts = await graph_snapshot.index.wholes(sorted(await asyncio.to_thread(naming)))

    def find() -> tuple[AliasSuggestion, ...]:

        taken = {fold_case(name) for one in graph_snapshot.notes.values() for name in (one.title, *one.aliases)}
        accepted = [(one.form, one.source) for one in feedback if one.target == path and one.accepted > one.declined]
        found = find_alias_forms(note.title, shown_texts(graph_snapshot, vault.names, path), accepted, texts, taken)
        return tuple(
            AliasSuggestion(one.form, one.why, len(one.notes), one.notes[:MAX_EXAMPLES]) for one in found[:MAX_FORMS]
        )

    return await asyncio.to_thread(find)


def shown_texts(graph_snapshot: GraphSnapshot, names: Names, path: VaultPath) -> Iterator[tuple[str, VaultPath]]:
    for source in sorted(graph_snapshot.graph.linked_from(path)):
        if source not in graph_snapshot.notes:
            continue
        for link in graph_snapshot.notes[source].links:
            shown = None if link.embed or "#" in link.target else link.shown
            if shown and names.resolve(link.target, source, link.kind).path == path:
                yield shown, source
