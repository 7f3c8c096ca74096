"""Finds the forms by which notes mean a note and that are no alias of it yet."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Literal

from bridge.api.call import Call
from bridge.api.markup import Column, Element, Table, notice
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.engine.analytics import GraphSnapshot
from bridge.features.links.public import read_corpus
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.fold import fold_case, fold_mention
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.invisible import inline
from bridge.text.words import TOKEN
from bridge.types import VaultPath

AliasReason = Literal["link text", "accepted", "acronym", "in parentheses"]


class AliasSuggestion(Record):
    """A form by which notes mean a note.

    Attributes:
        form: The form, as most often written.
        why: `link text`: links to the note show it; `accepted`: a suggested link with it was accepted; `acronym`: the
            initials of the title; `in parentheses`: it stands beside the title, one of them in parentheses.
        notes: How many notes use it so.
        examples: The first of them.
    """

    form: str
    why: tuple[AliasReason, ...]
    notes: int
    examples: tuple[VaultPath, ...]


MAX_FORM_CHARS: Final = 60
MAX_FORM_WORDS: Final = 6
"""Words of a form; a longer link text is a part of a sentence."""

_SPACE: Final = re.compile(r"\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NO_NAME: Final = frozenset({"here", "link", "this", "see", "more", "hier", "ici", "aquí", "qui", "这里"})
_MARKS: Final = "*_`\"'“”‘’ "

MAX_FORMS: Final = 20
MAX_EXAMPLES: Final = 3
"""Notes listed of those that use a form."""


def find_alias_forms(
    title: str,
    shown: Iterable[tuple[str, VaultPath]],
    accepted: Iterable[tuple[str, VaultPath]],
    texts: Mapping[VaultPath, str],
    taken: Collection[str],
) -> list[AliasSuggestion]:
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
    forms = (
        AliasSuggestion(
            written[key].most_common(1)[0][0],
            tuple(reasons[key]),
            len(notes[key]),
            tuple(notes[key])[:MAX_EXAMPLES],
        )
        for key in written
    )
    return sorted(forms, key=lambda one: (-one.notes, -len(one.why), one.form))


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


class AliasSuggestions(Record):
    """Forms by which notes mean a note.

    Attributes:
        aliases: Those that are no alias of any note yet, most used first, at most 20.
    """

    aliases: tuple[AliasSuggestion, ...]


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md"},
    tasks=("other names that notes use for this one", "suggest aliases for a note"),
)
async def suggest_aliases(call: Call, path: VaultPath) -> AliasSuggestions:
    """Find the other names by which notes mean a note: as shown in links, in parentheses, or as an acronym.

    Args:
        path: The note.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot("all")
    if path not in graph_snapshot.notes:
        raise no_such_note(vault, path)
    note = graph_snapshot.notes[path]
    corpus = await read_corpus(vault)
    feedback = await asyncio.to_thread(vault.store.feedback.all)

    def naming() -> set[VaultPath]:
        return {*corpus.notes_with([fold_mention(note.title)]), *graph_snapshot.graph.linked_from(path)} - {path}

    texts = await graph_snapshot.index.wholes(sorted(await asyncio.to_thread(naming)))

    def find() -> AliasSuggestions:
        taken = {fold_case(name) for one in graph_snapshot.notes.values() for name in (one.title, *one.aliases)}
        accepted = [(one.form, one.source) for one in feedback if one.target == path and one.accepted > one.declined]
        shown = shown_texts(graph_snapshot, vault.names, path)
        return AliasSuggestions(tuple(find_alias_forms(note.title, shown, accepted, texts, taken)[:MAX_FORMS]))

    return await asyncio.to_thread(find)


def shown_texts(graph_snapshot: GraphSnapshot, names: Names, path: VaultPath) -> Iterator[tuple[str, VaultPath]]:
    for source in sorted(graph_snapshot.graph.linked_from(path)):
        if source not in graph_snapshot.notes:
            continue
        for link in graph_snapshot.notes[source].links:
            shown = None if link.embed or "#" in link.target else link.shown
            if shown and names.resolve(link.target, source, link.kind).path == path:
                yield shown, source


ALIASES = (
    Column("form", inline),
    Column("why", " · {}", value=lambda one: ", ".join(one.why)),
    Column("notes", lambda notes: f" · {count_of(notes, 'note')}"),
    Column("examples", lambda paths: ": " + ", ".join(map(inline, paths)), detail=True),
)


def alias_suggestions_view(suggested: AliasSuggestions) -> Iterable[Element]:
    yield Table(ALIASES, suggested.aliases)
    if not suggested.aliases:
        yield notice("No other name found.")
