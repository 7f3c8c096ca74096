"""Links that are missing, and why each should be there."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.agreement import is_editor
from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.api.note_text import line_at, open_note, select_lines, span_of
from bridge.api.registry import operation
from bridge.engine.link_graph import resolve_targets
from bridge.engine.open_vault import OpenVault
from bridge.errors import Declined, InvalidArguments, TextNotFound
from bridge.features.links.evidence import FeedbackModel, Strictness
from bridge.features.links.link_candidates import LinkContext, Suggestion, source_of, suggest
from bridge.features.links.mentions import Corpus, NameFinder, NoteName, names_of, read_corpus
from bridge.index.note import IndexedNote
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.state.link_feedback import LinkFeedback
from bridge.text.closest import find_closest
from bridge.text.fold import fold_case
from bridge.text.lines import LineIndex
from bridge.types import Exact, Lines, Span, VaultPath

MAX_CHARACTERS = 200_000
"""Characters of a note that are looked at for one answer."""

MAX_COMPARED_WORDS = 5_000
"""Words of a note that are compared with words that it does not contain."""


class LinkSuggestion(Record):
    """A link that may be missing.

    Attributes:
        target: The note to link to.
        text: The words to link.
        lines: Their first and last line.
        span: Start and end character offset in the file, end excluded.
        score: Likelihood that it should be a link, 0–1.
        why: The evidence for it.
    """

    target: VaultPath
    text: Exact
    lines: Lines
    span: Span
    score: float
    why: tuple[str, ...]


class LinkSuggestions(Record):
    """Links that a text may be missing.

    Attributes:
        suggestions: Most likely first, one per note.
        digest: SHA-256 of the whole file; empty for a text.
        notices: What was left out.
    """

    suggestions: tuple[LinkSuggestion, ...]
    digest: str
    notices: tuple[str, ...] = ()


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md"},
    tasks=(
        "propose links for a note",
        "names in a text that should be links",
        "find missing links in a note",
        "words that could be linked",
    ),
)
async def suggest_links(
    call: Call,
    path: VaultPath | None = None,
    text: Annotated[str, Meta(max_length=200_000)] | None = None,
    lines: Lines | None = None,
    strictness: Literal["conservative", "balanced", "aggressive"] = "balanced",
    limit: Annotated[int, Meta(ge=1, le=200)] = 50,
) -> LinkSuggestions:
    """Find names of notes in prose that should be links, likeliest first, with the evidence for each.

    Text in links, code, math, headings, HTML, comments, properties and dates of tasks is skipped, as are notes already
    linked.

    Args:
        path: The note; give this or `text`.
        text: Any Markdown; give this or `path`.
        lines: Only these lines, first and last.
        strictness: `conservative` is right four times in five, `aggressive` misses little.
        limit: Maximum suggestions.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    if (path is None) == (text is None):
        raise InvalidArguments("Give either `path` or `text`.")

    call.vault.require_keyword()
    corpus = await read_corpus(call.vault)
    around = await asyncio.to_thread(partial(LinkContext.of, call.vault, path, for_user=call.is_user))
    return await asyncio.to_thread(build_suggestions, around, corpus, text, lines, strictness, limit)


def build_suggestions(
    around: LinkContext, corpus: Corpus, text: str | None, lines: Lines | None, strictness: Strictness, limit: int
) -> LinkSuggestions:
    vault, path = around.vault, around.path
    note = parse(VaultPath(""), (text or "").encode("utf-8", "replace")) if path is None else open_note(vault, path)
    start, end = span_of(note.text, *select_lines(note, None, lines)) if lines is not None else (0, len(note.text))
    stop = min(end, start + MAX_CHARACTERS)
    # Blanks in front keep every place where it is.
    source = replace(source_of(vault, note, stop), text=" " * start + note.text[start:stop], within=(start, stop))
    found = suggest(source, corpus, around, strictness)[:limit]
    cut = f"Only {MAX_CHARACTERS:,} characters were looked at, up to line {line_at(note.text, stop)}; give `lines`."
    above, inside = line_at(note.text, start) - 1, LineIndex(note.text[start:stop])
    return LinkSuggestions(
        tuple(describe_suggestion(one, above, inside, start) for one in found),
        note.digest if path is not None else "",
        (cut,) if stop < end else (),
    )


def describe_suggestion(found: Suggestion, above: int, inside: LineIndex, start: int) -> LinkSuggestion:
    first, last = inside.over((found.span[0] - start, found.span[1] - start))
    lines = above + first, above + last
    return LinkSuggestion(found.target, found.text, lines, found.span, round(found.score, 3), found.why)


