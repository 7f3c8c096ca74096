"""What is known about one note, in one answer."""

import asyncio
import re
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, get_args

import numpy as np

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note, snapshot
from bridge.api.note_text import open_note
from bridge.api.note_times import NoteTimes
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.api.write import client_name
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.links.public import Corpus, LinkContext, read_corpus, source_of, suggest
from bridge.features.memory.public import Audience, MemoryCatalogue
from bridge.features.properties.public import Rule, find_violations, infer_rules, read_schemas, without_templates
from bridge.graph.kinds import WRITTEN
from bridge.index.note import Notes
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.sections import section_names
from bridge.markdown.tasks import parse_task
from bridge.records import Record
from bridge.search.related import find_related
from bridge.state.call_log import DAY_S
from bridge.state.change_records import ChangeFilter
from bridge.text.fold import fold_case
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.lines import LineIndex
from bridge.text.words import TOKEN, count_words
from bridge.types import Among, Digest, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

ProfilePart = Literal[
    "outline",
    "links",
    "ties",
    "related",
    "missing_links",
    "structure",
    "rules",
    "history",
    "index",
    "tasks",
    "memories",
    "aliases",
]


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


class ProfiledSection(Record):
    """A section of a note.

    Attributes:
        heading: Its heading path, such as `A > B`; empty for the text before the first heading.
        line: Its first line.
        words: Words in it, without its subsections.
    """

    heading: str
    line: int
    words: int


class ProfiledLinks(Record):
    """How a note is linked.

    Attributes:
        links: Files that it links to.
        backlinks: Notes that link to it.
        unresolved: Names it links to that no file has, at most 20.
        rank: Its place among all notes by their links in both directions, from 1; null without links.
        latest: The notes that link to it and were modified last, at most 5.
    """

    links: int
    backlinks: int
    unresolved: tuple[str, ...]
    rank: int | None
    latest: tuple[VaultPath, ...]


class Tie(Record):
    """A note that another is linked with.

    Attributes:
        path: The linked note.
        strength: The share of a walk along links from the note that is there, 0–1.
        mutual: Whether each links to the other.
    """

    path: VaultPath
    strength: float
    mutual: bool


class RelatedNote(Record):
    """A note like another, without a link in either direction.

    Attributes:
        path: The related note.
        score: How related, 0–1.
        why: What relates them.
    """

    path: VaultPath
    score: float
    why: tuple[str, ...]


class MissingLink(Record):
    """A name in a note that should perhaps be a link.

    Attributes:
        target: The note to link to.
        text: The words to link.
        line: Their line.
        score: Likelihood that it should be a link, 0–1.
    """

    target: VaultPath
    text: str
    line: int
    score: float


class NoteStructure(Record):
    """The place of a note in the graph.

    Attributes:
        hub: 0–100: how well it is linked with well-linked notes.
        rank: Its place among all notes by that, from 1.
        pagerank: How often a reader who follows links is there; 1 is the average.
        community: The number of its community, as in `graph_insights`.
        members: Notes in that community.
    """

    hub: float
    rank: int
    pagerank: float
    community: int
    members: int


class ViolatedRule(Record):
    """A rule that a note does not keep.

    Attributes:
        kind: What the rule is about, as in `check_notes`.
        name: The property, tag, heading, link target, or pattern.
        found: What the note has instead; empty if something is missing.
        expected: The types or values that are allowed, or the condition.
        schema_note: The schema note that says so; null for an inferred rule.
    """

    kind: str
    name: str
    found: str
    expected: tuple[str, ...]
    schema_note: VaultPath | None


class NoteHistory(Record):
    """The last change of a note through the bridge.

    Attributes:
        change_id: Its id, for `show_change`.
        time: When it was made.
        operation: The operation that made it.
        client: Who made it; null for the user.
        reason: Why, if that was said.
    """

    change_id: str
    time: str
    operation: str
    client: str | None
    reason: str | None


class IndexState(Record):
    """What the index holds of a note.

    Attributes:
        state: Whether it is indexed.
        passages: Its passages.
        embedded: Those that are found by meaning.
        problems: What in the note could not be read.
    """

    state: Literal["indexed", "pending", "skipped", "failed", "unknown"]
    passages: int
    embedded: int
    problems: tuple[str, ...]


class OpenTask(Record):
    """A task of a note that is neither done nor cancelled.

    Attributes:
        line: Its line.
        text: Its text.
        due: The day on which it is due.
    """

    line: int
    text: str
    due: str | None


class AboutNote(Record):
    """A memory about a note.

    Attributes:
        path: The memory.
        title: Its title.
    """

    path: VaultPath
    title: str


