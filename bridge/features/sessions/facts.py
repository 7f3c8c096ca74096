"""Gathers what the records say about a session."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain, islice
from typing import Final

from msgspec.structs import replace

from bridge.api.note_text import open_note
from bridge.api.registry import OPERATIONS
from bridge.api.write import Fetch, changed_files
from bridge.changes.git import find_commits
from bridge.changes.hunks import Difference, differences
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.sessions.journal_note import (
    JOURNAL_OPERATIONS,
    LINK,
    MAX_LINKS,
    MISTAKES,
    ChangeBatch,
    ChangedNote,
    Failure,
    JournalFacts,
    lines_changed,
    note_rank,
    read_quotes,
)
from bridge.features.sessions.statements import JournalStatement, Stated, find_statements
from bridge.index.boilerplate import is_template
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note, field_of, property_of
from bridge.markdown.parse import parse
from bridge.markdown.tasks import TaskSettings
from bridge.search.summary import choose_sentences_of
from bridge.state.call_log import CallRecord
from bridge.state.change_records import Change, ChangeFilter
from bridge.state.session_log import SessionRecord
from bridge.text.invisible import one_line
from bridge.text.secrets import find_secret
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MAX_SENTENCES: Final = 3
"""Most sentences of a summary."""

MIN_SENTENCES: Final = 2
"""Fewest sentences; one alone sums up nothing."""

MAX_LINES: Final = 2_000
"""Most lines that are considered, of all notes; one with more is left out."""

LookedAt = tuple[Change, Sequence[Difference]]
"""A change, and what it did to each file."""

MAX_STATEMENTS: Final = 3
"""Most decisions, outcomes, open questions and tasks that are quoted, of each."""

_CONTEXT: Final = ("#", "```", "~~~")
"""Beginnings of lines that say how to read those below them."""


def read_written(vault: OpenVault, made: Sequence[LookedAt], fetch: Fetch, templates: Collection[str]) -> list[Note]:
    """Return what changes added to notes and later ones kept: notes in which all other lines are blank.

    What was only moved, of which only a link was changed, or that a template says is none of it. Notes that are denied,
    also to one agent, those of agents, which may be private to one, and templates are left out. Blocks.
    """
    added, latest = defaultdict[VaultPath, set[str]](set), dict[VaultPath, Digest | None]()
    folder, rules, known = agents_folder(vault.settings), vault.files.rules, vault.index.notes
    begins = any(step.before is None and step.kind == "put" for change, _ in made for step in change.steps)
    written, gone = set[str](), template_lines(vault, templates) if begins else set[str]()
    for change, found in made:
        gone.update(form for one in found for text in _rows(one, "removed") for form in _forms(text) - written)
        places = current_places(change)
        for one in found:
            path, step = places.get(one.step.path, one.step.path), one.step
            note = known.get(path)
            if note is None or note.kind != "note" or folder.holds(path) or rules.denies(path):
                continue
            if property_of(note.properties, "deny_agents") or is_template(note, templates):
                continue
            new = [text for text in _rows(one, "added") if gone.isdisjoint(_forms(text))]
            added[path].update(text.strip() for text in new)
            written.update(form for text in new for form in _forms(text))
            latest[path] = step.after if step.kind != "move" else latest.get(path)
    notes, left = [], MAX_LINES
    for path, digest in latest.items():
        lines = kept_lines((fetch(digest) if digest else None) or b"", added[path])
        if (count := sum(map(bool, lines))) <= left:
            left -= count
            notes.append(parse(path, vault.index.boilerplate.blank("\n".join(lines)).encode()))
    return notes


def _rows(one: Difference, kind: str) -> list[str]:
    return [row.text for hunk in one.hunks for row in hunk.rows if row.kind == kind]


def _forms(line: str) -> set[str]:
    """Return a line without its links, and as it reads: what is changed with a link leaves one of both."""
    bare = line.strip()
    return {LINK.sub("", bare), LINK.sub(r"\1\2", bare)}


def template_lines(vault: OpenVault, folders: Collection[str]) -> set[str]:
    """Return the lines of the vault's templates. Blocks."""
    found = set[str]()
    templates = (path for path, note in vault.index.notes.items() if is_template(note, folders))
    for path in islice(templates, MAX_TEMPLATES):
        with suppress(BridgeError):
            data, _ = vault.files.read(path)
            found.update(form for line in data.decode("utf-8", "replace").splitlines() for form in _forms(line))
    return found


def kept_lines(data: bytes, added: Collection[str]) -> list[str]:
    """Return the lines of a text in their places, those blank that are in its properties or were not added."""
    text = data.decode("utf-8-sig", "replace")
    cut = cut_frontmatter(text)
    body = text[: cut[1]].count("\n") if cut else 0
    return [
        line if at >= body and (line.strip() in added or line.lstrip().startswith(_CONTEXT)) else ""
        for at, line in enumerate(text.split("\n"))
    ]


