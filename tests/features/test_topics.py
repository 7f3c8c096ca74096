"""Topics of notes: the ontology is set up, listed, suggested from and checked, through a served bridge."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from bridge.access.tokens import Tokens
from bridge.api.call import OWNER, Call
from bridge.api.registry import get_operation
from bridge.settings.file import save_settings
from tests.features.served import Answer, Served, readable

LEAVEN = "Wild yeast raises the dough slowly, and the crumb keeps its sour taste for days after the baking."
PRUNE = "Cut the apple branches back to an outward bud in February, before the sap rises into the young wood."


def note(topics: str, text: str) -> str:
    return f"---\ntopics: [{topics}]\n---\n{text}\n"


NOTES = {
    "Ontology/Concepts/Concepts.md": "# Concepts\n\nWhat the notes are about. More of it.\n",
    "Ontology/Concepts/Leavening.md": "---\naliases: [raising agents]\n---\n# Leavening\n\nHow dough rises. Slowly.\n",
    "Ontology/Concepts/Pruning.md": "# Pruning\n\nCutting back what grows too far.\n",
    "Ontology/Concepts/Leavenings.md": "---\naliases: [Leavening]\n---\nThe same once more, as a copy of the other.\n",
    "Ontology/Entities/Ontology.md": "A topic that is named like a folder above it.\n",
    "Ontology/Entities/发酵.md": "发酵是微生物分解有机物的过程。面团因此变大。\n",
    "Ontology/Entities/Unused.md": "Nobody has this.\n",
    "Ontology/Entities/Left alone.md": "---\ngardener: ignore\n---\nNot a topic.\n",
    "Ontology/Instructions.md": "---\ntype: ontology\nnever: [Private/**]\nprefer: {Sours: Leavening}\n---\nRules.\n",
    **{f"Bread/Loaf {at}.md": note('"[[Leavening]]"', f"{LEAVEN} Loaf {at}.") for at in range(12)},
    **{f"Garden/Tree {at}.md": note('"[[Pruning]]"', f"{PRUNE} Tree {at}.") for at in range(12)},
    "Bread/New loaf.md": f"{LEAVEN} Of all raising agents this is the oldest.\n",
    "Private/Loaf.md": f"{LEAVEN} Of all raising agents this is the oldest.\n",
    "Bread/Chinese.md": note('"[[发酵]]"', "面团在温暖的地方发酵。"),
    "Bread/Chinese too.md": "把面粉和水混合,让面团在温暖的地方发酵一夜。\n",
    "Bread/Markdown.md": note('"[Leavening](../Ontology/Concepts/Leavening.md)"', "Linked the other way."),
    "Bread/Plain.md": note("leavening", "Named without a link."),
    "Bread/Stray.md": note('"[[Loaf 1]]", "[[Nowhere]]", Sours, "[[Pruning]]"', "Some of it is wrong."),
    "Other.md": "Nothing of the kind.\n",
}


def root(served: Served) -> Path:
    return served.bridge.find(None).root


def contents(served: Served) -> Mapping[str, bytes]:
    files = (path for path in root(served).rglob("*") if path.is_file())
    return {path.relative_to(root(served)).as_posix(): path.read_bytes() for path in files}


async def use(served: Served, **settings: Any) -> None:
    values = {f"topics.{name}": value for name, value in settings.items()}
    save_settings(served.bridge.settings_path, values)
    await served.bridge.reload()


async def found(served: Served, *kinds: str) -> list[dict[str, Any]]:
    answer = await served.call("validate_topics", kinds=list(kinds))
    assert answer.status == 200, answer.body
    findings: list[dict[str, Any]] = answer.json["findings"]
    return findings


async def test_topics_are_listed_with_kind_count_and_definition(served: Served) -> None:
    await use(served, ontology_folder="ontology")
    answer = (await served.call("list_topics")).json
    assert answer["folder"] == "Ontology"
    assert [(one["name"], one["kind"], one["notes"]) for one in answer["topics"]] == [
        ("Leavening", "Concepts", 14),
        ("Pruning", "Concepts", 13),
        ("发酵", "Entities", 1),
        ("Leavenings", "Concepts", 0),
        ("Ontology", "Entities", 0),
        ("Unused", "Entities", 0),
    ]
    assert answer["topics"][0]["definition"] == "How dough rises."
    assert answer["topics"][2]["definition"] == "发酵是微生物分解有机物的过程。"
    assert {one["kind"]: one["meaning"] for one in answer["kinds"]}["Concepts"] == "What the notes are about."
    some = (await served.call("list_topics", folder="Ontology/Entities", query="unus")).json
    assert [one["name"] for one in some["topics"]] == ["Unused"]
    assert (await served.call("list_topics", folder="Nothing")).code == "folder_not_found"


async def test_without_the_setting_there_are_no_topics(served: Served) -> None:
    for answer in (await served.call("list_topics"), await served.call("topics_of", path="Other.md")):
        assert "set_up_ontology" in answer.json["notices"][0]
    assert (await served.call("validate_topics")).json["total"] == 0


async def test_topics_are_suggested_with_reasons(served: Served) -> None:
    await use(served, ontology_folder="Ontology")
    answer = (await served.call("topics_of", path="Bread/New loaf.md")).json
    assert answer["learnt_from"] > 20
    first = answer["suggested"][0]
    assert first["path"] == "Ontology/Concepts/Leavening.md"
    assert {"text", "near notes"} <= set(first["why"])
    assert (first["said"], first["value"]) == ("raising agents", "[[Leavening]]")
    assert first["probability"] >= answer["least"] > 0
    assert all(one["name"] != "Pruning" for one in answer["suggested"])
    assert (await served.call("topics_of", path="Other.md")).json["suggested"] == []
    has = (await served.call("topics_of", path="Bread/Markdown.md")).json
    assert [one["name"] for one in has["current"]] == ["Leavening"]
    assert (await served.call("topics_of", path="Nowhere.md")).code == "note_not_found"