class NoteProfile(Record, kw_only=True):
    """What is known about a note; parts that were not asked for are null.

    Attributes:
        path: The profiled note.
        title: Its title.
        tags: Its tags, without `#`.
        note_type: The type that its property `type` names, if any.
        digest: SHA-256 of the file as indexed.
        words: Words of its text.
        created: When it was created, if its properties or the system tell.
        modified: When the file was last modified.
        age_days: Whole days since then.
        outline: Its sections with their words.
        links: How it is linked.
        ties: The notes with which it is linked most closely, at most 3.
        related: Related notes without a link, at most 5.
        missing_links: Names that should perhaps be links, at most 5.
        structure: Its place in the graph; only if requested, since it takes seconds in a large vault.
        rules: Rules of schema notes, of its folder and of its type that it does not keep.
        history: The last change through the bridge; null if none is recorded.
        index: What the index holds of it.
        tasks: Its open tasks, at most 20.
        memories: Memories about it that the caller may see, at most 10.
        aliases: Forms by which notes mean it that are no alias yet, at most 20; only if requested.
        notices: Remarks, such as on a part that waits for the index.
    """

    path: VaultPath
    title: str
    tags: tuple[str, ...]
    note_type: str
    digest: Digest
    words: int
    created: str | None
    modified: str
    age_days: int
    outline: tuple[ProfiledSection, ...] | None = None
    links: ProfiledLinks | None = None
    ties: tuple[Tie, ...] | None = None
    related: tuple[RelatedNote, ...] | None = None
    missing_links: tuple[MissingLink, ...] | None = None
    structure: NoteStructure | None = None
    rules: tuple[ViolatedRule, ...] | None = None
    history: NoteHistory | None = None
    index: IndexState | None = None
    tasks: tuple[OpenTask, ...] | None = None
    memories: tuple[AboutNote, ...] | None = None
    aliases: tuple[AliasSuggestion, ...] | None = None
    notices: tuple[str, ...] = ()


TIES: Final = 3
LATEST: Final = 5
SHOWN: Final = 5
ASKED: Final = 15
"""Related notes that are looked at, since those that are linked are left out."""
MAX_UNRESOLVED_LINKS: Final = 20


async def describe_links(vault: OpenVault, among: Among, path: VaultPath) -> ProfiledLinks:
    """Return how many links a note has in each direction, and its place by that."""
    graph_snapshot = await vault.graph_snapshot(among)
    return await asyncio.to_thread(_count_links, vault, graph_snapshot, path)


def _count_links(vault: OpenVault, graph_snapshot: GraphSnapshot, path: VaultPath) -> ProfiledLinks:
    graph, notes = graph_snapshot.graph, graph_snapshot.notes
    targets = [(vault.names.resolve(target, path, kind).path, target) for target, kind in notes[path].targets]
    sources = graph.linked_from(path)
    degrees = graph.degrees(np.fromiter(graph.numbers, np.int64, len(graph)))
    own = graph.degree(path)
    return ProfiledLinks(
        links=len({target for target, _ in targets if target is not None and target != path}),
        backlinks=len(sources),
        unresolved=tuple(dict.fromkeys(name for target, name in targets if target is None))[:MAX_UNRESOLVED_LINKS],
        rank=int((degrees > own).sum()) + 1 if own else None,
        latest=tuple(sorted(sources & notes.keys(), key=lambda each: (-notes[each].mtime, each))[:LATEST]),
    )


async def strongest_ties(vault: OpenVault, among: Among, path: VaultPath) -> tuple[Tie, ...]:
    """Return the linked notes where a walk from the note is most often."""
    graph = (await vault.graph_snapshot(among)).graph
    number = graph.number(path)
    if number is None:
        return ()
    visits = (await asyncio.to_thread(graph.visits, [number]))[0]
    onward, backward = graph.links_to(path), graph.linked_from(path)
    strength = {each: float(visits[graph.nodes.find(each) or 0]) for each in (onward | backward) - {path}}
    best = sorted(strength, key=lambda each: (-strength[each], each))[:TIES]
    return tuple(Tie(each, round(strength[each], 4), each in onward and each in backward) for each in best)


async def related_unlinked(vault: OpenVault, among: Among, path: VaultPath) -> tuple[RelatedNote, ...]:
    graph = (await vault.graph_snapshot(among)).graph
    found = await find_related(await vault.sources_among(among), path=path, text=None, limit=ASKED)
    linked = graph.neighbours(path)
    return tuple(
        RelatedNote(hit.path, round(hit.score, 4), tuple(hit.why)) for hit in found.hits if hit.path not in linked
    )[:SHOWN]


