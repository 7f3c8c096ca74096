"""Links the names of notes in text that clients write, and adds suggested links where a change asks for them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from bridge.changes.draft import Draft
from bridge.changes.link_text import write_link
from bridge.changes.requests.base import Request
from bridge.engine.open_vault import OpenVault
from bridge.features.links.corpus import Corpus, read_corpus
from bridge.features.links.evidence import FeedbackModel
from bridge.features.links.insert import find_places, insert_links
from bridge.features.links.link_candidates import LinkContext, source_of, suggest
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.requests import Append
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.parse import parse
from bridge.text.diff import decode_text, diff_hunks
from bridge.types import Span, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


async def link_new_names(vault: OpenVault, client: str | None, _: Sequence[Request]) -> Callable[[Draft], None] | None:
    """Return a function that adds links to a draft; None when the client is unknown or not set to get links."""
    clients = {name.casefold() for name in vault.settings.auto_link_clients}
    if client is None or not clients & {"*", client.casefold()}:
        return None
    corpus = await read_corpus(vault)
    return lambda draft: add_links(vault, corpus, draft)


def add_links(vault: OpenVault, corpus: Corpus, draft: Draft) -> None:
    """Add links to the new text in a draft; text that was there before gets none."""
    for step in draft.plan.steps:
        if step.kind == "put" and step.after is not None and kind_of(step.path) == "note":
            before = draft.plan.blobs[step.before] if step.before is not None else b""
            after = draft.read(step.path)
            if (linked := link_new_text(vault, corpus, step.path, before, after)) is not None:
                draft.replace(step.path, linked)


def link_new_text(vault: OpenVault, corpus: Corpus, path: VaultPath, before: bytes, after: bytes) -> bytes | None:
    old, note = decode_text(before), parse(path, after)
    mark = "\ufeff" if after.startswith(b"\xef\xbb\xbf") else ""
    if old is None or (mark + note.text).encode("utf-8", "surrogatepass") != after:
        return None
    around = LinkContext(vault, path, FeedbackModel(vault.store.feedback.all()))
    found = find_places(source_of(vault, note), corpus, around, strictness="conservative")
    fresh = added_spans(old.removeprefix("\ufeff"), note.text)
    chosen = [place for place in found if any(start <= place.span[0] and place.span[1] <= end for start, end in fresh)]
    if not chosen:
        return None
    made = insert_links(note, chosen, vault.names, read_obsidian_settings(vault.root))
    return (mark + made.text).encode() if made.links else None


def added_spans(before: str, after: str) -> list[Span]:
    starts = [0, *(at + 1 for at, character in enumerate(after) if character == "\n"), len(after)]
    spans = list(pairwise(starts))
    fresh: list[Span] = []
    for hunk in diff_hunks(before, after):
        line = hunk.after[0] - 1
        for row in hunk.rows:
            if row.kind == "added":
                fresh.append(spans[line])
            line += row.kind != "removed"
    return fresh


async def append_suggestions(
    vault: OpenVault, _: str | None, requests: Sequence[Request]
) -> Callable[[Draft], None] | None:
    """Return a function that adds links to a draft; None when no request asks for any."""
    asking = {request.path: most for request in requests if (most := getattr(request, "append_links", 0))}
    if not asking:
        return None
    corpus = await read_corpus(vault)

    def append_all(draft: Draft) -> None:
        written = {step.path for step in draft.plan.steps if step.kind == "put"}
        for path in sorted(written & asking.keys()):
            append_links(vault, corpus, draft, path, asking[path])

    return append_all


def append_links(vault: OpenVault, corpus: Corpus, draft: Draft, path: VaultPath, most: int) -> None:
    data = draft.read(path)
    note = parse(path, data)
    around = LinkContext(vault, path, FeedbackModel(vault.store.feedback.all()))
    found = suggest(source_of(vault, note), corpus, around, "conservative")
    style = read_obsidian_settings(vault.root)
    links = [write_link(title_of(one.target), one.target, path, vault.names, style) for one in found[:most]]
    if shown := [link for link in links if link is not None]:
        draft.replace(path, apply_edits(path, data, [Append(text=f"→ {', '.join(shown)}")]))
