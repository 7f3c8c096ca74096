"""Compares a task with the tools of the user's servers, by what these programs say of them."""

import asyncio
import re

from bridge.api.call import Call
from bridge.api.external_tools import running_tools
from bridge.features.tools.likeness import ENOUGH, rank
from bridge.mcp_client.reply import ExternalTool
from bridge.records import dataclass

WORD_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")
"""Where the name of a tool, such as `getForecast`, has another word."""


async def rank_external(call: Call, task: str) -> list[tuple[float, ExternalTool]]:
    """Return the tools of running servers that may do a task, with their likeness, the likeliest first."""
    tools = [_Candidate.of(tool) for tool in await running_tools(call)]
    # By themselves: their words must not change how telling those of the bridge's own tools are.
    ranked = await asyncio.to_thread(rank, task, tools) if tools else []
    return [(likeness, one.tool) for likeness, one in ranked if likeness >= ENOUGH]


@dataclass(frozen=True, slots=True)
class _Candidate:
    tool: ExternalTool
    name: str
    title: str
    summary: str
    tasks: tuple[str, ...]
    reads: bool

    @classmethod
    def of(cls, tool: ExternalTool) -> "_Candidate":
        name = tool.tool
        return cls(tool, tool.name, name, tool.description, (WORD_BREAK.sub(" ", name),), reads=False)