def missing_links(vault: OpenVault, corpus: Corpus, note: Note, *, for_user: bool) -> tuple[MissingLink, ...]:
    around = LinkContext.of(vault, note.path, for_user=for_user)
    lines = LineIndex(note.text)
    found = suggest(source_of(vault, note), corpus, around)[:SHOWN]
    return tuple(MissingLink(one.target, one.text, lines.at(one.span[0]), round(one.score, 3)) for one in found)


async def describe_structure(vault: OpenVault, among: Among, path: VaultPath) -> NoteStructure:
    """Return a note's place in the graph of written links."""
    graph_snapshot = await vault.graph_snapshot(among)
    number = graph_snapshot.graph.number(path)
    if number is None:
        raise no_such_note(vault, path)
    shape = await vault.analytics.shape(graph_snapshot, WRITTEN)
    at = int(np.flatnonzero(shape.network.nodes == number)[0])
    hub, community = shape.measures.hub, shape.measures.community
    average = len(shape.network) / max(float(shape.rank[shape.network.nodes].sum()), 1e-12)
    return NoteStructure(
        hub=round(100 * float(hub[at]), 1),
        rank=int((hub > hub[at]).sum()) + 1,
        pagerank=round(float(shape.rank[number]) * average, 2),
        community=int(community[at]),
        members=int((community == community[at]).sum()),
    )


MAX_TASKS: Final = 20
MAX_MEMORIES: Final = 10
MIN_RULE_SHARE: Final = 0.8
"""The share of notes that must keep an inferred rule, as in `check_notes`."""


def outline_of(note: Note) -> tuple[ProfiledSection, ...]:
    cut = cut_frontmatter(note.text)
    start, starts = cut[1] if cut else 0, [heading.span[0] for heading in note.headings]
    ends = [*starts, len(note.text)]
    before = count_words(note.text[start : ends[0]])
    first = [ProfiledSection("", note.text.count("\n", 0, start) + 1, before)] if before else []
    return (
        *first,
        *(
            ProfiledSection(name, heading.line, count_words(note.text[heading.span[1] : end]))
            for name, heading, end in zip(section_names(note.headings), note.headings, ends[1:], strict=True)
        ),
    )


async def violated_rules(vault: OpenVault, among: Among, path: VaultPath) -> tuple[ViolatedRule, ...]:
    """Return the rules of schema notes, of a note's own folder and of its type that it does not keep."""
    every = snapshot(vault, among)
    stated, _ = await read_schemas(vault, every)
    return await asyncio.to_thread(_violated_rules, vault, every, path, stated)


def _violated_rules(
    vault: OpenVault, every: Notes, path: VaultPath, stated: Sequence[Rule]
) -> tuple[ViolatedRule, ...]:

    note, folder = every[path], path.rpartition("/")[0]
    notes = list(without_templates(vault, every.values()))
    beside = [each for each in notes if each.path.startswith(f"{folder}/")] if folder else notes
    inferred = [
        rule for rule in infer_rules(beside, MIN_RULE_SHARE) if not rule.scope.note_type and rule.scope.folder == folder
    ]
    if note.note_type:
        alike = [each for each in notes if each.note_type == note.note_type]
        inferred += [rule for rule in infer_rules(alike, MIN_RULE_SHARE) if rule.scope.note_type == note.note_type]
    asked = list(without_templates(vault, [note]))
    return tuple(
        ViolatedRule(rule.kind, rule.name, found[:200], rule.expected, rule.source)
        for rule, _, found in find_violations(asked, stated, inferred, notes)
    )


def last_change(vault: OpenVault, path: VaultPath) -> NoteHistory | None:
    changes = vault.review.changes(ChangeFilter(path=path, state="applied"), 1, 0)
    return next(
        (NoteHistory(one.id, iso(one.time), one.operation, one.client, one.reason) for one in changes),
        None,
    )


def index_state(vault: OpenVault, path: VaultPath) -> IndexState:
    held = vault.inspect(path)
    embedded = sum(passage.embedded for passage in held.passages)
    return IndexState(held.state, len(held.passages), embedded, held.problems)


def open_tasks(vault: OpenVault, path: VaultPath) -> tuple[OpenTask, ...]:
    """Return the first tasks of a note that are neither done nor cancelled."""
    is_open = read_obsidian_settings(vault.root).tasks.is_open
    tasks = (task for task in vault.index.notes[path].tasks if is_open(task.status))
    return tuple(OpenTask(task.line, parse_task(task.text).text, task.due) for task in tasks)[:MAX_TASKS]


