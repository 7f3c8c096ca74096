"""Topics of notes: the topic folder is set up, listed, suggested from and checked, through a served bridge."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from bridge.access.tokens import Tokens
from bridge.api.call import OWNER, Call
from bridge.api.registry import get_operation
from bridge.features.topics.findings import FINDING_KINDS
from bridge.features.topics.topic_tree import TopicSettings
from bridge.settings.file import save_settings
from tests.features.served import Served, readable

LEAVEN = "Wild yeast raises the dough slowly, and the crumb keeps its sour taste for days after the baking."
PRUNE = "Cut the apple branches back to an outward bud in February, before the sap rises into the young wood."


def note(topics: str, text: str) -> str:
    return f"---\ntopics: [{topics}]\n---\n{text}\n"


NOTES = {
    "Ontology/Concepts/Concepts.md": "# Concepts\n\nWhat the notes are about. More of it.\n",
    "Ontology/Concepts/Leavening.md": "---\naliases: [raising agents]\n---\n# Leavening\n\nHow dough rises. Slowly.\n",
    "Ontology/Concepts/Pruning.md": "# Pruning\n\nCutting back what grows too far.\n",
    "Ontology/Concepts/Leavenings.md": "---\naliases: [Leavening]\ncreated: 2020-02-01\n---\nThe same, as a copy.\n",
    "Ontology/Entities/Ontology.md": "A topic that is named like a folder above it.\n",
    "Ontology/Entities/发酵.md": "发酵是微生物分解有机物的过程。面团因此变大。\n",
    "Ontology/Entities/Unused.md": "---\ncreated: 2020-02-01\n---\nNobody has this.\n",
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


async def write(served: Served, notes: Mapping[str, str]) -> None:
    for path, text in notes.items():
        (root(served) / path).write_text(text, "utf-8")
    await served.call("report_changes", changes=[{"kind": "upsert", "path": path} for path in notes])
    for path in notes:
        await served.call("wait_until_indexed", path=path, what="links")


async def remove(served: Served, *paths: str) -> None:
    for path in paths:
        (root(served) / path).unlink()
    await served.call("report_changes", changes=[{"kind": "delete", "path": path} for path in paths])
    for path in paths:
        await served.call("wait_until_indexed", path=path)
    await readable(served)


async def use(served: Served, **settings: Any) -> None:
    values = {f"topics.{name}": value for name, value in settings.items()}
    save_settings(served.bridge.settings_path, values)
    await served.bridge.reload()


async def found(served: Served, *kinds: str) -> list[dict[str, Any]]:
    findings: list[dict[str, Any]] = (await served.result("list_topics", problems=list(kinds)))["findings"]
    return findings


async def test_topics_are_listed_with_kind_count_and_definition(served: Served) -> None:
    await use(served, folder="ontology")
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


async def test_a_folder_is_found_by_its_rules_or_the_setting_and_without_both_there_are_no_topics(
    served: Served,
) -> None:
    assert (await served.call("list_topics")).json["folder"] == "Ontology"
    await remove(served, "Ontology/Instructions.md")
    for answer in (await served.call("list_topics"), await served.call("list_topics", path="Other.md")):
        assert "set_up_topics" in answer.json["notices"][0]
    assert (await served.call("list_topics", problems=FINDING_KINDS)).json["total"] == 0


async def test_topics_are_suggested_with_reasons(served: Served) -> None:
    await use(served, folder="Ontology")
    answer = (await served.call("list_topics", path="Bread/New loaf.md")).json["note"]
    assert answer["learnt_from"] > 20
    first = answer["suggested"][0]
    assert first["path"] == "Ontology/Concepts/Leavening.md"
    assert {"text", "near notes"} <= set(first["why"])
    assert (first["said"], first["value"]) == ("raising agents", "[[Leavening]]")
    assert first["probability"] >= answer["least"] > 0
    assert all(one["name"] != "Pruning" for one in answer["suggested"])
    assert (await served.call("list_topics", path="Other.md")).json["note"]["suggested"] == []
    has = (await served.call("list_topics", path="Bread/Markdown.md")).json
    assert [one["name"] for one in has["topics"]] == ["Leavening"]
    assert (await served.call("list_topics", path="Nowhere.md")).code == "note_not_found"


async def test_topics_with_a_chinese_name_are_found_in_text(served: Served) -> None:
    await use(served, folder="Ontology")
    note = (await served.call("list_topics", path="Bread/Chinese too.md")).json["note"]
    assert ("发酵", "[[发酵]]") in [(one["said"], one["value"]) for one in note["suggested"]]


async def test_values_are_written_as_the_property_has_them(served: Served) -> None:
    link = '"[Leavening](../Ontology/Concepts/Leavening.md)"'
    await write(served, {f"Bread/Loaf {at}.md": note(link, f"{LEAVEN} Loaf {at}.") for at in range(12)})
    await remove(served, *(f"Garden/Tree {at}.md" for at in range(6)))
    await use(served, folder="Ontology")
    answer = (await served.call("list_topics", path="Bread/New loaf.md")).json["note"]
    value = answer["suggested"][0]["value"]
    assert value == "[Leavening](Leavening.md)"
    digest = (await served.call("read_note", path="Bread/New loaf.md")).json["digest"]
    written = await served.call(
        "set_properties",
        path="Bread/New loaf.md",
        digest=digest,
        properties={answer["property"]: [*answer["values"], value]},
    )
    assert written.json["state"] == "applied"
    await readable(served)
    assert [one["name"] for one in (await served.call("list_topics", path="Bread/New loaf.md")).json["topics"]] == [
        "Leavening"
    ]


async def test_stray_values_are_found_and_mended(served: Served) -> None:
    await use(served, folder="Ontology")
    before = contents(served)
    (finding,) = await found(served, "values")
    assert finding["path"] == "Bread/Stray.md"
    assert [(one["value"], one["problem"], one.get("instead")) for one in finding["values"]] == [
        ("[[Loaf 1]]", "outside", None),
        ("[[Nowhere]]", "missing", None),
        ("Sours", "unwanted", "Ontology/Concepts/Leavening.md"),
    ]
    note = (await served.call("list_topics", path="Bread/Stray.md")).json["note"]
    assert note["strays"] == ["[[Loaf 1]]", "[[Nowhere]]", "Sours"]
    change = await served.call("change_set", edits=finding["edits"])
    assert change.json["state"] == "applied"
    await readable(served)
    # A link to a note that is not there stays: it may be written yet, or be hidden. So does a note where it is.
    (left,) = await found(served, "values")
    assert ([one["value"] for one in left["values"]], left["edits"]) == (["[[Loaf 1]]", "[[Nowhere]]"], [])
    names = [one["name"] for one in (await served.call("list_topics", path="Bread/Stray.md")).json["topics"]]
    assert names == ["Leavening", "Pruning"]
    await served.call("undo_change", change_id=change.json["change_id"])
    assert contents(served) == before


async def test_the_name_of_a_topic_may_say_in_brackets_which_it_is(served: Served) -> None:
    await use(served, folder="Ontology")
    hopper = {
        "Ontology/Entities/Grace Hopper (admiral).md": "Wrote a compiler.\n",
        "Garden/Grace Hopper.md": "Her own page, on which nothing else is written yet.\n",
        "Garden/Her day.md": note('"[[Grace Hopper (admiral)]]"', "She sailed."),
    }
    await write(served, hopper)
    suggested = (await served.call("list_topics", path="Garden/Grace Hopper.md")).json["note"]["suggested"]
    assert (suggested[0]["name"], "title" in suggested[0]["why"]) == ("Grace Hopper (admiral)", True)


async def test_a_value_that_leads_past_the_topic_of_its_name_is_led_to_it(served: Served) -> None:
    await use(served, folder="Ontology")
    await write(served, {"Garden/Pruning.md": "Another.\n", "Garden/Led.md": note('"[[Garden/Pruning]]"', "Led.")})
    one = next(one for one in await found(served, "values") if one["path"] == "Garden/Led.md")
    assert [(value["problem"], value["instead"]) for value in one["values"]] == [
        ("outside", "Ontology/Concepts/Pruning.md")
    ]
    assert one["edits"][0]["properties"] == {"topics": ["[[Ontology/Concepts/Pruning|Pruning]]"]}


async def test_alike_topics_are_merged_into_the_one_with_more_links(served: Served) -> None:
    await use(served, folder="Ontology")
    copies = {
        "Garden/Copy.md": note('"[[Leavenings]]"', "Has the copy."),
        "Garden/Copy too.md": note('"[L](../Ontology/Concepts/Leavenings.md)"', "See [[Leavenings#Top|it]]."),
    }
    await write(served, copies)
    before = contents(served)
    (finding,) = await found(served, "alike")
    assert (finding["path"], finding["topic"], finding["notes"]) == (
        "Ontology/Concepts/Leavenings.md",
        "Ontology/Concepts/Leavening.md",
        2,
    )
    assert "alias" in finding["why"]
    change = await served.result("change_set", edits=finding["edits"], expect={"links_broken": 0})
    await readable(served)
    for path in ("Garden/Copy.md", "Garden/Copy too.md"):
        assert [one["name"] for one in (await served.call("list_topics", path=path)).json["topics"]] == ["Leavening"]
    assert "Leavenings" not in (root(served) / "Garden/Copy.md").read_text("utf-8")
    await served.call("undo_change", change_id=change["change_id"])
    assert contents(served) == before
    await readable(served)
    await served.call("dismiss", kind="merge", paths=[finding["path"], finding["topic"]])
    assert await found(served, "alike") == []
    assert (await served.call("list_topics", problems=["alike"])).json["dismissed"] == 1


async def test_unused_topics_are_archived(served: Served) -> None:
    await use(served, folder="Ontology")
    before = contents(served)
    unused = {one["path"]: one["edits"] for one in await found(served, "orphan")}
    # `Ontology` is new.
    assert set(unused) == {"Ontology/Concepts/Leavenings.md", "Ontology/Entities/Unused.md"}
    change = await served.call("change_set", edits=unused["Ontology/Entities/Unused.md"])
    assert change.json["state"] == "applied"
    assert "Archive/Unused.md" in contents(served)
    await served.call("undo_change", change_id=change.json["change_id"])
    assert contents(served) == before
    await use(served, folder="Ontology", archive_folder="")
    assert {edit["op"] for one in await found(served, "orphan") for edit in one["edits"]} == {"delete_note"}
    await write(served, {"Garden/Loaf.md": "---\nkind: '[[Unused]]'\n---\nWhere this belongs is said by a link.\n"})
    assert [one["path"] for one in await found(served, "orphan")] == ["Ontology/Concepts/Leavenings.md"]


async def test_a_name_that_near_notes_link_to_becomes_a_topic(served: Served) -> None:
    text = (
        "The kettle whistles {0}. [[Gong Fu Cha]] is a way of making tea in small pots, said guest {0} of the evening."
    )
    await write(served, {f"Tea {at}.md": text.format(at) for at in range(4)})
    await use(served, folder="Ontology")
    before = contents(served)
    new = {one["path"]: one for one in await found(served, "new")}
    finding = new["Ontology/Gong Fu Cha.md"]
    assert finding["notes"] == 4
    assert "Gong Fu Cha is a way of making tea" in finding["edits"][0]["text"]
    change = await served.result("change_set", edits=finding["edits"], expect={"links_broken": 0})
    await readable(served)
    topics = (await served.call("list_topics", query="gong")).json["topics"]
    assert [(one["notes"], one["definition"]) for one in topics] == [
        (4, "Gong Fu Cha is a way of making tea in small pots, said guest 0 of the evening."),
    ]
    await served.call("undo_change", change_id=change["change_id"])
    assert contents(served) == before
    await readable(served)
    await served.call("dismiss", kind="prospect", name="Gong Fu Cha")
    assert "Ontology/Gong Fu Cha.md" not in {one["path"] for one in await found(served, "new")}


async def test_a_new_topic_stands_with_things_of_its_kind(served: Served) -> None:
    await write(served, {f"Guest {at}.md": f"Visit {at}: we read [[Kettle Songs]] together.\n" for at in range(3)})
    await write(served, {f"Brew {at}.md": f"Evening {at}: the second [[slow pour]] was better.\n" for at in range(3)})
    await write(served, {f"Shop {at}.md": f"{at} is paid in [[茶币]] by [[Leaf & Sons]].\n" for at in range(2)})
    await write(served, {"Shop 2.md": "Only [[茶币]] was taken.\n"})
    await write(served, {f"Sites {at}.md": f"# Sites {at}\n\n- [[Teapot Weekly]]\n- [[Leaf]]\n" for at in range(3)})
    await write(served, {f"2026-05-0{at}.md": "Drank with [[Aunt Mabel]] in the garden.\n" for at in range(1, 4)})
    await use(served, folder="Ontology")
    new = {one["path"]: one["notes"] for one in await found(served, "new")}
    # How a name is written tells, else the names beside it; what is only listed, or only of a day, is no topic.
    assert new == {
        "Ontology/Entities/Kettle Songs.md": 3,
        "Ontology/Concepts/slow pour.md": 3,
        "Ontology/Entities/茶币.md": 3,
    }


async def test_all_edits_fit_together_in_one_change(served: Served) -> None:
    text = (
        "The kettle whistles {0}. [[Gong Fu Cha]] is a way of making tea in small pots, said guest {0} of the evening."
    )
    await write(served, {f"Tea {at}.md": text.format(at) for at in range(4)})
    await write(served, {"Garden/Copy.md": note('"[[Leavenings]]", "[[Gone]]"', "Has the copy, and a stray topic.")})
    # A note that becomes a topic, and whose own topics are mended; one that links to it by its path gets a new one.
    await write(served, {"Tea 5.md": note('"[[Stray]]"', "It is of its own.")})
    await write(served, {"Tea 4.md": f"{text.format(4)} See [[Bread/Stray]].\n"})
    await use(served, folder="Ontology")
    before = contents(served)
    findings = (await served.call("list_topics", problems=FINDING_KINDS)).json["findings"]
    assert {one["kind"] for one in findings} == {"values", "new", "orphan", "alike"}
    edits = [edit for one in findings for edit in one["edits"]]
    change = await served.result("change_set", edits=edits, confirm=True)
    await readable(served)
    left = (await served.call("list_topics", problems=FINDING_KINDS)).json["findings"]
    assert {value["problem"] for one in left for value in one["values"]} == {"missing", "outside"}
    assert not any(one["edits"] for one in left)
    names = [one["name"] for one in (await served.call("list_topics", path="Garden/Copy.md")).json["topics"]]
    assert names == ["Leavening"]
    await served.call("undo_change", change_id=change["change_id"])
    assert contents(served) == before


async def test_denied_topics_are_never_shown(served: Served) -> None:
    await use(served, folder="Ontology")
    save_settings(served.bridge.settings_path, {"deny": ["Ontology/Concepts/Leaven*.md"]})
    await served.bridge.reload()
    await readable(served)
    answer = (await served.call("list_topics")).json
    assert (answer["total"], answer["kinds"][0]["topics"]) == (4, 1)
    said = [
        await served.call("list_topics", query="leavening"),
        await served.call("list_topics", path="Bread/New loaf.md"),
        await served.call("list_topics", problems=["alike", "orphan", "rare"]),
    ]
    assert all(b"Leavening" not in one.body for one in said)
    assert said[0].json["total"] == 0
    stray = {one["path"]: one["values"] for one in await found(served, "values")}
    assert [one["problem"] for one in stray["Bread/Loaf 1.md"]] == ["missing"]


async def test_the_topic_folder_is_found_after_it_was_renamed(served: Served) -> None:
    await use(served, folder="Ontology")
    assert (await served.call("move_note", path="Ontology", to="Begriffe", confirm=True)).status == 200
    await readable(served)
    answer = (await served.call("list_topics")).json
    assert (answer["folder"], answer["total"]) == ("Begriffe", 6)
    assert answer["topics"][0]["notes"] == 14


async def test_settings_of_an_earlier_version_are_adopted(served: Served) -> None:
    path = served.bridge.settings_path
    path.write_text('[topics]\nontology_folder = "Begriffe"\nfolder_meaning = "ontology"\n')
    path.chmod(0o600)
    await served.bridge.reload()
    assert served.bridge.find(None).settings.section(TopicSettings) == TopicSettings(folder="Begriffe")
    assert path.read_text() == '[topics]\nfolder = "Begriffe"\nfolder_meaning = "topics"\n'
    both = '[topics]\nontology_folder = "Begriffe"\nfolder = "Topics"\n'
    path.write_text(both)
    await served.bridge.reload()
    assert served.bridge.find(None).settings.section(TopicSettings) == TopicSettings(folder="Topics")
    assert path.read_text() == both


async def test_a_topic_folder_is_set_up_as_one_change(served: Served) -> None:
    before = contents(served)
    owner = Call(served.bridge, OWNER, transport="http")
    made: Any = await get_operation("set_up_topics").run(owner, {"folder": "Begriffe"})
    assert {one.path for one in made.changed} == {
        *(f"Begriffe/{kind}/{kind}.md" for kind in ("Concepts", "Entities", "MOCs")),
        "Begriffe/Instructions.md",
    }
    assert served.bridge.find(None).settings.section(TopicSettings).folder == "Begriffe"
    await readable(served)
    answer = (await served.call("list_topics")).json
    assert (answer["folder"], answer["total"], answer["notices"]) == ("Begriffe", 0, [])
    assert answer["kinds"][0]["meaning"] == "Ideas, methods and subjects that notes are about."
    again = (await served.call("set_up_topics")).json
    assert (again["files"], again["change_id"]) == (0, None)
    await served.call("undo_change", change_id=made.change_id)
    assert contents(served) == before


async def test_what_exists_is_kept_when_a_topic_folder_is_set_up(served: Served) -> None:
    before = contents(served)
    made = (await served.call("set_up_topics", folder="Ontology")).json
    assert {one["path"] for one in made["changed"]} == {
        "Ontology/Entities/Entities.md",
        "Ontology/MOCs/MOCs.md",
    }
    assert made["warnings"] == []
    assert before.items() <= contents(served).items()
    elsewhere = (await served.call("set_up_topics", folder="Begriffe")).json
    assert "topics.folder" in elsewhere["warnings"][-1]


async def test_an_agent_only_proposes_a_topic_folder(served: Served) -> None:
    token = Tokens(served.bridge.folders.tokens).create("quill", ["read", "write"])[1]
    headers = {"Authorization": f"Bearer {token}"}
    before = contents(served)
    data = orjson.dumps({"folder": "New"})
    answer = await served.request("POST", "/api/set_up_topics", headers=headers, data=data)
    assert (answer.status, answer.json["state"]) == (200, "proposed")
    assert contents(served) == before
    save_settings(served.bridge.settings_path, {"apply_clients": ["quill"]})
    await served.bridge.reload()
    refused = await served.request("POST", "/api/set_up_topics", headers=headers, data=data)
    assert refused.code == "confirmation_required"
    assert contents(served) == before


async def test_related_notes_name_a_topic_that_they_share(served: Served) -> None:
    await remove(served, "Ontology/Instructions.md")
    hits = (await served.call("related_notes", path="Bread/Loaf 1.md")).json["hits"]
    assert not any("topic" in reason for hit in hits for reason in hit["why"])
    await use(served, folder="Ontology")
    hits = (await served.call("related_notes", path="Bread/Loaf 1.md")).json["hits"]
    same = [hit["path"] for hit in hits if "same topic *Leavening*" in hit["why"]]
    assert "Bread/Loaf 2.md" in same
    assert "Bread/New loaf.md" not in same


async def test_the_graph_of_topics_has_only_topics_and_semantic_folders(served: Served) -> None:
    await remove(served, "Ontology/Instructions.md")
    missing = await served.call("graph_neighbours", path="Bread/Loaf 1.md", mode="topics")
    assert missing.code == "invalid_arguments"
    await write(served, {"Bread/Loaf 1.md": note('"[[Leavening]]"', f"{LEAVEN} See [[Tree 1]].")})
    await use(served, folder="Ontology")
    assert (await served.call("create_note", path="Ontology/Concepts/Garden.md", text="Growing.")).status == 200
    await readable(served)

    async def around(path: str, depth: int) -> dict[str, list[str]]:
        answer = await served.call("graph_neighbours", path=path, mode="topics", depth=depth, limit=500)
        return {one["path"]: one["kinds"] for one in answer.json["nodes"]}

    assert await around("Bread/Loaf 1.md", 1) == {"Ontology/Concepts/Leavening.md": ["property"]}
    assert "Bread/Loaf 2.md" in await around("Bread/Loaf 1.md", 2)
    assert await around("Garden/Tree 1.md", 1) == {
        "Ontology/Concepts/Pruning.md": ["property"],
        "Ontology/Concepts/Garden.md": ["folder"],
    }
    drawn = {one["path"] for one in (await served.call("graph_view", mode="topics")).json["nodes"]}
    assert {"Bread/Loaf 1.md", "Ontology/Concepts/Garden.md"} < drawn
    assert "Other.md" not in drawn
    await use(served, folder="Ontology", folder_meaning="none")
    assert set(await around("Garden/Tree 1.md", 1)) == {"Ontology/Concepts/Pruning.md"}
    await use(served, folder="Ontology", folder_meaning="all")
    assert (await around("Other.md", 1)) == {}
    assert (await around("Bread/Loaf 1.md", 1))["Bread/Loaf 2.md"] == ["folder"]
    await use(served, folder="Ontology", folder_meaning="all", generic_folders=["bread"])
    assert set(await around("Bread/Loaf 1.md", 1)) == {"Ontology/Concepts/Leavening.md"}
