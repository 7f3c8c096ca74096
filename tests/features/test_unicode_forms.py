"""Tags and properties in composed and decomposed form are the same to every operation."""

from typing import Literal
from unicodedata import normalize

from tests.features.served import Served

Form = Literal["NFC", "NFD"]

DECOMPOSED = normalize("NFD", "---\nGröße: 2\n---\n#café/crème and #日が\n\n- [ ] grind #café\n")
NOTES = {
    "A.md": normalize("NFC", DECOMPOSED),
    "B.md": DECOMPOSED,
}


async def test_both_forms_are_one(served: Served) -> None:
    tags = (await served.call("list_tags")).json["tags"]
    assert [(normalize("NFC", tag["tag"]), tag["count"]) for tag in tags] == [
        ("café", 2),
        ("café/crème", 2),
        ("日が", 2),
    ]
    for form in ("NFC", "NFD"):
        assert (await served.call("list_tags", prefix=normalize(form, "Café/"))).json["tags"] == tags[1:2]
        tag, name = normalize(form, "café"), normalize(form, "Größe")
        assert len((await served.call("list_tasks", tags=[tag])).json["tasks"]) == 2
        for where in (f'file.hasTag("{tag}")', f'note["{name}"] == 2', f'file.hasProperty("{name}")'):
            assert (await served.call("find_notes", where=where)).json["total"] == 2, where
        tried = (await served.call("change_notes", rename_tags={tag: "coffee"}, dry_run=True)).json
        assert tried["files"] == 2
        tried = (await served.call("change_notes", rename={name: "size"}, dry_run=True)).json
        assert tried["files"] == 2
        tried = (await served.call("change_notes", properties={name: 3}, old={name: 2}, dry_run=True)).json
        assert tried["files"] == 2


async def test_edits_find_what_is_written_in_the_other_form(served: Served) -> None:
    text = "---\nGröße: 2\naliases: [Öhr]\n---\n# Überschrift é\n\n- [ ] 가방 packen\n"
    forms: tuple[tuple[Form, Form], ...] = (("NFC", "NFD"), ("NFD", "NFC"))
    for written, asked in forms:
        path = f"{written}.md"
        await served.call("create_note", path=path, text=normalize(written, text))
        size, heading, alias, task = (normalize(asked, one) for one in ("größe", "überschrift é", "Öhr", "가방 packen"))
        assert (await served.call("set_properties", path=path, properties={size: 3})).status == 200
        assert (await served.call("read_note", path=path, section=heading)).status == 200
        edit = {"op": "insert_under", "heading": heading, "text": "Below.", "create_heading": True}
        assert (await served.call("edit_note", path=path, edits=[edit])).status == 200
        assert (await served.call("toggle_task", path=path, line=7, text=task)).status == 200, written
        assert (await served.call("rename_alias", path=path, alias=alias, to="Ear")).status == 200
        read = (await served.call("read_note", path=path)).json
        assert {normalize("NFC", name): value for name, value in read["properties"].items()} == {
            "Größe": 3,
            "aliases": ["Ear"],
        }
        assert len(read["headings"]) == 1


async def test_texts_and_values_are_found_in_either_form(served: Served) -> None:
    root = served.bridge.find(None).root
    text = "---\nprénom: Zoë\nகோவில்: பொன்\n---\nZoë et Zoët, à Đà Nẵng. பொன் 가방\r\nfin\n"
    forms: tuple[tuple[Form, Form], ...] = (("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD"))
    for written, asked in forms:
        path = f"{written}-{asked}.md"
        (root / path).write_bytes(normalize(written, text).encode())
        await served.call("wait_until_indexed", path=path)
        for where in ('prénom == "Zoë"', 'note["கோவில்"].contains("பொ")', 'note["prénom"].startsWith("Zoë")'):
            found = await served.result("find_notes", where=normalize(asked, where))
            assert path in [note["path"] for note in found["notes"]], where
        for old, whole in (("Zoë", True), ("à Đà Nẵng", False), ("பொன்", True), ("가방\nfin", False)):
            change = {"find": normalize(asked, old), "replace": "X", "whole_words": whole, "paths": [path]}
            tried = await served.result("change_notes", **change, dry_run=True)
            assert tried["occurrences"] == (2 if old in ("Zoë", "பொன்") else 1), old
        edit = {"op": "replace_text", "old": normalize(asked, "Nẵng. பொன்"), "new": "Lạt."}
        digest = (await served.result("read_note", path=path))["digest"]
        await served.result("edit_note", path=path, edits=[edit], digest=digest)
        parted = normalize(written, text).partition(normalize(written, "Nẵng. பொன்"))
        assert (root / path).read_bytes().decode() == f"{parted[0]}Lạt.{parted[2]}", "all else stays as it was"


async def test_a_workflow_is_drafted_from_notes_in_both_forms(served: Served) -> None:
    root = served.bridge.find(None).root
    names = {"Zoë Müller": "Lyon", "André Çelik": "Orléans", "Élodie Noël": "Besançon"}
    for at, (name, town) in enumerate(names.items()):
        text = f"---\nм'ята·é: {name}\nצה״ל: {town}\n---\n# {name}\n\n{name} habite à {town}.\n"
        (root / f"{name}.md").write_text(normalize("NFD", text) if at else text, "utf-8")
        await served.call("wait_until_indexed", path=f"{name}.md")
    drafted = await served.result("author_workflow", name="Someone", examples=[*names], confirm=True)
    assert drafted["problems"] == []
    variables = {"м'ята·é": "Ève", normalize("NFD", "צה״ל"): "Nîmes"}
    made = await served.result("run_workflow", path=drafted["path"], variables=variables, dry_run=True)
    (new,) = [line for line in made["diff"].splitlines() if "habite" in line]
    assert new == "+Ève habite à Nîmes."
