"""The candidates of a briefing: the open handoff, last sessions, memories, open questions, and notes by type."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_text import open_content, open_note
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import NoteNotFound
from bridge.features.brief.text import (
    DAY_S,
    SHARES,
    BriefPart,
    Card,
    age_text,
    recency,
    share_of_terms,
    share_of_worth,
    terms_of,
)
from bridge.features.corrections.public import NOTE, open_items
from bridge.features.handoffs.public import VaultEvidence, check_proof, read_handoff, waiting_handoffs
from bridge.features.injections.public import Reader
from bridge.features.memory.public import Audience, Memory, MemoryCatalogue, UseLog, withhold_memories
from bridge.features.sessions.public import TYPE as JOURNAL
from bridge.features.sessions.public import Told, ToldLine, read_told
from bridge.index.note import IndexedNote, time_written
from bridge.markdown.kinds import title_of
from bridge.markdown.note import Note, field_of, property_of
from bridge.records import Record
from bridge.search.snippet import clean_text, drop_headings
from bridge.search.summary import choose_sentences_of
from bridge.state.change_records import ChangeFilter
from bridge.text.budget import cut, estimate_tokens, shorten
from bridge.text.content_terms import said_terms
from bridge.text.counts import count_of
from bridge.text.invisible import one_line, quote_path
from bridge.types import VaultPath

MAX_CARD_CHARS: Final = 320
"""Most characters of one memory, journal or note."""

MAX_NOTE_SENTENCES: Final = 3


def read_gist(vault: OpenVault, path: VaultPath, focus: str) -> str:
    """Return what a note says in short; empty if it is gone. Blocks."""
    try:
        note = open_content(vault, path)
    except NoteNotFound:
        return ""
    text = note.text[note.body :]
    whole = one_line(drop_headings(text, clean_text(text), ())[0])
    return whole if len(whole) <= MAX_CARD_CHARS else _choose(note, focus) or cut_line(whole)


def cut_line(text: str) -> str:
    return shorten(one_line(text), MAX_CARD_CHARS)


def _choose(note: Note, focus: str) -> str:
    """Return the sentences that stand for a note, as many as are short enough together; empty if not even one is."""
    for most in range(MAX_NOTE_SENTENCES, 0, -1):
        told = " … ".join(one_line(one.text) for one in choose_sentences_of([note], most, focus))
        if len(told) <= MAX_CARD_CHARS:
            return told
    return ""


TYPES: Final = frozenset({"decision", "module", "pattern", "bug"})
"""Types of notes that are told without being asked for."""

TERMS_WEIGHT, MEANING_WEIGHT, RECENCY_WEIGHT = 0.4, 0.4, 0.2
"""What shared names and words, the search for the task, and newness count for a memory or note."""

SESSION_DAYS: Final = 30.0
MAX_SESSIONS: Final = 50
"""Most sessions that are considered."""

FITTING_SHARE: Final = 0.3
"""The share of the task's words from which a session or handoff fits it, rare words counting most."""

MIN_FITTING_WORDS: Final = 2
"""Words of the task that a session or memory must share to fit it, unless the task is short."""

CARD_SHARE: Final = 0.5
"""The share of the tokens for sessions that one may take."""

STATEMENT_NAMES: Final[Mapping[Told, str]] = {
    "decision": "Decision",
    "question": "Question",
    "outcome": "Outcome",
    "task": "To do",
}
"""What a session says, in order, each with its name."""

MAX_TOLD: Final = 2
"""Maximum lines of each kind that a briefing quotes from one session."""

MAX_HANDOFFS: Final = 20
"""Handoffs that wait, the newest, that are read."""

RECENT_SESSIONS: Final = 3
"""Last sessions of the client whose files say what it works on."""


class SessionSignal(Record):
    """What a session works on."""

    reader: Reader
    task: str
    paths: Sequence[VaultPath]
    terms: frozenset[str]
    query: str
    """The task and the titles of the paths."""
    found: Mapping[VaultPath, float]
    """By note: how well it fits the task, as a share of the best."""
    near: frozenset[VaultPath]
    """The notes that fit the task well, of whatever words."""
    worth: Mapping[str, float]
    """By term: how rare it is in the vault."""
    now: float


def journals_of(call: Call, reader: Reader, now: float) -> list[IndexedNote]:
    """Return the newest journals of the last days without that of this session, those of its client first."""
    folder = agents_folder(call.vault.settings)
    journals = [
        note
        for path, note in call.vault.index.notes.items()
        if folder.holds(path)
        and note.note_type == JOURNAL
        and field_of(note.properties, "session") != reader.session
        and now - time_written(note) < SESSION_DAYS * 86_400
    ]
    newest = sorted(journals, key=lambda note: (-time_written(note), note.path))
    # Those of the client first, so that they are not lost among many others.
    return sorted(newest, key=lambda note: not is_own(reader, note))[:MAX_SESSIONS]


