"""Tools and prompts under the names that the suite calls; a function's docstring is its description."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    PromptArgument,
    Tool,
)

Context = ServerRequestContext[Any, Any]
ToolAnswer = CallToolResult | InputRequiredResult
PromptAnswer = GetPromptResult | InputRequiredResult
RunTool = Callable[[Context, CallToolRequestParams], Awaitable[ToolAnswer]]
FillPrompt = Callable[[Context, GetPromptRequestParams], Awaitable[PromptAnswer]]

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Pack:
    """The registered tools and prompts, by name."""

    tools: dict[str, tuple[Tool, RunTool]]
    prompts: dict[str, tuple[Prompt, FillPrompt]]

    def tool(self, name: str, schema: dict[str, Any] = NOTHING) -> Callable[[RunTool], RunTool]:
        """Register a function as a tool."""

        def offer(run: RunTool) -> RunTool:
            self.tools[name] = (Tool(name=name, description=run.__doc__, input_schema=schema), run)
            return run

        return offer

    def prompt(self, name: str, *arguments: str) -> Callable[[FillPrompt], FillPrompt]:
        """Register a function as a prompt with these arguments, all required."""

        def offer(fill: FillPrompt) -> FillPrompt:
            needed = [PromptArgument(name=argument, required=True) for argument in arguments]
            self.prompts[name] = (Prompt(name=name, description=fill.__doc__, arguments=needed), fill)
            return fill

        return offer


PACK = Pack({}, {})


def taking(name: str, **more: Any) -> dict[str, Any]:
    """Return the schema of one required text argument."""
    return {"type": "object", "properties": {name: {"type": "string", **more}}, "required": [name]}
