"""Links that are missing, and why each should be there."""

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.not_found import no_such_note
from bridge.api.note_text import line_at, open_note, select_lines, span_of
from bridge.api.registry import operation
from bridge.engine.link_context import LinkContext, source_of
from bridge.errors import InvalidArguments
from bridge.types import Lines, Span, VaultPath

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine
    from bridge.linking.corpus import Corpus
    from bridge.linking.evidence import Strictness
    from bridge.linking.suggest import Suggestion

MAX_CHARACTERS = 200_000
"""Characters of a note that are looked at for one answer."""


@dataclass(frozen=True, slots=True)
class LinkSuggestion:
    """A link that may be missing.

    Attributes:
        target: The note it should lead to.
        text: The words that should become the link.
        lines: First and last line they stand on.
        span: First character and the one after the last, counted in the text of the file.
        score: How likely it should be a link, 0 to 1.
        why: What speaks for it.
    """

    target: VaultPath
    text: str
    lines: Lines
    span: Span
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkSuggestions:
    """The links a text may miss.

    Attributes:
        suggestions: Likeliest first, one a note.
        digest: SHA-256 of the whole file they were found in; empty for a text.
        notices: What was left out, in sentences.
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
    text: Annotated[str, MaxLen(200_000)] | None = None,
    lines: Lines | None = None,
    strictness: Literal["conservative", "balanced", "aggressive"] = "balanced",
    limit: Annotated[int, Interval(ge=1, le=200)] = 50,
) -> LinkSuggestions:
    """Find names of notes in prose that should be links, likeliest first, with what speaks for each.

    Nothing inside links, code, math, headings, HTML, comments or properties is suggested, nor what the note links to
    already.

    Args:
        path: The note; give this or `text`.
        text: Markdown that need not be in the vault; give this or `path`.
        lines: Only what stands on these lines, first and last.
        strictness: How likely a link must be: `conservative` is right four times in five, `aggressive` misses little.
        limit: Most suggestions to return.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
    """
    if (path is None) == (text is None):
        raise InvalidArguments("Give either `path` or `text`.")
    call.engine.require_keyword()
    corpus = await call.engine.mention_index.corpus()
    return await asyncio.to_thread(build_suggestions, call.engine, corpus, path, text, lines, strictness, limit)


def build_suggestions(
    engine: "VaultEngine",
    corpus: "Corpus",
    path: VaultPath | None,
    text: str | None,
    lines: Lines | None,
    strictness: "Strictness",
    limit: int,
) -> LinkSuggestions:
    """Read the text and suggest."""
    from bridge.linking.evidence import FeedbackModel
    from bridge.linking.suggest import suggest
    from bridge.markdown.parse import parse

    note = parse(VaultPath(""), (text or "").encode("utf-8", "replace")) if path is None else open_note(engine, path)
    start, end = span_of(note.text, *select_lines(note, None, lines)) if lines is not None else (0, len(note.text))
    stop = min(end, start + MAX_CHARACTERS)
    # Blanks in front keep every place where it is.
    source = replace(source_of(engine, note, stop), text=" " * start + note.text[start:stop], within=(start, stop))
    found = suggest(source, corpus, LinkContext(engine, path, FeedbackModel(engine.store.verdicts())), strictness)[
        :limit
    ]
    cut = f"Only {MAX_CHARACTERS:,} characters were looked at, up to line {line_at(note.text, stop)}; give `lines`."
    return LinkSuggestions(
        tuple(describe_suggestion(note.text, one) for one in found),
        note.digest if path is not None else "",
        (cut,) if stop < end else (),
    )


def describe_suggestion(text: str, found: "Suggestion") -> LinkSuggestion:
    """Put a suggestion into its wire form."""
    start, end = found.span
    lines = (line_at(text, start), line_at(text, end - 1))
    return LinkSuggestion(found.target, found.text, lines, found.span, round(found.score, 3), found.why)


@dataclass(frozen=True, slots=True)
class LinkJudged:
    """What was said so far to the links that were suggested.

    Attributes:
        accepted: Acceptances of links to this note.
        declined: Refusals of links to this note.
        rate: The share of all suggestions of the vault that were accepted; null before the first.
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
    text: Annotated[str, MaxLen(200)],
    verdict: Literal["accept", "decline", "revive"],
) -> LinkJudged:
    """Tell what became of a suggested link, so that the next suggestions are better.

    Args:
        path: The note that the link stands in, or would.
        target: The note that it leads to.
        text: The words that were suggested, as the suggestion gave them.
        verdict: `accept` when it was made a link, `decline` when it shall not be suggested there again, `revive` to
            suggest what was declined again.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
    """
    from bridge.linking.evidence import FeedbackModel
    from bridge.state.link_feedback import LinkFeedback
    from bridge.text.fold import fold

    call.engine.require_keyword()
    for note in (path, target):
        if note not in call.engine.index.notes:
            raise no_such_note(call.engine, note)
    store = call.engine.store
    if verdict == "revive":
        await asyncio.to_thread(store.revive, target, path)
    else:
        accepted = verdict == "accept"
        said = LinkFeedback(path, target, fold(text).strip(), int(accepted), int(not accepted))
        await asyncio.to_thread(store.decide, said)
        if accepted:
            # The link may be there already; once seen, taking it out is a verdict too.
            links = call.engine.index.notes[path].links
            there = any(call.engine.names.resolve(link.target, path, link.kind).path == target for link in links)
            await asyncio.to_thread(store.follow_links, path, {target} if there else (), lambda _: False)
    verdicts = await asyncio.to_thread(store.verdicts)
    everything = FeedbackModel(verdicts).all
    here = FeedbackModel(one for one in verdicts if one.target == target).all
    count = everything.accepted + everything.declined
    return LinkJudged(here.accepted, here.declined, round(everything.accepted / count, 3) if count else None)
