"""The prompt by which a chat model answers a question from numbered excerpts, and the grammar of its answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import toml

from bridge.features.external_tools.public import ExternalTool
from bridge.models.generator import Message
from bridge.records import Record
from bridge.text.budget import cut
from bridge.text.invisible import one_line
from bridge.text.stems import foreign_language, language_of
from bridge.types import Lines, VaultPath

OPENING = '{"tool"'
"""How a call begins; an answer that begins so is held back until it is known to be none."""

_MAX_STRING_CHARS = 200
_STRING_RULES = (
    f'string ::= "\\"" character{{1,{_MAX_STRING_CHARS}}} "\\""\n'
    'character ::= [^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]\n'
    'gap ::= " "?\n'
)

_MAX_DEPTH = 3
"""How deep lists and objects may stand in each other in the arguments of a tool of another program."""

_MAX_MEMBERS = 16
"""Maximum number of members of such a list or object."""

_MAX_DESCRIPTION_CHARS = 800
"""Maximum characters that a prompt has of what another program says of a tool, and of its arguments."""

_MAX_ALL_DESCRIPTION_CHARS = 4_000
"""Maximum characters of all of these together."""


class LookupTool(Record):
    """An operation that a chat model may call, with the arguments that it must and may give, which are all texts."""

    name: str
    activity: str
    """What the user is told meanwhile, before the arguments."""
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


LOOKUP_TOOLS = (
    LookupTool("search", "Searching for", ("query",)),
    LookupTool("read_note", "Reading", ("path",), ("section",)),
    LookupTool("find_notes", "Listing notes tagged", ("tag",)),
    LookupTool("list_tasks", "Listing tasks:", ("status",), ("text",)),
)
"""What may be called; each only reads."""


class ToolCall(Record):
    """A call that a chat model wrote; the arguments of the bridge's own tools are all texts."""

    tool: str
    arguments: Mapping[str, Any]

    def argument_texts(self) -> Mapping[str, str]:
        """Return the arguments as they are shown: those that are no texts as JSON."""
        return {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in self.arguments.items()
        }


def describe_calls() -> str:
    return "\n".join(
        write_call(ToolCall(tool.name, dict.fromkeys((*tool.required, *tool.optional), "…"))) for tool in LOOKUP_TOOLS
    )