class LinkJudged(Record):
    """Feedback so far on suggested links.

    Attributes:
        accepted: Accepted links to this note.
        declined: Declined links to this note.
        rate: Share of all suggestions in the vault that were accepted; null before the first.
    """

    accepted: int
    declined: int
    rate: float | None


@operation(
    example={
        "path": "Welcome.md",
        "target": "Bread/Starters/Sourdough starter.md",
        "text": "starter",
        "verdict": "revive",
    },
    reads=False,
    scope="write",
    tasks=("accept or decline a suggested link", "say that a link suggestion was wrong"),
)
async def judge_link(
    call: Call,
    path: VaultPath,
    target: VaultPath,
    text: Annotated[str, Meta(max_length=200)],
    verdict: Literal["accept", "decline", "revive"],
) -> LinkJudged:
    """Record whether a suggested link was accepted or declined; later suggestions learn from it.

    What an agent declines is no longer suggested to agents; the user still gets it, and is told.

    Args:
        path: The note with the link or suggestion.
        target: The note it links to.
        text: The suggested words.
        verdict: `accept` if linked, `decline` to suppress it there, `revive` to allow it again.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        TextNotFound: The note does not contain the words; the message names the closest.
        Declined: The user declined it, and the caller is not the user.
    """
    call.vault.require_keyword()
    for note in (path, target):
        if note not in call.vault.index.notes:
            raise no_such_note(call.vault, note)
    # In an editor, words are typed that the file does not have yet.
    if verdict != "revive" and not is_editor(call):
        await asyncio.to_thread(require_words, call.vault, path, target, text)
    store, by_user = call.vault.store, call.is_user
    if verdict != "decline" and not by_user:
        await asyncio.to_thread(require_not_declined, call.vault, path, target)
    if verdict == "revive":
        await asyncio.to_thread(partial(store.feedback.revive, target, path, by_user=by_user))
    else:
        accepted = verdict == "accept"
        by_agents = int(not (accepted or by_user))
        feedback_entry = LinkFeedback(
            path, target, fold_case(text).strip(), int(accepted), int(not accepted), by_agents
        )
        await asyncio.to_thread(store.feedback.add, feedback_entry)
        if accepted:
            # The link may be there already; once seen, taking it out is a verdict too.
            links = call.vault.index.notes[path].links
            there = any(call.vault.names.resolve(link.target, path, link.kind).path == target for link in links)
            await asyncio.to_thread(store.feedback.follow_links, path, {target} if there else (), lambda _: False)
    feedback = await asyncio.to_thread(store.feedback.all)
    everything = FeedbackModel(feedback).all
    here = FeedbackModel(one for one in feedback if one.target == target).all
    return LinkJudged(here.accepted, here.declined, everything.rate)


def require_not_declined(vault: OpenVault, path: VaultPath, target: VaultPath) -> None:
    if FeedbackModel(vault.store.feedback.all(), for_user=True).is_declined(path, target):
        raise Declined("The user declined this link.", hint="Leave it, or ask the user to revive it.")


def require_words(vault: OpenVault, path: VaultPath, target: VaultPath, words: str) -> None:
    """Require that a note contains words."""
    text = open_note(vault, path).text
    if not words.strip() or " ".join(fold_case(words).split()) in " ".join(fold_case(text).split()):
        return
    near = closest_mention(vault, text, target, words)
    raise TextNotFound(
        f"`{path}` does not contain “{words}”{f'; the closest is “{near}”.' if near else '.'}",
        hint="Give the words as they stand in the note, such as `text` of a suggestion of `suggest_links`.",
        closest=[near] if near else [],
    )


def closest_mention(vault: OpenVault, text: str, target: VaultPath, words: str) -> str | None:
    title, aliases = names_of(vault.index.notes[target])
    finder = NameFinder(NoteName(target, name) for name in (title, *aliases))
    if mentions := finder.mentions(text, almost=True):
        return text[slice(*mentions[0].span)]
    written, count = text.split()[:MAX_COMPARED_WORDS], len(words.split())
    parts = (" ".join(written[at : at + count]) for at in range(len(written) - count + 1))
    return find_closest(words, dict.fromkeys(parts))


def follow_accepted_links(vault: OpenVault, notes: Sequence[IndexedNote]) -> None:
    feedback, names = vault.store.feedback, vault.names
    for note in notes:
        if note.path in feedback.notes_with_accepted:
            feedback.follow_links(note.path, frozenset(resolve_targets(note, names)), names.__contains__)