def is_own(reader: Reader, note: IndexedNote) -> bool:
    """Return whether a journal is of a session's client."""
    return str(field_of(note.properties, "agent") or "").casefold() == (reader.client or "").casefold()


def recent_paths(call: Call, reader: Reader, journals: Iterable[IndexedNote]) -> list[VaultPath]:
    """Return the notes that the last sessions of a client changed."""
    own = [note for note in journals if is_own(reader, note)][:RECENT_SESSIONS]
    files = [file for note in own for file in _texts(property_of(note.properties, "files"))]
    return [VaultPath(file) for file in dict.fromkeys(files) if file in call.vault.index.notes]


def fits_task(signal: SessionSignal, files: Iterable[str], *texts: str) -> bool:
    """Return whether notes or texts have to do with the task; words that are common in the vault count little."""
    if not (signal.task and signal.worth) or not signal.near.isdisjoint(files):
        return True
    own = terms_of([title_of(VaultPath(file)) for file in files], " ".join(texts))
    said = said_terms(signal.worth, own)
    return share_of_worth(signal.worth, said) >= FITTING_SHARE and len(said) >= fewest_words(len(signal.worth))


def handoff_cards(call: Call, signal: SessionSignal) -> Iterator[Card]:
    """Yield the newest handoff that waits for a client and fits the task, with what its claims are worth. Blocks.

    If none fits, the newest is named.
    """
    vault, now, unfit = call.vault, signal.now, list[IndexedNote]()
    waiting = waiting_handoffs(vault.index.notes.values(), agents_folder(vault.settings), signal.reader.client)
    for note in waiting[:MAX_HANDOFFS]:
        with suppress(NoteNotFound):
            handoff = read_handoff(open_note(vault, note.path))
            named = [claim.proof.path for claim in handoff.claims if claim.proof is not None and claim.proof.path]
            if fits_task(signal, named, handoff.goal, handoff.next_action, *handoff.artifacts):
                break
            unfit.append(note)
    else:
        yield from (_aside(one, "handoff", "A handoff for something else waits", now) for one in unfit[:1])
        return
    facts = VaultEvidence(call)
    checks = [(claim.text, check_proof(claim.proof, facts)) for claim in handoff.claims]
    untrue = [(text, check) for text, check in checks if check.outcome in {"changed", "gone"}]
    hold = sum(check.outcome == "still_true" for _, check in checks)
    left = len(checks) - hold - len(untrue)
    parts = (hold, "still true"), (len(untrue), "no longer true"), (left, "not checked")
    verdicts = ", ".join(f"{count} {verdict}" if count < len(checks) else verdict for count, verdict in parts if count)
    claims = f" ({count_of(len(checks), 'claim')}: {verdicts})" if checks else ""
    head = f"--- Handoff, {age_text(time_written(note), now)}{_by(note)}"
    lines = [f"Next: {cut_line(handoff.next_action)}"]
    lines += [f"Constraint: {cut_line(text)}" for text in handoff.constraints]
    lines += [f"NO LONGER TRUE: {cut_line(text)} ({cut_line(check.why)})" for text, check in untrue]
    yield _card(note.path, "handoff", f"{head}: {cut_line(handoff.goal)}{claims}", lines, 1.0, "waits for this client")


