"""Calls of a chat model, as they are described, written and read."""

import json

import pytest

from bridge.answers.tool_calls import LOOKUP_TOOLS, ToolCall, describe_calls, parse_call, write_call


def test_what_is_described_can_be_read() -> None:
    found = [parse_call(line) for line in describe_calls().split("\n")]
    assert [one.tool for one in found if one] == [tool.name for tool in LOOKUP_TOOLS]


def test_a_call_is_read_as_it_was_written() -> None:
    call = ToolCall("read_note", {"path": 'The "rye" note.md', "section": "Übung"})
    assert parse_call(write_call(call)) == call


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Rye needs a starter [1].",
        '{"tool": "search", "arguments": {"query": "rye"}} [1]',
        '{"tool": "search", "arguments": {"query": "rye"',
        '{"tool": "search", "arguments": {}}',
        '{"tool": "search", "arguments": {"query": "  "}}',
        '{"tool": "search", "arguments": {"query": 3}}',
        '{"tool": "search", "arguments": {"query": "rye", "deny": "no"}}',
        '{"tool": "delete_note", "arguments": {"path": "Rye.md"}}',
        '{"tool": "search", "arguments": "rye"}',
        '["search"]',
    ],
)
def test_other_text_is_no_call(text: str) -> None:
    assert parse_call(text) is None


def test_only_operations_that_read_are_offered() -> None:
    from bridge.api.registry import get_operation

    for tool in LOOKUP_TOOLS:
        operation = get_operation(tool.name)
        assert operation.reads
        assert operation.scope == "read"
        assert {*tool.required, *tool.optional} <= {"tag", *(one.name for one in operation.arguments)}
    assert json.loads(describe_calls().split("\n")[0])["tool"] == "search"
