"""Reaching the tools that an agent is not offered at once."""

import asyncio
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from annotated_types import Interval, MaxLen

from bridge.errors import InvalidArguments
from bridge.operations.arguments import VAULT
from bridge.operations.call import Call
from bridge.operations.hints import expected
from bridge.operations.likeness import likenesses
from bridge.operations.presets import DEFAULT, META, offered, tool_named
from bridge.operations.registry import Operation, operation
from bridge.operations.wire import encode
from bridge.types import Scope

if TYPE_CHECKING:
    from bridge.engine import VaultEngine

ENOUGH = 15
"""Judgements from which on it is told how often a tool was the right one."""


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """An argument of a tool.

    Attributes:
        name: Its name.
        takes: What it must be.
        meaning: What it does.
        required: Whether it has no default.
    """

    name: str
    takes: str
    meaning: str
    required: bool


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A tool that may do a task.

    Attributes:
        name: Its name, for `run_tool`.
        summary: What it does.
        arguments: What it takes.
        scope: What a token needs to run it.
        reads: Whether it changes nothing.
        accuracy: How often it was the right one, 0 to 1; null until enough was said about that.
        judged: How often somebody said whether it was the right one.
    """

    name: str
    summary: str
    arguments: tuple[ToolArgument, ...]
    scope: Scope
    reads: bool
    accuracy: float | None
    judged: int


@dataclass(frozen=True, slots=True)
class FoundTools:
    """Tools that may do a task, the likeliest first.

    Attributes:
        tools: The tools.
    """

    tools: tuple[FoundTool, ...]


@operation(example={"task": "is the index complete", "limit": 2}, vault=False)
async def find_tool(
    call: Call, task: Annotated[str, MaxLen(1_000)], limit: Annotated[int, Interval(ge=1, le=20)] = 5
) -> FoundTools:
    """Find tools beyond those listed, for a task told in a few words; `run_tool` runs them.

    Args:
        task: What is to be done.
        limit: Most tools to return.
    """
    if not task.strip():
        raise InvalidArguments("`task` is empty.")
    others = [
        tool
        for tool in offered("full").values()
        if tool.name not in {*DEFAULT, *META} and tool.scope in call.principal.scopes
    ]
    engine = at_hand(call)
    judged = engine.store.judged()
    likest = await likenesses(engine, task, [described(tool) for tool in others])
    ranked = sorted(zip(likest, others, strict=True), key=lambda pair: -pair[0])[:limit]
    return FoundTools(tuple(found(tool, *judged.get(tool.name, (0, 0))) for likeness, tool in ranked if likeness > 0))


def at_hand(call: Call) -> "VaultEngine":
    """Return the chosen vault, else the first: tools are the same in all."""
    return call.engine if call.vault is not None else next(iter(call.bridge.vaults.values()))


def described(tool: Operation) -> str:
    """Return the words that a task is compared with."""
    return " ".join((tool.summary, tool.details, *(argument.meaning for argument in tool.arguments)))


def found(tool: Operation, right: int, wrong: int) -> FoundTool:
    """Describe a tool that was found."""
    arguments = (ToolArgument(a.name, expected(a.hint), a.meaning, a.required) for a in tool.arguments)
    return FoundTool(
        tool.name, tool.summary, tuple(arguments), tool.scope, tool.reads, accuracy(right, wrong), right + wrong
    )


def accuracy(right: int, wrong: int) -> float | None:
    """Estimate how often a tool is the right one: the mean of a Beta distribution that began even."""
    judged = right + wrong
    return round((right + 1) / (judged + 2), 2) if judged >= ENOUGH else None


@dataclass(frozen=True, slots=True)
class RanTool:
    """What a tool answered.

    Attributes:
        name: The tool.
        result: Its answer, as if it had been called directly.
    """

    name: str
    result: Mapping[str, Any]


@operation(
    example={"name": "list_folders", "arguments": {}},
    reads=False,
    destructive=True,
    vault=False,
)
async def run_tool(call: Call, name: Annotated[str, MaxLen(100)], arguments: Mapping[str, Any] = {}) -> RanTool:
    """Run a tool that `find_tool` named, with the rights that the caller has.

    Args:
        name: The tool.
        arguments: Its arguments.

    Raises:
        NoSuchOperation: There is no such tool; the message names the nearest.
        Forbidden: The tool needs a scope that the caller lacks.
    """
    tool = tool_named(name)
    if name == "run_tool":
        raise InvalidArguments("`run_tool` does not run itself.", hint="Give the name of the tool that it shall run.")
    given = dict(arguments)
    vault = given.pop(VAULT, call.vault)
    if vault is not None and not isinstance(vault, str):
        raise InvalidArguments(f"`{VAULT}` must be the name or id of a vault.")
    result = await tool.run(dataclasses.replace(call, vault=vault), given)
    return RanTool(name, orjson.loads(encode(result)))


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is known of a tool now.

    Attributes:
        tool: The tool.
        accuracy: How often it was the right one, 0 to 1; null until enough was said about that.
        judged: How often somebody said whether it was the right one.
    """

    tool: str
    accuracy: float | None
    judged: int


@operation(example={"tool": "list_folders", "helped": True}, reads=False, vault=False)
async def give_feedback(call: Call, tool: Annotated[str, MaxLen(100)], helped: bool) -> Feedback:
    """Say whether a tool that `find_tool` named was the right one.

    Args:
        tool: The tool.
        helped: Whether it was.

    Raises:
        NoSuchOperation: There is no such tool; the message names the nearest.
    """
    name, store = tool_named(tool).name, at_hand(call).store
    await asyncio.to_thread(store.judge, name, helped)
    right, wrong = store.judged()[name]
    return Feedback(name, accuracy(right, wrong), right + wrong)
