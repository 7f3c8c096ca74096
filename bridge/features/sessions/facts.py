"""Gathers what the records say about a session."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from bridge.api.write import ChangedFile, Fetch, changed_files, snapshot_fetcher
from bridge.changes.git import find_commits
from bridge.changes.hunks import Difference, differences
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.features.sessions.journal_note import NOTES_LISTED, Batch, ChangedNote, Failure, JournalFacts
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.parse import parse
from bridge.search.summary import choose_sentences_of
from bridge.state.call_log import CallRecord
from bridge.state.change_records import Change, ChangeFilter
from bridge.state.session_log import SessionRecord
from bridge.text.invisible import one_line
from bridge.text.secrets import find_secret
from bridge.types import Digest, VaultPath

SENTENCES: Final = 3
"""Most sentences of a summary."""

MIN_SENTENCES: Final = 2
"""Fewest sentences; one alone sums up nothing."""

MAX_LINES: Final = 2_000
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
    notes, left = [], MAX_LINES
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
    return plain if len(plain) >= MIN_SENTENCES else []


MAX_CALLS = 5_000
MAX_CHANGES = 200
"""Most changes of a session that are looked at."""
MAX_TAGS = 5
MAX_FAILURES = 10

SHORT_COMMIT = 12
"""Characters of a commit's id that are shown."""

LookedAt = tuple[Change, Sequence["Difference"]]
"""A change, and what it did to each file."""

SEARCHES = frozenset({"search", "related_notes", "find_notes", "gather_context", "recall"})
READS = frozenset({"read_note", "read_notes"})
NO_FAILURES = frozenset({"cancelled", "confirmation_required", "declined"})
"""Codes of calls that wait for the user, or that somebody did not want."""


def gather_facts(vault: OpenVault, session: SessionRecord) -> JournalFacts:
    """Return what the records say about a session; denied notes are not among it. Blocks."""
    calls = vault.store.calls.of_session(session.id, MAX_CALLS)
    changes = vault.review.changes(ChangeFilter(session=session.id), MAX_CHANGES, 0)[::-1]
    made = [change for change in changes if not change.facts.targets]
    applied = [change for change in made if change.state == "applied"]
    fetch = snapshot_fetcher(vault)
    looked_at = [(change, [*differences(change.steps, fetch)]) for change in applied]
    changed = merge_changes(vault, looked_at)
    until = max(session.ended or 0.0, session.seen, *(call.time for call in calls))
    counts = Counter(operation for note in changed for operation in note.operations)
    many = {operation for operation, count in counts.items() if count > NOTES_LISTED}
    previous = vault.store.sessions.before(session)
    return JournalFacts(
        session=session.id,
        client=session.client or "agent",
        status=session.state,
        started=datetime.fromtimestamp(session.started).astimezone(),
        until=datetime.fromtimestamp(until).astimezone(),
        calls=len(calls),
        tokens=sum(call.tokens for call in calls),
        searches=sum(call.tool in SEARCHES and call.code is None for call in calls),
        read=tuple(
            (path, count) for path, count in notes_read(calls).most_common() if not vault.files.rules.denies(path)
        ),
        changed=tuple(note for note in changed if not many.issuperset(note.operations)),
        batches=tuple(one for one in list_batches(vault, applied) if one.operation in many),
        undone=tuple(list_batches(vault, (change for change in made if change.state == "undone"))),
        proposed=tuple(list_batches(vault, (change for change in made if change.state == "proposed"))),
        failures=tuple(list_failures(vault, calls)),
        tags=frequent_tags(vault, [note.path for note in changed]),
        commits=commits_of(vault, session, applied),
        summary=sum_up(vault, place_differences(looked_at), fetch),
        previous=previous.note if previous is not None and previous.note in vault.index.notes else None,
    )


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
    return {step.to or step.path: now for step, now in zip(change.steps, change.now, strict=True)}


def place_differences(changes: Iterable[LookedAt]) -> Iterator[tuple[VaultPath, Difference]]:
    for change, found in changes:
        places = current_places(change)
        yield from ((places.get(one.step.path, one.step.path), one) for one in found)


def commits_of(vault: OpenVault, session: SessionRecord, changes: Iterable[Change]) -> tuple[str, ...]:
    if not vault.settings.git_commit:
        return ()
    known = find_commits(vault.root, session.started)
    return tuple(known[change.id][:SHORT_COMMIT] for change in changes if change.id in known)


def merge_changes(vault: OpenVault, changes: Iterable[LookedAt]) -> list[ChangedNote]:
    notes = dict[VaultPath, ChangedNote]()
    for change, found in changes:
        places = current_places(change)
        for file in changed_files(found):
            path = places.get(file.path, file.path)
            if not vault.files.rules.denies(path):
                notes[path] = merge_change(notes.get(path) or ChangedNote(path, (), 0, 0), change, file)
    return list(notes.values())


def merge_change(note: ChangedNote, change: Change, file: ChangedFile) -> ChangedNote:
    reasons = (*note.reasons, *([change.reason] if change.reason else []))
    return replace(
        note,
        operations=tuple(dict.fromkeys([*note.operations, change.operation])),
        added=note.added + file.added,
        removed=note.removed + file.removed,
        reasons=tuple(dict.fromkeys(reasons)),
    )


def list_batches(vault: OpenVault, changes: Iterable[Change]) -> Iterator[Batch]:
    """Yield what changes did by operation, with the current paths of their notes; denied ones are not among them."""
    paths, reasons = defaultdict[str, list[VaultPath]](list), defaultdict[str, list[str]](list)
    for change in changes:
        for step, now in zip(change.steps, change.now, strict=True):
            if not step.kind.endswith("_folder") and not vault.files.rules.denies(now):
                paths[change.operation].append(now)
        reasons[change.operation] += [change.reason] if change.reason else []
    for operation, found in paths.items():
        yield Batch(operation, tuple(dict.fromkeys(found)), tuple(dict.fromkeys(reasons[operation])))


def list_failures(vault: OpenVault, calls: Sequence[CallRecord]) -> list[Failure]:
    failures = dict[tuple[str, VaultPath | None], Failure]()
    for call in calls:
        path = next(iter(call.paths), None)
        key = (call.tool, path)
        if call.code is None:
            failures.pop(key, None)
        elif call.code not in NO_FAILURES and not (path is not None and vault.files.rules.denies(path)):
            count = failures[key].count if key in failures else 0
            failures[key] = Failure(call.tool, call.code, count + 1, path)
    return list(failures.values())[-MAX_FAILURES:]


def frequent_tags(vault: OpenVault, paths: Iterable[VaultPath]) -> tuple[str, ...]:
    notes = vault.index.notes
    tags = Counter(tag for path in paths if path in notes for tag in notes[path].tags)
    return tuple(tag for tag, _ in tags.most_common(MAX_TAGS))