def describe_external(tools: Sequence[ExternalTool]) -> str:
    """Return what a prompt shows of the tools of other programs: how each is called, and how it is described."""
    most = min(_MAX_DESCRIPTION_CHARS, _MAX_ALL_DESCRIPTION_CHARS // (2 * len(tools) or 1))
    return "\n".join(
        "\n".join(
            [
                f'{{"tool": "{tool.name}", "arguments": {{…}}}}',
                *(f"> {cut(one_line(words), most)}" for words in (tool.description, tool.arguments) if words),
            ]
        )
        for tool in tools
    )


def call_rules(external: Sequence[ExternalTool] = ()) -> str:
    calls = " | ".join([*map(_rule_name, LOOKUP_TOOLS), *(f"call-external-{place}" for place in range(len(external)))])
    rules = "\n".join([*map(_call_rule, LOOKUP_TOOLS), *_external_rules(external)])
    return f"call ::= {calls}\n{rules}\n{_STRING_RULES}"


def parse_call(text: str, external: Sequence[ExternalTool] = ()) -> ToolCall | None:
    """Return the call that a chat model wrote; None if the text is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.keys() != {"tool", "arguments"} or not isinstance(found["arguments"], dict):
        return None
    arguments = found["arguments"]
    if any(one.name == found["tool"] for one in external):
        return ToolCall(found["tool"], arguments)
    tool = next((one for one in LOOKUP_TOOLS if one.name == found["tool"]), None)
    if tool is None or not set(tool.required) <= arguments.keys() <= {*tool.required, *tool.optional}:
        return None
    if not all(isinstance(value, str) and value.strip() for value in arguments.values()):
        return None
    return ToolCall(tool.name, {name: value.strip() for name, value in arguments.items()})


def describe_activity(call: ToolCall) -> str:
    """Return what the user is told while a call runs."""
    activity = next((tool.activity for tool in LOOKUP_TOOLS if tool.name == call.tool), f"Calling {call.tool}:")
    return f"{activity} {one_line(', '.join(call.argument_texts().values()))}"


def write_call(call: ToolCall) -> str:
    return json.dumps({"tool": call.tool, "arguments": dict(call.arguments)}, ensure_ascii=False)


def _rule_name(tool: LookupTool) -> str:
    return f"call-{tool.name.replace('_', '-')}"


def _call_rule(tool: LookupTool) -> str:
    arguments = "".join(_argument_rules(tool))
    return (
        f'{_rule_name(tool)} ::= "{{\\"tool\\":" gap "\\"{tool.name}\\"," gap "\\"arguments\\":" gap'
        f' "{{"{arguments} "}}" gap "}}"'
    )


def _argument_rules(tool: LookupTool) -> Iterator[str]:
    for place, name in enumerate((*tool.required, *tool.optional)):
        comma = '"," gap ' if place else ""
        rule = f'{comma}"\\"{name}\\":" gap string'
        yield f" ({rule})?" if name in tool.optional else f" {rule}"


def _external_rules(external: Sequence[ExternalTool]) -> Iterator[str]:
    """Yield the rules of the tools of other programs, whose arguments are any objects: schemas are only described."""
    for place, tool in enumerate(external):
        yield (
            f'call-external-{place} ::= "{{\\"tool\\":" gap "\\"{tool.name}\\"," gap "\\"arguments\\":" gap'
            f' object-{_MAX_DEPTH} gap "}}"'
        )
    if not external:
        return
    yield 'any-text ::= "\\"\\"" | string'
    yield 'scalar ::= any-text | "-"? [0-9]{1,15} ("." [0-9]{1,15})? | "true" | "false" | "null"'
    for depth in range(1, _MAX_DEPTH + 1):
        inner = f"scalar | object-{depth - 1} | list-{depth - 1}" if depth > 1 else "scalar"
        yield f"value-{depth} ::= {inner}"
        yield f'member-{depth} ::= string ":" gap value-{depth}'
        yield f'object-{depth} ::= "{{" (member-{depth} ("," gap member-{depth}){{0,{_MAX_MEMBERS - 1}}})? "}}"'
        yield f'list-{depth} ::= "[" (value-{depth} ("," gap value-{depth}){{0,{_MAX_MEMBERS - 1}}})? "]"'


MAX_SENTENCES = 6
"""Maximum number of sentences of an answer."""

_MIN_SCRIPT_SHARE = 0.2
"""Share of a text's characters from which it counts as written in a script."""


class Source(Record):
    """A numbered excerpt of a note, or what a tool of another program (`server__tool`) answered, which has no path."""

    number: int
    path: VaultPath
    heading: str
    lines: Lines
    text: str
    tool: str = ""


class Turn(Record):
    """A question of the same conversation, and its answer.

    Attributes:
        question: What was asked.
        answer: What was answered.
    """

    question: str
    answer: str


class _Phrases(Record):
    """What a model is told in one language."""

    rules: str
    notes: str
    absent: str
    calls: str
    tools: str
    """Said before the tools of other programs."""
    foreign: str
    """Said of a text by another program."""
    summary: str
    focus: str


@cache
def _phrases() -> Mapping[str, _Phrases]:
    return toml.decode(Path(__file__).with_name("prompts.toml").read_bytes(), type=dict[str, _Phrases])


def write_prompt(
    question: str,
    sources: Sequence[Source],
    history: Sequence[Turn] = (),
    *,
    calls: bool = False,
    external: Sequence[ExternalTool] = (),
) -> list[Message]:
    """Return the messages that ask a model; the excerpts come first, so that a later question reads them again fast."""
    phrases = _phrases_for(question)
    rules = phrases.rules.format(absent=phrases.absent)
    if calls:
        rules = f"{rules}\n\n{phrases.calls}\n{describe_calls()}"
    if calls and external:
        rules = f"{rules}\n\n{phrases.tools}\n{describe_external(external)}"
    messages = [Message("system", f"{rules}\n\n{phrases.notes}:\n\n{number_excerpts(sources)}")]
    for turn in history:
        messages += [Message("user", turn.question), Message("assistant", turn.answer)]
    return [*messages, Message("user", question)]


def write_result(question: str, sources: Sequence[Source]) -> Message:
    """Return the message that answers a call of a model."""
    phrases = _phrases_for(question)
    shown = number_excerpts(sources, phrases.foreign)
    return Message("tool", f"{phrases.notes}:\n\n{shown}" if sources else phrases.absent)


def answer_grammar(
    question: str, numbers: Sequence[int], *, calls: bool = False, external: Sequence[ExternalTool] = ()
) -> str:
    """Return the grammar of an answer, in GBNF: sentences that each cite one of these numbers, or that none is."""
    root = f'root ::= "{_phrases_for(question).absent}"'
    rules = ""
    if numbers:
        root, rules = f"{root} | sentence{{1,{MAX_SENTENCES}}}", sentence_rules(numbers)
    return f"{root} | call\n{rules}{call_rules(external)}" if calls else f"{root}\n{rules}"


def is_absent(answer: str) -> bool:
    """Return whether an answer only says that the notes do not answer the question."""
    return answer.strip() in {phrases.absent for phrases in _phrases().values()}


def number_excerpts(sources: Sequence[Source], foreign: str = "") -> str:
    """Return excerpts as a prompt shows them: each below its number, its note and its heading."""

    def number(one: Source) -> str:
        if one.tool:
            return "\n> ".join([f"[{one.number}] {one.tool}, {foreign}:", *one.text.splitlines()])
        heading = f" > {one_line(one.heading)}" if one.heading else ""
        return f"[{one.number}] {one_line(one.path)}{heading}\n{one.text}"

    return "\n\n".join(map(number, sources))


def sentence_rules(numbers: Sequence[int]) -> str:
    """Return the rule `sentence` of a grammar in GBNF: a sentence that cites one to three of these numbers."""
    cited = " | ".join(f'"{number}"' for number in numbers)
    return (
        "sentence ::= text citation{1,3} end\n"
        "text ::= [^<>{\\n\\x5B\\x5D] [^<>\\n\\x5B\\x5D]*\n"
        'citation ::= "[" number "]"\n'
        f"number ::= {cited}\n"
        "end ::= [.!?\u3002\uff01\uff1f]? [ \\n]?\n"
    )


def prompt_language(text: str) -> str:
    """Return the language in which a model is told what to do with a text: its own, or English."""
    if _share(text, "\u3040", "\u30ff") > _MIN_SCRIPT_SHARE / 2:
        return "japanese"
    if _share(text, "\u4e00", "\u9fff") > _MIN_SCRIPT_SHARE and not _share(text, "\uac00", "\ud7af"):
        return "chinese"
    if _share(text, "\u0400", "\u04ff") > _MIN_SCRIPT_SHARE:
        return "russian"
    return foreign_language(text) or language_of(text) or "english"


def _share(text: str, first: str, last: str) -> float:
    return sum(first <= letter <= last for letter in text) / (len(text) or 1)


def _phrases_for(question: str) -> _Phrases:
    return _phrases().get(prompt_language(question), _phrases()["english"])


_SAMPLE_CHARS = 2_000
"""Characters of the excerpts from which their language is told."""


def write_summary_prompt(sources: Sequence[Source], most: int, focus: str = "") -> list[Message]:
    """Return the messages that ask a model for a summary, in the language of the excerpts."""
    sample = " ".join(one.text for one in sources)[:_SAMPLE_CHARS]
    phrases = _phrases_for(sample)
    told = phrases.summary.format(most=most) + (f"\n{phrases.focus.format(focus=focus)}" if focus else "")
    return [Message("system", told), Message("user", number_excerpts(sources))]


def summary_grammar(numbers: Sequence[int], most: int) -> str:
    """Return the grammar of a summary, in GBNF: sentences that each cite one of these numbers."""
    return f"root ::= sentence{{1,{most}}}\n{sentence_rules(numbers)}"
