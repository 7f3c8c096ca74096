"""What a model reads of topics: each suggestion with its reasons, each finding with what would be done."""

import json
from typing import Any

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from bridge.features.topics.findings import FINDING_KINDS
from bridge.mcp.text import format_result
from tests.features.served import Served
from tests.features.test_topics import NOTES, remove, use

__all__ = ["NOTES"]


async def told(served: Served, operation: str, **arguments: Any) -> list[str]:
    result = await get_operation(operation).run(Call(served.bridge, OWNER), arguments)
    return format_result(result, quotes=False).splitlines()


async def test_without_a_topic_folder_it_is_said_how_to_make_one(served: Served) -> None:
    await remove(served, "Ontology/Instructions.md")
    for operation, arguments in (
        ("list_topics", {}),
        ("list_topics", {"path": "Other.md"}),
        ("list_topics", {"problems": FINDING_KINDS}),
    ):
        (line,) = await told(served, operation, **arguments)
        assert "`set_up_topics` makes one" in line


async def test_topics_are_told_with_what_they_mean(served: Served) -> None:
    await use(served, folder="Ontology")
    assert (await told(served, "list_topics"))[:3] == [
        "6 topics in Ontology",
        "Concepts (3): What the notes are about.",
        "Ontology/Concepts/Leavening.md · also raising agents · Concepts · 14 notes · How dough rises.",
    ]
    assert (await told(served, "list_topics", limit=1))[0] == "1 of 6 topics in Ontology"


async def test_suggestions_are_told_with_their_reasons(served: Served) -> None:
    await use(served, folder="Ontology")
    assert await told(served, "list_topics", path="Bread/New loaf.md") == [
        "Topics in the property topics: none",
        "Suggested, with a probability of 35% at least, learnt from 28 notes:",
        (
            "Ontology/Concepts/Leavening.md · 100% · text, near notes, in common · says “raising agents”"
            " · 12 near notes have it · most with Bread/ have it · [[Leavening]]"
        ),
    ]
    assert await told(served, "list_topics", path="Other.md") == [
        "Topics in the property topics: none",
        "No other topic is probable enough.",
    ]


async def test_findings_are_told_with_what_would_be_done(served: Served) -> None:
    await use(served, folder="Ontology")
    lines = await told(served, "list_topics", problems=FINDING_KINDS)
    assert lines[:4] == [
        "3 findings; give the edits of those to be done to change_set",
        (
            "Bread/Stray.md · its topic [[Loaf 1]] is a note outside the topic folder;"
            " its topic [[Nowhere]] is no note; the rules prefer Ontology/Concepts/Leavening.md to Sours"
        ),
        (
            '  {"path":"Bread/Stray.md","digest":"200853451f4a","properties":'
            '{"topics":["[[Loaf 1]]","[[Nowhere]]","[[Pruning]]","[[Leavening]]"]},"op":"set_properties"}'
        ),
        "Ontology/Concepts/Leavenings.md · no note has this topic, and nothing links to it",
    ]
    edits = [json.loads(line) for line in lines if line.startswith("  {")]
    assert (await served.call("change_set", edits=edits, dry_run=True)).status == 200
    assert await told(served, "list_topics", problems=["rare"]) == ["The topics are in order."]