def choose_statements(notes: Iterable[Note], settings: TaskSettings) -> Iterator[JournalStatement]:
    """Yield the first statements of each kind."""
    known, counts = set[str](), Counter[Stated]()
    for one in chain.from_iterable(find_statements(note, settings) for note in notes):
        if one.text not in known and counts[one.what] < MAX_STATEMENTS:
            known.add(one.text)
            counts[one.what] += 1
            yield one


def sum_up(notes: Sequence[Note], statements: Iterable[JournalStatement]) -> str:
    """Return the sentences that stand for notes, besides what is quoted anyway; empty if there are too few."""
    quoted = [one.text for one in statements]
    # Headings are there to say what is below them, and may not have been written.
    headings = {(note.path, one.line) for note in notes for one in note.headings}
    chosen = choose_sentences_of(notes, MAX_SENTENCES)
    found = [one.text for one in chosen if (one.path, one.lines[0]) not in headings]
    plain = [one_line(text) for text in found if find_secret(text) is None and not any(one in text for one in quoted)]
    return " ".join(plain) if len(plain) >= MIN_SENTENCES else ""


MAX_TEMPLATES = 100
MAX_CALLS = 5_000
MAX_CHANGES = 200
"""Most changes of a session that are looked at."""
MAX_FAILURES = 10

SHORT_COMMIT = 12
"""Characters of a commit's id that are shown."""

SEARCHES = frozenset({"ask", "search", "related_notes", "find_notes", "recall"})
READS = frozenset({"read_note", "read_notes"})
UNTOLD_FAILURES = MISTAKES | {"cancelled", "confirmation_required", "declined"}
"""Codes of calls that wait for the user, that somebody did not want, or that only their caller has to learn from.

Of those that would have changed something all are told but what was cancelled, since their session may claim it.
"""


def gather_facts(vault: OpenVault, session: SessionRecord) -> JournalFacts:
    """Return what the records say about a session; denied notes are not among it. Blocks."""
    calls = vault.store.calls.of_session(session.id, MAX_CALLS)
    recorded = vault.review.changes(ChangeFilter(session=session.id), MAX_CHANGES, 0)[::-1]
    made = [change for change in recorded if not change.facts.targets]
    applied = [change for change in made if change.state == "applied"]
    fetch = vault.store.snapshots.read_sound
    looked_at = [(change, [*differences(change.steps, fetch)]) for change in applied]
    changes = list_batches(vault, session, looked_at)
    obsidian = read_obsidian_settings(vault.root)
    written = read_written(vault, looked_at, fetch, obsidian.template_folders)
    statements = tuple(choose_statements(written, obsidian.tasks))
    until = max(session.ended or 0.0, session.seen, *(call.time for call in calls))
    handed = read_handed_over(vault, applied)
    facts = JournalFacts(
        session=session.id,
        client=session.client or "agent",
        status=session.state,
        started=datetime.fromtimestamp(session.started).astimezone(),
        until=datetime.fromtimestamp(until).astimezone(),
        calls=len(calls),
        tokens=sum(call.tokens for call in calls),
        searches=sum(call.tool in SEARCHES and call.code is None for call in calls),
        read=tuple((path, count) for path, count in notes_read(calls).most_common() if vault.files.has(path)),
        changes=changes,
        undone=list_batches(vault, session, ((change, ()) for change in made if change.state == "undone")),
        proposed=list_batches(vault, session, ((change, ()) for change in made if change.state == "proposed")),
        failures=tuple(list_failures(vault, calls, made)),
        commits=commits_of(vault, session, applied),
        summary=sum_up(written, statements),
        statements=statements,
        goal=handed.get("Goal", ""),
        next_action=handed.get("Next action", ""),
    )
    return replace(facts, previous=find_previous(vault, session, {*facts.changed_notes, *dict(facts.read)}))


def find_previous(vault: OpenVault, session: SessionRecord, paths: Collection[VaultPath]) -> VaultPath | None:
    """Return the journal of the client's session before, if it names a note that this one read or changed."""
    previous = vault.store.sessions.before(session)
    journal = vault.index.notes.get(previous.note) if previous is not None and previous.note is not None else None
    if journal is None:
        return None
    named = (vault.names.resolve(link.target, journal.path, link.kind).path for link in journal.links)
    return journal.path if any(path in paths for path in named) else None


def is_of_agent(calls: Iterable[CallRecord]) -> bool:
    """Say whether an agent made the calls, and not a person by a command or in Obsidian."""
    return any(call.transport == "mcp" for call in calls)