def session_cards(call: Call, signal: SessionSignal, journals: Sequence[IndexedNote], budget: int) -> Iterator[Card]:
    """Yield the last sessions that fit the task, with what they decided, left open and reached. Blocks.

    Without a task all are told like this, in half the room; where none fits, the last one is named.
    """
    reader, now, found = signal.reader, signal.now, list[Card]()
    said = [[*read_told(call.vault, note.path)] for note in journals]
    done = {line.text for lines in said for line in lines if line.what == "outcome"}
    for note, lines in zip(journals, said, strict=True):
        mine, status = is_own(reader, note), str(field_of(note.properties, "status") or "")
        files, texts = _texts(property_of(note.properties, "files")), (*_heads(note), *(line.text for line in lines))
        if not fits_task(signal, files, *texts):
            continue
        title, left, summary = map(cut_line, _heads(note))
        if summary.startswith(title.removesuffix("…")):
            title, summary = summary, ""
        head = f"--- Session, {age_text(time_written(note), now)}{_by(note)}, {one_line(status) or 'ended'}: {title}"
        kept = [one for one in lines if one.what != "task" or not (one.text in done or one.text in left)]
        told = [*choose_told(signal, kept)]
        about = [f"Left off: {left}"] if left else [f"Summary: {summary}"] if summary and not told else []
        room = SHARES["sessions"] * budget * (CARD_SHARE if signal.task else CARD_SHARE / 2)
        shown: list[str] = []
        for line in (*about, *told):
            if estimate_tokens(_card_text(note.path, head, (*shown, line))) <= room:
                shown.append(line)
        score = recency(time_written(note), now, SESSION_DAYS) / 2 + 0.25 * mine + 0.25 * (status == "paused")
        score += share_of_worth(signal.worth, terms_of((), " ".join(texts)))
        why = "fits the task" if signal.task else "last session of this client" if mine else "recent session"
        found.append(_card(note.path, "sessions", head, shown, score, why))
    if not found and journals:
        found.append(_aside(journals[0], "sessions", "No session fits this task; the last one", now))
    yield from found


def fewest_words(count: int) -> int:
    """Return how many of a task's words something must say to fit it."""
    return min(MIN_FITTING_WORDS, math.ceil(FITTING_SHARE * count))


def _heads(note: IndexedNote) -> list[str]:
    """Return the title of a journal, where it left off, and its summary."""
    found = [str(field_of(note.properties, name) or "") for name in ("title", "where_left_off", "summary")]
    return [found[0] or note.title, *found[1:]]


def choose_told(signal: SessionSignal, lines: Sequence[ToldLine]) -> Iterator[str]:
    """Yield what a session says, of each kind first what shares most with the task."""
    for kind, name in STATEMENT_NAMES.items():
        texts = [line.text for line in lines if line.what == kind]
        shares = share_of_terms(signal.terms, [terms_of((), text) for text in texts])
        for at in sorted(range(len(texts)), key=lambda at: -shares[at])[:MAX_TOLD]:
            bare = re.sub(rf"\A{name} ?[:：]\s*(?=\S)", "", texts[at], count=1, flags=re.IGNORECASE)
            yield f"{name}: {cut_line(bare)}"


def memory_cards(call: Call, signal: SessionSignal, days: float) -> Iterator[Card]:
    """Yield memories and open questions without their texts; those that always hold score best. Blocks."""
    vault = call.vault
    known = vault.part(MemoryCatalogue).visible(Audience(client=signal.reader.client), signal.now)
    visible = withhold_memories(known, vault.store.injections.withheld(signal.reader.session))
    uses = UseLog(vault.store.database).all()
    memories = [memory for path, memory in visible.memories.items() if not (path in uses and uses[path].is_doubted)]
    # A newer memory is told for what it contradicts, too.
    names = [(memory.title, *visible.conflict_names(memory.path)) for memory in memories]
    own = [
        terms_of((*memory.tags, *map(title_of, memory.about), *memory.aliases), " ".join(named))
        for memory, named in zip(memories, names, strict=True)
    ]
    standing = {memory.path for memory in visible.standing}
    for memory, terms in zip(memories, share_of_terms(signal.terms, own), strict=True):
        score, why = _score(memory.path, terms, memory.updated or memory.created, signal, days)
        part: BriefPart = "questions" if memory.kind == "open_question" else "memories"
        if memory.path in standing:
            score, why = 1.0 + score, ("always holds",)
        elif score <= RECENCY_WEIGHT and (signal.task or (signal.terms and part == "memories")):
            continue
        note = vault.index.notes.get(memory.path)
        if note is not None:
            conflicts = visible.conflict_names(memory.path)
            told = f"CONTRADICTS: {', '.join(map(one_line, conflicts))}" if conflicts else ""
            yield replace(
                _card(note.path, part, _memory_head(memory, signal.now), [told], score, *why), conflicts=conflicts
            )


def note_cards(call: Call, signal: SessionSignal, days: float, *, ordinary: bool) -> Iterator[Card]:
    """Yield decisions, modules, patterns and bugs, and if asked for, other notes that fit the task, without texts."""
    notes = call.vault.index.view("notes").notes
    chosen = [note for note in notes.values() if note.note_type in TYPES or (ordinary and note.path in signal.found)]
    own = [terms_of((*note.tags, *note.aliases), note.title) for note in chosen]
    for note, terms in zip(chosen, share_of_terms(signal.terms, own), strict=True):
        score, why = _score(note.path, terms, note.mtime, signal, days)
        if score > RECENCY_WEIGHT or not (signal.task or signal.terms):
            name = (note.note_type or "note").capitalize()
            head = f"--- {name}: {one_line(note.title)} ({age_text(note.mtime, signal.now)})"
            yield _card(note.path, "notes", head, (), score, *why)