def memories_about(call: Call, path: VaultPath) -> tuple[AboutNote, ...]:
    vault = call.vault
    vault.part(MemoryCatalogue).follow(vault.index.view("agents").notes)
    visible = vault.part(MemoryCatalogue).visible(Audience(client=client_name(call)), time.time())
    found = (
        memory
        for memory in visible.memories.values()
        if any(vault.names.resolve(name, memory.path).path == path for name in memory.about)
    )
    newest = sorted(found, key=lambda memory: (-memory.updated, memory.path))
    return tuple(AboutNote(memory.path, memory.title) for memory in newest[:MAX_MEMORIES])


BY_DEFAULT: Final[tuple[ProfilePart, ...]] = tuple(
    part for part in get_args(ProfilePart) if part not in ("structure", "aliases")
)


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "parts": ["outline", "links", "tasks"]},
    tasks=(
        "everything that is known about one note",
        "profile of a note: outline, links, history and tasks",
        "how important is this note, and who changed it last",
        "other names that notes use for this one",
        "suggest aliases for a note",
    ),
)
async def note_profile(call: Call, path: VaultPath, parts: tuple[ProfilePart, ...] = BY_DEFAULT) -> NoteProfile:
    """Tell what is known about a note: sections, links, ties, missing links, broken rules, history, tasks, memories.

    Args:
        path: The note.
        parts: Only these parts; by default all but `structure` and `aliases`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    vault.require_keyword()
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    indexed = vault.index.notes[path]
    note = await asyncio.to_thread(open_note, vault, path)
    times = await asyncio.to_thread(NoteTimes.of, snapshot(vault).values(), vault.root, commits=True)
    modified = times.modification_time(indexed) or indexed.mtime
    found: dict[str, Any] = {}
    notices: list[str] = []
    for part in dict.fromkeys(parts):
        try:
            found[part] = await describe_part(call, part, note)
        except BridgeError as error:
            notices.append(f"`{part}` is not known: {error.message}")
    return NoteProfile(
        path=path,
        title=indexed.title,
        tags=tuple(indexed.tags),
        note_type=indexed.note_type,
        digest=indexed.digest,
        words=sum(section.words for section in outline_of(note)),
        created=await asyncio.to_thread(times.creation_text, indexed),
        modified=iso(modified),
        age_days=max(0, int((time.time() - modified) // DAY_S)),
        notices=tuple(notices),
        **found,
    )


async def describe_part(call: Call, part: ProfilePart, note: Note) -> object:
    vault, path = call.vault, note.path
    if part == "aliases":
        return await suggest_aliases(vault, path)
    if part in _WAITING:
        return await _WAITING[part](vault, choose_among(vault, None, (path,)), path)
    find: Mapping[str, Callable[[], object]] = {
        "outline": partial(outline_of, note),
        "history": partial(last_change, vault, path),
        "index": partial(index_state, vault, path),
        "tasks": partial(open_tasks, vault, path),
        "memories": partial(memories_about, call, path),
    }
    if part == "missing_links":
        corpus = await read_corpus(vault)
        return await asyncio.to_thread(missing_links, vault, corpus, note, for_user=call.is_user)
    return await asyncio.to_thread(find[part])


_WAITING: Final[Mapping[str, Callable[[OpenVault, Among, VaultPath], Awaitable[object]]]] = {
    "links": describe_links,
    "ties": strongest_ties,
    "related": related_unlinked,
    "rules": violated_rules,
    "structure": describe_structure,
}


MAX_FORM_CHARS: Final = 60
MAX_FORM_WORDS: Final = 6
"""Words of a form; a longer link text is a part of a sentence."""

_SPACE: Final = re.compile(r"\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NO_NAME: Final = frozenset({"here", "link", "this", "see", "more", "hier", "ici", "aquí", "qui", "这里"})
_MARKS: Final = "*_`\"'“”‘’ "


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
        shown = shown_texts(graph_snapshot, vault.names, path)
        return tuple(find_alias_forms(note.title, shown, accepted, texts, taken)[:MAX_FORMS])

    return await asyncio.to_thread(find)


def shown_texts(graph_snapshot: GraphSnapshot, names: Names, path: VaultPath) -> Iterator[tuple[str, VaultPath]]:
    for source in sorted(graph_snapshot.graph.linked_from(path)):
        if source not in graph_snapshot.notes:
            continue
        for link in graph_snapshot.notes[source].links:
            shown = None if link.embed or "#" in link.target else link.shown
            if shown and names.resolve(link.target, source, link.kind).path == path:
                yield shown, source
