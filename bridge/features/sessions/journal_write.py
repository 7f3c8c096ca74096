"""Writes the journal of a session, and only what is the bridge's own in it."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count

from msgspec.structs import replace

from bridge.api.write import Fetch
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.edit_note import EditNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author, ChangeOutcome
from bridge.errors import AmbiguousHeading, NoteExists, NoteNotFound
from bridge.features.sessions.journal_note import (
    JOURNAL_OPERATIONS,
    LATER_HEADING,
    LINK,
    WRITE,
    JournalFacts,
    JournalWords,
    journal_name,
    journal_properties,
    read_words,
    write_body,
)
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.properties import build_note
from bridge.markdown.edit.requests import Append, InsertUnder
from bridge.markdown.note import field_of
from bridge.markdown.parse import parse
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionRecord
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

RELINKS = frozenset({"merge_notes", "move_note", "rename_heading"})
"""Operations that change a journal where it links to what they rename."""

MAX_JOURNAL_CHANGES = 5_000
"""Most changes of a journal that are followed back to its beginning."""


class JournalChange(Request, kw_only=True):
    """Writes a journal; below one that somebody else has changed, it only adds lines."""

    facts: JournalFacts
    words: JournalWords
    later: tuple[str, ...]
    """The lines to add."""
    owns: Callable[[VaultPath, bytes], bool]
    """Returns whether the bridge wrote the content of a journal."""
    known: bool
    """Whether the path is recorded as that of the session's journal."""
    operation: str = WRITE

    @property
    def op(self) -> str:
        return self.operation

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        if not draft.has(self.path):
            draft.create(self.path, self._compose(self.words))
            return Effect()
        data = draft.read(self.path)
        note = parse(self.path, data)
        if not self.known and field_of(note.properties, "session") != self.facts.session:
            raise NoteExists(f"`{self.path}` belongs to another session.", path=self.path)
        if self.owns(self.path, data):
            words = read_words(note.text, note.properties).merge(self.words)
            draft.replace(self.path, self._compose(words))
            return Effect()
        return self._append(draft, context) if self.later else Effect()

    def _compose(self, words: JournalWords) -> bytes:
        return build_note(self.path, write_body(words, self.facts), journal_properties(words, self.facts))

    def _append(self, draft: Draft, context: RequestContext) -> Effect:
        text = "\n".join(self.later)
        try:
            below = InsertUnder(heading=LATER_HEADING, text=text, create_heading=True)
            return EditNote(path=self.path, edits=(below,)).plan(draft, context)
        except AmbiguousHeading:
            return EditNote(path=self.path, edits=(Append(text=text),)).plan(draft, context)


def is_own(vault: OpenVault, path: VaultPath, data: bytes) -> bool:
    """Say whether all that changed a journal since it was created was the bridge. Blocks."""
    digest: Digest | None = digest_of(data)
    fetch = vault.store.snapshots.read_sound
    for change in vault.review.changes(ChangeFilter(path=path, state="applied"), MAX_JOURNAL_CHANGES, 0):
        for step, now in reversed([*zip(change.steps, change.now, strict=True)]):
            if now != path or step.kind != "put":
                continue
            # Otherwise somebody wrote between this change and the next.
            if step.after != digest:
                return False
            is_relink = change.operation in RELINKS and changes_only_links(step, fetch)
            if change.operation not in JOURNAL_OPERATIONS and not is_relink:
                return False
            digest = step.before
        if digest is None:
            return True
    return False


def changes_only_links(step: Step, fetch: Fetch) -> bool:
    """Say whether a step only changed links; a merge into a journal, or a heading there, is the user's."""
    before, after = ((fetch(digest) if digest else None) for digest in (step.before, step.after))
    if before is None or after is None:
        return False
    was, now = (LINK.sub("", data.decode("utf-8", "replace")) for data in (before, after))
    return was == now


def journal_path(vault: OpenVault, session: SessionRecord, facts: JournalFacts) -> VaultPath:
    """Return the path of a session's journal, which may not exist yet. Blocks."""
    if session.note is not None and vault.files.has(session.note):
        return session.note
    folder, name = agents_folder(vault.settings).sessions, journal_name(facts.client, facts.started)
    for number in count(1):
        path = VaultPath(f"{folder}/{name}{f' {number}' if number > 1 else ''}.md")
        if not vault.files.has(path) or session_of_note(vault, path) == session.id:
            return path
    raise AssertionError


def session_of_note(vault: OpenVault, path: VaultPath) -> object:
    """Return the session that a note names; read from the file, since another call may have just written it."""
    try:
        data, _ = vault.files.read(path)
    except NoteNotFound:
        return None
    return field_of(parse(path, data).properties, "session")


async def write_journal(
    vault: OpenVault,
    session: SessionRecord,
    facts: JournalFacts,
    words: JournalWords,
    later: Sequence[str],
    author: Author,
    *,
    before: Sequence[Request] = (),
    dry_run: bool = False,
) -> ChangeOutcome:
    def owns(path: VaultPath, data: bytes) -> bool:
        return is_own(vault, path, data)

    # The work of a session can be undone without the account of it.
    author = replace(author, session=None)
    while True:
        path = await asyncio.to_thread(journal_path, vault, session, facts)
        request = JournalChange(
            path=path,
            facts=facts,
            words=words,
            later=tuple(later),
            owns=owns,
            known=session.note == path,
            operation=author.operation,
        )
        try:
            outcome = await vault.executor.execute([*before, request], author, dry_run=dry_run)
        except NoteExists:
            # Another session of this client began in the same minute, and was faster.
            if not vault.files.has(path):
                raise
            continue
        if outcome.state == "applied" and not dry_run and session.note != path:
            await asyncio.to_thread(vault.store.sessions.set_note, session.id, path)
        return outcome
