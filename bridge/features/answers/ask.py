"""Answering questions from the vault's notes."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from bridge.api import markup
from bridge.api.call import Call, StreamEvent
from bridge.api.hints import Folder, WritingMode
from bridge.api.markup import Element, Line, aside, path_of
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.answers.extract import join_quotes, quote_sources, quoted_sentences
from bridge.features.answers.lookup import choose_servers, offer_tools
from bridge.features.answers.prompt import Source, Turn, is_absent
from bridge.features.answers.question_kind import name_asked
from bridge.features.answers.questions import answerability_notice, keep_question
from bridge.features.answers.records import AnswerExcerpt, AnswerSentence, AnswerSettings, AnswerStep, VaultAnswer
from bridge.features.answers.sources import (
    FoundSources,
    Places,
    add_subject,
    find_sources,
    locate_folders,
    parse_mentions,
)
from bridge.features.answers.write import (
    CUTS,
    AnswerTask,
    WrittenAnswer,
    check_answer,
    choose_generator,
    steps_for,
    write_answer,
)
from bridge.features.injections.public import publish_injection, record_injection
from bridge.search.answerability import MIN_TERMS
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.counts import count_of
from bridge.text.days import add_years
from bridge.text.invisible import inline
from bridge.text.words import RUN
from bridge.types import Among, NoteOrFolder

Question = Annotated[str, Meta(max_length=2_000)]
Budget = Annotated[int, Meta(ge=100, le=32_000)]
Steps = Annotated[int, Meta(ge=0, le=8)]
Tools = Annotated[tuple[Annotated[str, Meta(max_length=170)], ...], Meta(max_length=20)]

EXTRACT_BUDGET = 3_000
"""Tokens of the excerpts from which sentences are quoted when no chat model reads them."""

NO_ANSWER = "No note answers this."

ANSWER_NOTICE = "The notes answer this, as far as can be told:"
DOUBTFUL_ANSWER = "The notes may answer this."
STREWN = "The notes may answer this, but no quoted line says all that is asked."
NAMED_ONLY_NOTICE = "The question names what is read; whether that answers it is not judged."
INDEXING_NOTICE = "Whether the notes answer this cannot be told yet: most are still being read."

NO_SENTENCE = "No sentence answers this. The closest note is *{}*; its properties, code or formulas may."

NO_MODEL = "`{}` counts only with a chat model, and none answered."
AGENTS_LEFT_OUT = 'The agents\' notes were not asked; `@"{}/"` in a question asks them.'
NO_TOOLS = "The chat model cannot look further: its template knows no tools."
WITHHELD = "What the chat model wrote is withheld: the cited notes do not say {} of its {}."
FOREIGN_NOTICE = "The chat model read text of other programs, which may be wrong or meant to mislead."


# Long: an answer keeps what was found before a step that fails, and each step adds to it.
@operation(
    example={"question": "How often is a sourdough starter fed?"},
    tasks=(
        "answer a question from the notes",
        "what do my notes say about this, with citations",
        "ask the vault a question",
        "a grounded answer with sources",
    ),
    streams=True,
    open_world=True,
)
async def ask(
    call: Call,
    question: Question,
    history: Annotated[tuple[Turn, ...], Meta(max_length=20)] = (),
    paths: tuple[NoteOrFolder, ...] = (),
    folder: Folder | None = None,
    without: tuple[NoteOrFolder, ...] = (),
    mode: WritingMode = "auto",
    budget: Budget | None = None,
    max_steps: Steps | None = None,
    among: Among | None = None,
    tools: Tools = (),
    agreed: bool = False,
) -> VaultAnswer:
    """Answer a question from the notes, with citations; sentences that the cited notes do not support are marked.

    Without a chat model, the answer is quoted from notes; with one, the quotes come first, then the written answer.
    Where the vault seems not to answer a question, there is none, and the closest note is named.

    Args:
        question: The question; `@[[Note]]` and `@[[Note#Heading]]` in it are read in any case, and `@Folder/` alone is
            searched. If none of these exists or has text, no other note answers.
        history: Earlier questions of the conversation with their answers, the oldest first; a question such as `And how
            long does it keep?` is searched with the words of the one before.
        paths: Only these notes, or those in these folders.
        folder: Only notes under this folder.
        without: Not these notes, or those in these folders.
        mode: `extract` takes sentences of notes; `chat` lets a chat model write or fails; `auto` extracts if none can.
        budget: Maximum tokens of the excerpts; by default a share of what the chat model reads.
        max_steps: How often the chat model may look further before it answers: search, read a note, find notes by tag,
            list tasks. By default 4 for a model of 3 billion parameters or more or with `tools`, else 0.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
        tools: Tools of the user's MCP servers that the chat model may call: `server__tool`, or `server__*` for all of a
            server; needs the scope `write`.
        agreed: Whether the user agreed to these calls.

    Raises:
        InvalidArguments: The question is empty, or there is no such tool.
        Forbidden: `tools` without that scope, in the preset `read-only`, or not allowed by the user.
        SettingsUnreadable: The list of servers has a mistake.
        ModelMissing: The mode is `chat` and no chat model is installed.
        ModelUnusable: The mode is `chat` and the model cannot be used.
        Busy: The mode is `chat` and others wait for the model.
    """
    call.vault.require_keyword()
    asked = parse_mentions(question)
    if not asked.text:
        raise InvalidArguments("There is no question.", hint="Give `question`, such as `How is a starter fed?`.")
    servers = await choose_servers(call, tools)
    generator, trouble = await choose_generator(call, mode)
    room = budget or _default_budget(call, has_model=generator is not None)
    folders, missing = locate_folders(call, asked.folders)
    paths = (*paths, *folders)
    names = call.vault.index.view("all").notes
    searched = replace(asked, text=await asyncio.to_thread(add_years, add_subject(asked.text, history), names))
    places = Places(paths, folder, without, choose_among(call.vault, among, (folder, *paths), asked.text))
    found = await find_sources(call, searched, places, room, missing)
    quoted = await quote_sources(call.vault.sources(), searched.text, found)
    found = replace(found, sources=quoted.sources, answerability=quoted.answerability)
    context, quotes = _list_excerpts(found.sources), quoted.citations
    is_absent_from_vault = found.answerability is not None and found.answerability.verdict == "not_in_vault"
    verdict = found.unread or _answer_notice(searched.text, found, is_quoted=bool(quotes))
    answer = VaultAnswer(
        "" if is_absent_from_vault else join_quotes(quotes),
        found.answerability,
        "extract",
        () if is_absent_from_vault else quoted_sentences(quotes),
        quotes,
        context,
        (*verdict, *quoted.notices, *found.notices, *trouble),
    )
    keep_question(call, asked.text, found.answerability)
    await _record_excerpts(call, context)
    if (is_absent_from_vault or not (quotes or found.unread)) and places.among == "notes" and call.vault.is_set_up:
        left_out = AGENTS_LEFT_OUT.format(call.vault.settings.agents_folder)
        answer = replace(answer, notices=(*answer.notices, left_out))
    if generator is None and (max_steps or tools):
        no_model = NO_MODEL.format("max_steps" if max_steps else "tools")
        answer = replace(answer, notices=(*answer.notices, no_model))
    is_answerable = bool(found.sources) and not is_absent_from_vault
    if generator is None or not (is_answerable or servers):
        return answer
    call.say(StreamEvent("quotes", answer))
    steps: list[AnswerStep] = []
    try:
        traits = await generator.traits()
        most_steps = steps_for(traits, max_steps, external=bool(tools))
        external = await offer_tools(call, servers if most_steps else (), agreed=agreed)
        no_tools = (NO_TOOLS,) if (max_steps or tools) and not traits.knows_tools else ()
        answer = replace(answer, notices=(*answer.notices, *external.notices, *no_tools))
        if not (is_answerable or external.tools):
            return answer
        task = AnswerTask(
            asked.text,
            history,
            places,
            room,
            call.vault.settings.section(AnswerSettings).answer_tokens,
            most_steps,
            traits.window,
            external,
        )
        written = await write_answer(call, generator, task, found, steps)
    except BridgeError as trouble:
        if mode == "chat" or isinstance(trouble, InvalidArguments):
            raise
        made = tuple(replace(step, excerpts=()) for step in steps)
        return replace(answer, notices=(*answer.notices, f"{trouble.message} {trouble.hint}"), steps=made)
    await _record_excerpts(call, [one for one in _list_excerpts(written.sources) if one not in context])
    composed = await asyncio.to_thread(_compose, answer, written)
    external_numbers = {one.number for one in written.sources if one.tool}
    if is_answerable or any(external_numbers.intersection(one.cites) for one in composed.sentences):
        return composed
    # Neither the vault nor another program answers it.
    return replace(answer, context=composed.context, steps=composed.steps)


def _answer_notice(question: str, found: FoundSources, *, is_quoted: bool) -> tuple[str, ...]:
    """Return the verdict on what is quoted as a line; none where it answers the question."""
    judged = found.answerability
    if not is_quoted and (judged is None or judged.verdict != "not_in_vault"):
        return (NO_SENTENCE.format(inline(found.closest)) if found.closest else NO_ANSWER,)
    if judged is None:
        return (NAMED_ONLY_NOTICE if found.named else INDEXING_NOTICE,)
    if judged.verdict == "answered":
        return ()
    # Of scripts without spaces, no line says all pairs of characters.
    is_told = len(found.asked) < MIN_TERMS or any(RUN.fullmatch(term) for term in found.asked)
    unsure = DOUBTFUL_ANSWER if is_told else STREWN
    return (answerability_notice(judged, found.closest, "quoted lines", name_asked(question)) or unsure,)


def _default_budget(call: Call, *, has_model: bool) -> int:
    settings = call.vault.settings
    if not has_model:
        return EXTRACT_BUDGET
    return max(100, settings.chat_window * settings.section(AnswerSettings).context_percent // 100)


def _list_excerpts(sources: Sequence[Source]) -> tuple[AnswerExcerpt, ...]:
    return tuple(
        AnswerExcerpt(one.number, one.path, one.heading, one.lines, estimate_tokens(one.text), one.tool)
        for one in sources
    )


async def _record_excerpts(call: Call, context: Sequence[AnswerExcerpt]) -> None:
    brought_in = [InjectedNote(one.path, ("answers a question",), one.tokens) for one in context if not one.tool]
    await asyncio.to_thread(record_injection, call, "ask", brought_in)
    publish_injection(call)


def _compose(quoted: VaultAnswer, written: WrittenAnswer) -> VaultAnswer:
    text, end = written.written.text, written.written.end
    notices = list(quoted.notices)
    if any(one.tool for one in written.sources):
        notices.append(FOREIGN_NOTICE)
    answer = replace(
        quoted,
        context=_list_excerpts(written.sources),
        notices=tuple(notices),
        tokens_read=written.written.tokens_in,
        tokens_written=written.written.tokens_out,
        steps=written.steps,
    )
    if is_absent(text):
        return replace(answer, answer=text, mode_used="chat", sentences=())
    sentences, citations = check_answer(written)
    count = sum(not one.supported for one in sentences)
    if 2 * count > len(sentences):
        withheld = WITHHELD.format(count, count_of(len(sentences), "sentence"))
        late = (CUTS[end],) if end == "time" else ()
        return replace(answer, notices=(*notices, *late, withheld), withheld=text)
    if end in CUTS:
        answer = replace(answer, notices=(*notices, CUTS[end]))
    if not sentences:
        return answer
    return replace(answer, answer=text, mode_used="chat", sentences=tuple(sentences), citations=tuple(citations))


def answer_view(answer: VaultAnswer) -> Iterable[Element]:
    is_quoted, judged, remarks = answer.mode_used == "extract", answer.answerability, answer.notices
    if not (is_quoted or answer.sentences):
        yield answer.answer
    elif judged is not None and judged.verdict == "answered" and answer.citations:
        yield ANSWER_NOTICE
    else:
        # The verdict is the first.
        yield remarks[0]
        remarks = remarks[1:]
    if not is_quoted:
        yield " ".join(map(_mark_sentence, answer.sentences))
    for number, one in enumerate(answer.citations, 1):
        first, last = one.lines
        place = f":{first}" if first == last else f":{first}-{last}"
        said_by = f"{one.tool}, another program" if one.tool else path_of(one.path, place)
        yield Line(f"[{number if is_quoted else one.number}] {one.quote} · ", said_by)
    yield from markup.notices(remarks)
    if answer.withheld:
        yield markup.notice(aside("`--json` shows it."))
    for step in answer.steps:
        asked = ", ".join(step.arguments.values())
        found = step.error or count_of(len(step.excerpts), "excerpt")
        yield Line(f"{step.tool} {asked}: {found}")


def _mark_sentence(sentence: AnswerSentence) -> str:
    mark = "" if sentence.supported else " (not in these notes)"
    return "".join([inline(sentence.text), *(f" [{number}]" for number in sentence.cites), mark])
