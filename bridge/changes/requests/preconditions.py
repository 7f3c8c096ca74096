"""What a request requires of a note before it changes it, with errors that say how the note differs."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bridge.changes.draft import Draft, digest_of
from bridge.changes.rebase import preview_merge
from bridge.changes.requests.base import RequestContext
from bridge.errors import BridgeError, InvalidArguments, NoteChanged
from bridge.markdown.kinds import kind_of
from bridge.text.diff import decode_text, diff_lines, split_lines
from bridge.types import SHORT_DIGEST, Digest, VaultPath, is_same_digest


def require_note_path(path: VaultPath) -> None:
    """Require a path that a note can have."""
    if kind_of(path) != "note":
        raise InvalidArguments(f"`{path}` is not a Markdown path.", hint=f"Did you mean `{path}.md`?")


def read_unchanged(
    path: VaultPath,
    digest: Digest | None,
    draft: Draft,
    context: RequestContext,
    change: Callable[[bytes], bytes] | None = None,
) -> bytes:
    """Return a file's bytes in the draft, if the digest matches a version that it has or had in this change."""
    data = draft.read(path)
    if digest is not None and not any(is_same_digest(state, digest) for state in draft.states(path)):
        base, found = context.read_before(digest), digest_of(data)
        facts = _describe_difference(path, base, data, change)
        what = (
            f"`{path}` changed since you read it."
            if base is not None
            else f"`{path}` does not have the digest `{digest[:SHORT_DIGEST]}`, and no version known here had it."
        )
        raise NoteChanged(what, path=path, expected=digest, found=found, known=base is not None, **facts)
    return data


def _describe_difference(
    path: VaultPath, base: bytes | None, data: bytes, change: Callable[[bytes], bytes] | None
) -> dict[str, Any]:
    """Describe what changed since a file was read, and what the requested change would be on it now."""
    if base is None:
        return {}
    proposal = None
    if change is not None:
        with suppress(BridgeError):
            proposal = change(base)
    found = preview_merge(path, base, data, proposal)
    details = {"differs": found.differs, "merged_diff": found.merged_diff, "merged_text": found.merged_text}
    return {name: value for name, value in details.items() if value}


def require_lines(draft: Draft, path: VaultPath, data: bytes, digest: Digest | None = None) -> None:
    """Refuse line numbers when an earlier edit of the change may have shifted the lines that the client counted."""
    origin = draft.origin(path)
    if origin is None or data == draft.as_read(origin):
        return
    if digest is not None and is_same_digest(digest_of(data), digest):
        return
    raise InvalidArguments(
        f"An earlier edit of this set changed `{path}`, so line numbers may have shifted.",
        hint="Put both edits into one `edit_note`, or use `replace_text`.",
        path=path,
    )


def require_own(draft: Draft, path: VaultPath, data: bytes, change: Callable[[bytes], bytes], what: str) -> None:
    """Let a client that gives no digest remove only lines that this change itself has written."""
    origin = draft.origin(path)
    if origin is None:
        return
    first = draft.as_read(origin)
    if data != first:
        then, now, later = (split_lines(decode_text(each) or "") for each in (first, data, change(data)))
        own = {line for piece in diff_lines(then, now) for line in piece.after}
        if own.issuperset(line for piece in diff_lines(now, later) for line in piece.before):
            return
    raise InvalidArguments(
        f"`digest` is required to {what}: it identifies what you read.",
        hint="`read_note` and `find_notes` return it; its first 12 digits are enough.",
        path=path,
    )
