"""Tags and properties in composed and decomposed form are the same to every operation."""

from unicodedata import normalize

from tests.features.served import Served

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
        tried = (await served.call("rename_tag", tag=tag, to="coffee", dry_run=True)).json
        assert tried["files"] == 2
        tried = (await served.call("rename_property", name=name, to="size", dry_run=True)).json
        assert tried["files"] == 2
        tried = (await served.call("change_values", name=name, old=2, to=3, dry_run=True)).json
        assert tried["files"] == 2
