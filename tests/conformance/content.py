"""Tools and prompts that answer at once, and the resources."""

import json
import re
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from tests.conformance.pack import NOTHING, PACK, Context, taking

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

EVERY_KEYWORD: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
    "properties": {"address": {"$ref": "#/$defs/address"}, "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"required": ["address"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

RESOURCES = [
    Resource(uri="test://static-text", name="A text", mime_type="text/plain"),
    Resource(uri="test://static-binary", name="An image", mime_type="image/png"),
    Resource(uri="test://watched-resource", name="A text to subscribe to", mime_type="text/plain"),
]
TEMPLATE = ResourceTemplate(uri_template="test://template/{id}/data", name="A template", mime_type="application/json")


def text(words: str) -> TextContent:
    """Return a text block."""
    return TextContent(type="text", text=words)


def resource(uri: str, mime_type: str, words: str) -> EmbeddedResource:
    """Return an embedded resource."""
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=words))


IMAGE = ImageContent(type="image", data=PIXEL, mime_type="image/png")


def offer(name: str, *blocks: ContentBlock, is_error: bool = False, schema: dict[str, Any] = NOTHING) -> None:
    """Register a tool that always returns the same."""

    @PACK.tool(name, schema)
    async def answer(_: Context, __: CallToolRequestParams) -> CallToolResult:
        """Answer always the same."""
        return CallToolResult(content=list(blocks), is_error=is_error)


offer("test_simple_text", text("This is a simple text response for testing."))
offer("test_image_content", IMAGE)
offer("test_audio_content", AudioContent(type="audio", data=SILENCE, mime_type="audio/wav"))
offer(
    "test_embedded_resource",
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
)
offer(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    IMAGE,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)
offer("test_error_handling", text("This tool intentionally returns an error for testing"), is_error=True)
offer("json_schema_2020_12_tool", text("Its schema is what matters."), schema=EVERY_KEYWORD)
offer("test_x_mcp_header", text("Its header is what matters."), schema=taking("region", **{"x-mcp-header": "Region"}))


def asks(*blocks: ContentBlock) -> GetPromptResult:
    """Return a prompt of user messages."""
    return GetPromptResult(messages=[PromptMessage(role="user", content=block) for block in blocks])


@PACK.prompt("test_simple_prompt")
async def simple(_: Context, __: GetPromptRequestParams) -> GetPromptResult:
    """Ask something."""
    return asks(text("This is a simple prompt for testing."))


@PACK.prompt("test_prompt_with_arguments", "arg1", "arg2")
async def with_arguments(_: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """Ask something with two arguments in it."""
    given = params.arguments or {}
    return asks(text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))


@PACK.prompt("test_prompt_with_embedded_resource", "resourceUri")
async def with_resource(_: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """Ask something about a resource."""
    asked = resource((params.arguments or {})["resourceUri"], "text/plain", "Embedded resource content for testing.")
    return asks(asked, text("Please process the embedded resource above."))


@PACK.prompt("test_prompt_with_image")
async def with_image(_: Context, __: GetPromptRequestParams) -> GetPromptResult:
    """Ask something about an image."""
    return asks(IMAGE, text("Please analyze the image above."))


def contents(uri: str) -> TextResourceContents | BlobResourceContents:
    """Return a resource.

    Raises:
        MCPError: There is none at this address.
    """
    match uri:
        case "test://static-text":
            words = "This is the content of the static text resource."
            return TextResourceContents(uri=uri, mime_type="text/plain", text=words)
        case "test://static-binary":
            return BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
        case "test://watched-resource":
            return TextResourceContents(uri=uri, mime_type="text/plain", text="Watched resource content")
    found = re.fullmatch("test://template/([^/]+)/data", uri)
    if found is None:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": uri})
    data = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
    return TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))