def notes_read(calls: Iterable[CallRecord]) -> Counter[VaultPath]:
    read = Counter[VaultPath]()
    for call in calls:
        if call.tool in READS and call.code is None:
            # The note itself comes first, then those that its text names.
            read.update(call.paths[:1] if call.tool == "read_note" else call.paths)
    return read


def current_places(change: Change) -> dict[VaultPath, VaultPath]:
    return {step.to or step.path: now for step, now in zip(change.steps, change.places, strict=True)}


def commits_of(vault: OpenVault, session: SessionRecord, changes: Iterable[Change]) -> tuple[str, ...]:
    if not vault.settings.git_commit:
        return ()
    known = find_commits(vault.root, session.started)
    return tuple(known[change.id][:SHORT_COMMIT] for change in changes if change.id in known)


def list_batches(vault: OpenVault, session: SessionRecord, changes: Iterable[LookedAt]) -> tuple[ChangeBatch, ...]:
    """Return what changes did by operation, that of most lines first, agents' notes last; denied ones are left out."""
    notes, reasons = defaultdict[str, dict[VaultPath, ChangedNote]](dict), defaultdict[str, list[str]](list)
    renames = defaultdict[str, list[tuple[str, str]]](list)
    folder, rules = agents_folder(vault.settings), vault.files.rules
    for change, found in changes:
        places, own = current_places(change), notes[change.operation]
        counts = {places.get(file.path, file.path): file for file in changed_files(found)}
        for step, path in zip(change.steps, change.places, strict=True):
            if step.kind.endswith("_folder") or rules.denies(path) or path == session.note:
                continue
            known, file = own.get(path) or ChangedNote(path, of_agents=folder.holds(path)), counts.pop(path, None)
            is_folder = step.kind == "move" and step.before is None
            known = replace(known, is_gone=step.kind == "remove", exists=not is_folder and vault.files.has(path))
            if step.kind == "move" and path != step.path and known.was is None and not rules.denies(step.path):
                known = replace(known, was=step.path)
            own[path] = (
                replace(known, added=known.added + file.added, removed=known.removed + file.removed) if file else known
            )
        renames[change.operation] += (one for one in change.facts.renames if find_secret(" ".join(one)) is None)
        reasons[change.operation] += filter(None, [change.reason])
    ordered = {operation: sorted(own.values(), key=note_rank) for operation, own in notes.items()}
    batches = [
        ChangeBatch(name, tuple(own), tuple(dict.fromkeys(reasons[name])), tuple(dict.fromkeys(renames[name])))
        for name, own in ordered.items()
        if own
    ]
    return tuple(sorted(batches, key=lambda one: (one.notes[0].of_agents, -sum(map(lines_changed, one.notes)))))


def read_handed_over(vault: OpenVault, changes: Sequence[Change]) -> Mapping[str, str]:
    """Return by heading what a session handed over last. Blocks."""
    for change in reversed(changes):
        for path in change.places if change.operation == "hand_over" else ():
            with suppress(BridgeError):
                note = open_note(vault, path)
                if field_of(note.properties, "type") == "handoff":
                    return read_quotes(note.text)
    return {}


def list_failures(vault: OpenVault, calls: Sequence[CallRecord], made: Sequence[Change]) -> list[Failure]:
    """Return the calls that failed, unless what they were to write was written later, or the same was done."""
    pending = list[tuple[CallRecord, frozenset[str]]]()
    for call in calls:
        sums = frozenset(call.sums.split())
        if call.code is None:
            pending = [(one, left - sums) for one, left in pending if not is_made_good(one, left - sums, call)]
        elif call.tool not in JOURNAL_OPERATIONS and call.code not in (
            {"cancelled"} if writes(call) else UNTOLD_FAILURES
        ):
            pending.append((call, sums))
    # A call that took a note away no longer names it.
    taken = {(change.operation, step.path): change.time for change in made for step in change.steps}
    counts = Counter(
        Failure(call.tool, str(call.code), call.paths[:MAX_LINKS], writes(call), call.cause)
        for call, _ in pending
        if not any(map(vault.files.rules.denies, call.paths))
        and not any(taken.get((call.tool, path), 0.0) > call.time for path in call.paths[:1] if not call.sums)
    )
    return [replace(one, count=count) for one, count in counts.items()][-MAX_FAILURES:]


def writes(call: CallRecord) -> bool:
    return call.tool in OPERATIONS and not OPERATIONS[call.tool]().reads


def is_made_good(failed: CallRecord, left: Collection[str], later: CallRecord) -> bool:
    """Say whether nothing is left of what a call was to write, or of one without texts, whether the same was done."""
    same = later.tool == failed.tool and (not failed.paths or failed.paths[0] in later.paths)
    return not left if failed.sums else same