def _score(
    path: VaultPath, terms: float, time: float, signal: SessionSignal, days: float
) -> tuple[float, tuple[str, ...]]:
    meaning = signal.found.get(path, 0.0)
    why = ("shares names or tags" if terms else "", "fits the task" if meaning else "")
    total = TERMS_WEIGHT * terms + MEANING_WEIGHT * meaning + RECENCY_WEIGHT * recency(time, signal.now, days)
    return total, tuple(filter(None, why)) or ("is recent",)


def _memory_head(memory: Memory, now: float) -> str:
    by = f", {one_line(memory.agent)}" if memory.agent else ""
    head = f"--- {memory.kind.replace('_', ' ').capitalize()}: {one_line(memory.title)}"
    return f"{head} ({age_text(memory.created, now)}{by})"


def _card(path: VaultPath, part: BriefPart, head: str, lines: Iterable[str], score: float, *why: str) -> Card:
    return Card(path, part, (1, 1), _card_text(path, head, lines), score, why)


def _card_text(path: VaultPath, head: str, lines: Iterable[str]) -> str:
    """Return the text of a card: the head with the path of its note, then the lines, without hidden text."""
    return "\n".join((f"{one_line(head)} {quote_path(path)}", *filter(None, map(one_line, lines))))


def _aside(note: IndexedNote, part: BriefPart, head: str, now: float) -> Card:
    when = f"{age_text(time_written(note), now)}{_by(note)}"
    line = f"--- {head}, {when}: {cut_line(_heads(note)[0])}"
    return replace(_card(note.path, part, line, (), 0.0, "does not fit the task"), is_aside=True)


def _by(note: IndexedNote) -> str:
    agent = field_of(note.properties, "agent")
    return f" by {one_line(agent)}" if isinstance(agent, str) and agent else ""


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


MAX_CORRECTIONS: Final = 200
"""Most items that are looked at, the last ones."""

CORRECTIONS_HEAD: Final = "--- Corrections"


WRITTEN_WITHIN_S: Final = 2.0
"""Seconds that may lie between a change and the modification time of its file."""


def correction_cards(call: Call, signal: SessionSignal, budget: int) -> Iterator[Card]:
    """Yield the open corrections that share most with the task, the last ones first, as far as they fit. Blocks.

    What is wrong somewhere is told only if it shares a word with the task.
    """
    path = agents_folder(call.vault.settings).place(NOTE)
    try:
        note = open_note(call.vault, path)
    except NoteNotFound:
        return
    found = [
        item
        for item in open_items(note.text[note.body :])
        if not (signal.worth and item.startswith("wrong_") and signal.worth.keys().isdisjoint(terms_of((), item)))
    ]
    items = [f"- {cut(one_line(item), MAX_CARD_CHARS)}" for item in found][-MAX_CORRECTIONS:]
    shares = share_of_terms(signal.terms, [terms_of((), item) for item in items])
    best = sorted(range(len(items)), key=lambda at: (-shares[at], -at))
    chosen: list[int] = []
    for at in best:
        tried = _card_text(path, CORRECTIONS_HEAD, [items[one] for one in sorted([*chosen, at])])
        if estimate_tokens(tried) <= SHARES["corrections"] * budget:
            chosen.append(at)
    if chosen:
        lines = [items[at] for at in sorted(chosen)]
        yield _card(path, "corrections", CORRECTIONS_HEAD, lines, 1.0, "is a correction")


def pulse_cards(call: Call, signal: SessionSignal, days: float, limit: int) -> Iterator[Card]:
    notes = call.vault.index.view("notes").notes.values()
    recent = [note for note in notes if signal.now - note.mtime < days * DAY_S]
    for note in sorted(recent, key=lambda one: (-one.mtime, one.path))[:limit]:
        when = age_text(note.mtime, signal.now)
        head = f"--- Changed {when} {_changed_by(call, note.path, note.mtime)}:"
        yield _card(note.path, "pulse", head, (), recency(note.mtime, signal.now, days), "was changed lately")


def _changed_by(call: Call, path: VaultPath, modified: float) -> str:
    for change in call.vault.review.changes(ChangeFilter(path=path, state="applied"), 1, 0):
        if abs(change.time - modified) < WRITTEN_WITHIN_S:
            return f"by {one_line(change.client)}" if change.client else "by the user"
    return "by hand"
