"""Moves and renames: every link follows in its own style, and nothing else changes."""

import json

import pytest
from msgspec.structs import replace

from bridge.changes.effect import Effect
from bridge.changes.requests.move_note import move
from bridge.errors import InvalidArguments, NoteExists, NoteNotFound, NoteUnreadable, ProtectedPath
from bridge.types import VaultPath
from bridge.vault.plan import Step
from tests.changes.vaults import Paper

OLD, NEW = VaultPath("Bread/Rye.md"), VaultPath("Grain/Dark rye.md")


def after(text: str, path: str = "Here.md", old: str = OLD, new: str = NEW, **others: str) -> str:
    """Return a note after a file was moved."""
    paper = Paper.of({old: "# Dough\n", path: text, **others})
    moved = paper.carry_out(move(VaultPath(old), VaultPath(new), paper.view()))
    return moved.texts()[path]


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[[Rye]]", "[[Rye [2]]]"),
        ("[[Bread/Rye#a [b]|c]]", "[[Bread/Rye [2]#a [b]|c]]"),
        ('---\nup: "[[Rye]]"\n---\n', '---\nup: "[[Rye [2]]]"\n---\n'),
        ("| a |\n| - |\n| [[Rye\\|x]] |\n", "| a |\n| - |\n| [[Rye [2]\\|x]] |\n"),
    ],
)
def test_links_follow_to_a_name_with_brackets_and_back(before: str, wanted: str) -> None:
    new = VaultPath("Bread/Rye [2].md")
    assert after(before, new=new) == wanted
    assert after(wanted, old=new, new=OLD) == before


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[[Rye]]", "[[Dark rye]]"),
        ("[[ Rye ]]", "[[ Dark rye ]]"),
        ("[[rye.md]]", "[[Dark rye.md]]"),
        ("[[Rye|bread]]", "[[Dark rye|bread]]"),
        ("[[Rye|Rye]]", "[[Dark rye|Dark rye]]"),
        ("[[Rye#Dough]]", "[[Dark rye#Dough]]"),
        ("[[Rye#Dough#More|x]]", "[[Dark rye#Dough#More|x]]"),
        ("[[Rye#^block]]", "[[Dark rye#^block]]"),
        ("![[Rye]]", "![[Dark rye]]"),
        ("![[Rye#Dough|200]]", "![[Dark rye#Dough|200]]"),
        ("[[Bread/Rye]]", "[[Grain/Dark rye]]"),
        ("[[/Bread/Rye]]", "[[/Grain/Dark rye]]"),
        ("[[./Bread/Rye]]", "[[./Grain/Dark rye]]"),
        ("| a |\n| - |\n| [[Rye\\|x]] |\n", "| a |\n| - |\n| [[Dark rye\\|x]] |\n"),
        ("| a |\n| - |\n| [[Rye#Dough\\|x]] |\n", "| a |\n| - |\n| [[Dark rye#Dough\\|x]] |\n"),
        ("[x](Bread/Rye.md)", "[x](Grain/Dark%20rye.md)"),
        ("[x](Bread/Rye)", "[x](Grain/Dark%20rye)"),
        ("[Rye](Bread/Rye.md#Dough)", "[Dark rye](Grain/Dark%20rye.md#Dough)"),
        ("[x](<Bread/Rye.md>)", "[x](<Grain/Dark rye.md>)"),
        ("[x](<Bread/Rye.md#Dough> 'T')", "[x](<Grain/Dark rye.md#Dough> 'T')"),
        ('[x](Bread/Rye.md "Title")', '[x](Grain/Dark%20rye.md "Title")'),
        ("[x](./Bread/Rye.md)", "[x](./Grain/Dark%20rye.md)"),
        ("[x](/Bread/Rye.md)", "[x](/Grain/Dark%20rye.md)"),
        ("[x](Rye.md)", "[x](Dark%20rye.md)"),
        ("![x](%42read/Rye.md)", "![x](Grain/Dark%20rye.md)"),
        ("[x]: Bread/Rye.md", "[x]: Grain/Dark%20rye.md"),
        ("[x]: <Bread/Rye.md#Dough> 'T'", "[x]: <Grain/Dark rye.md#Dough> 'T'"),
        ('---\nup: "[[Rye]]"\n---\n', '---\nup: "[[Dark rye]]"\n---\n'),
        ("---\nup: '[[Rye|x]]'\n---\n", "---\nup: '[[Dark rye|x]]'\n---\n"),
        (
            "---\nup:\n  - \"[[Rye]]\" # c\n  - '[[Rye#A]]'\n---\n",
            "---\nup:\n  - \"[[Dark rye]]\" # c\n  - '[[Dark rye#A]]'\n---\n",
        ),
        ("---\nup: [\"[[Rye]]\", 'b']\n---\n", "---\nup: [\"[[Dark rye]]\", 'b']\n---\n"),
        ('---\nup: "[a](Bread/Rye.md)"\n---\n', '---\nup: "[a](Grain/Dark%20rye.md)"\n---\n'),
        ('---\nup: "[[Rye|say \\"x\\"]]"\n---\n', '---\nup: "[[Dark rye|say \\"x\\"]]"\n---\n'),
        ("---\nup: '[[Rye|it''s]]'\n---\n", "---\nup: '[[Dark rye|it''s]]'\n---\n"),
        ("---\nup: |\n  [[Rye]]\n---\n", "---\nup: |\n  [[Dark rye]]\n---\n"),
        ("[x](%42read/R%79e.md)", "[x](Grain/Dark%20rye.md)"),
        (f"[{'x' * 1200}](Rye.md)", f"[{'x' * 1200}](Dark%20rye.md)"),
        ("a [[Rye]]\r\nb [[Rye]]\r\n", "a [[Dark rye]]\r\nb [[Dark rye]]\r\n"),
    ],
)
def test_a_link_follows_in_its_own_style(before: str, wanted: str) -> None:
    assert after(before) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "[x]: Bread/Rye.md is it",
        "so\n[x]: Bread/Rye.md",
        "[^1]: Bread/Rye.md",
        "    [x]: Bread/Rye.md",
        "`[[Rye]]`",
        "```\n[[Rye]]\n```\n",
        "[[Oat]]",
        "[x](https://example.org/Rye.md)",
        "%%\n[[Rye]]\n%%\n",
        "[[#Rye]]",
    ],
)
def test_what_is_no_link_to_it_stays(text: str) -> None:
    assert after(text, Oat="") == text


@pytest.mark.parametrize("text", ["[[Rye]]", "[[rye|Rye]]", "[x](Rye.md)", "![[Rye#Dough]]"])
def test_a_link_that_still_leads_there_stays_as_it_is_written(text: str) -> None:
    assert after(text, new="Grain/Old/Rye.md") == text


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[[Old rye]] [[Bread/Old rye]]", "[[Loaf]] [[Z/Y/Loaf]]"),
        ("[x](../Bread/Old%20rye.md)", "[x](../Z/Y/Loaf.md)"),
        ("[x](../Bread/../Bread/Old%20rye.md)", "[x](../Bread/../Bread/Old%20rye.md)"),
    ],
)
def test_folders_are_counted_from_the_note_that_has_the_link(before: str, wanted: str) -> None:
    assert after(before, "Notes/Here.md", "Bread/Old rye.md", "Z/Y/Loaf.md") == wanted


def test_a_link_gets_as_many_folders_as_it_needs_where_the_new_name_is_taken() -> None:
    others = {"Loaf.md": "", "X/Loaf.md": "", "Y/Z/X/Loaf.md": ""}
    assert after("[[Rye]] [[Bread/Rye]]", "Here.md", OLD, "Y/X/Loaf.md", **others) == "[[Y/X/Loaf]] [[Y/X/Loaf]]"


def test_a_link_to_another_note_that_would_be_captured_is_written_anew() -> None:
    paper = Paper.of({"A/Far/Rye.md": "", "Bread.md": "", "Here.md": "[[Rye]] [[Rye|x]] [[Bread]]"})
    planned = move(VaultPath("Bread.md"), VaultPath("Rye.md"), paper.view())
    assert paper.carry_out(planned).texts()["Here.md"] == "[[Far/Rye]] [[Far/Rye|x]] [[Rye]]"


def test_a_link_follows_when_another_note_inherits_its_name() -> None:
    paper = Paper.of({"Rye.md": "", "A/Rye.md": "", "Here.md": "[[Rye]]"})
    planned = move(VaultPath("Rye.md"), VaultPath("Spelt.md"), paper.view())
    assert paper.carry_out(planned).texts()["Here.md"] == "[[Spelt]]"


def test_the_moved_note_keeps_its_own_links() -> None:
    text = "[[Near]] [a](Near.md) [b](./Near.md) ![[../pic.png|9]] [[#Top]] [self](Rye.md)\n\n[r]: ./Near.md\n"
    paper = Paper.of({OLD: text, "Bread/Near.md": "", "X/Near.md": "", "pic.png": b"\x89", "Other/pic.png": b"\x89"})
    planned = move(OLD, NEW, paper.view())
    assert paper.carry_out(planned).texts()[NEW] == (
        "[[Bread/Near]] [a](../Bread/Near.md) [b](../Bread/Near.md) ![[../pic.png|9]] [[#Top]] "
        "[self](Dark%20rye.md)\n\n[r]: ../Bread/Near.md\n"
    )


def test_an_attachment_is_followed_by_embeds_of_every_kind() -> None:
    paper = Paper.of(
        {
            "img/a b.png": b"\x89",
            "N.md": '![[a b.png|200]] ![](img/a%20b.png) ![x](<img/a b.png> "t")\n',
            "C.canvas": '{ "nodes": [\n {"type":"file","file":"img\\/a b.png","x":1, "odd": [1.0]} ],"edges":[]}',
        }
    )
    planned = move(VaultPath("img/a b.png"), VaultPath("img/é (1).png"), paper.view())
    assert paper.carry_out(planned).texts() == {
        "N.md": '![[é (1).png|200]] ![](img/é%20(1).png) ![x](<img/é (1).png> "t")\n',
        "C.canvas": '{ "nodes": [\n {"type":"file","file":"img/é (1).png","x":1, "odd": [1.0]} ],"edges":[]}',
    }


def test_a_canvas_changes_in_nothing_but_its_links() -> None:
    card = '  [[Rye|\\u00e9]] \\n\\n```\\n[[Rye]]\\n```\\n ![[Bread\\/Rye#Dough]]"'
    text = (
        '\ufeff{"nodes":[{"type":"text","text":"' + card + ',"id":1},\r\n'
        '{"file":"Bread/Rye.md","subpath":"#Dough","type":"file"}, {"type":"file","file":"Oat.md"}],'
        '"x":{"file":"Bread/Rye.md"}}'
    )
    paper = Paper.of({OLD: "", "Oat.md": "", "B.canvas": text})
    found = paper.carry_out(move(OLD, NEW, paper.view())).texts()["B.canvas"]
    assert found == text.replace("[[Rye|", "[[Dark rye|").replace("Bread\\/Rye#", "Grain/Dark rye#").replace(
        '{"file":"Bread/Rye.md","sub', '{"file":"Grain/Dark rye.md","sub'
    )
    json.loads(found.removeprefix("\ufeff"))


def test_a_folder_moves_with_everything_in_it() -> None:
    paper = Paper.of(
        {
            "A/One.md": "[[Two]] [x](Two.md) [[A/Two]] [[Out]] [y](../Out.md) ![[p.png]]",
            "A/Two.md": "[[B/One]]",
            "A/p.png": b"\x89",
            "B/One.md": "",
            "Out.md": "[[A/One|One]] [[One]] [z](A/One.md) [[Two]]",
        }
    )
    planned = move(VaultPath("A"), VaultPath("C/D"), paper.view())
    moved = paper.carry_out(planned)
    assert moved.texts() == {
        "C/D/One.md": "[[Two]] [x](Two.md) [[C/D/Two]] [[Out]] [y](../../Out.md) ![[p.png]]",
        "C/D/Two.md": "[[B/One]]",
        "B/One.md": "",
        "Out.md": "[[C/D/One|One]] [[D/One]] [z](C/D/One.md) [[Two]]",
    }
    assert planned.plan.steps[0] == Step("move", VaultPath("A"), to=VaultPath("C/D"))
    assert planned.effect.moved == 3


def test_the_effect_tells_what_is_written_anew_and_what_is_only_named() -> None:
    paper = Paper.of(
        {
            OLD: "",
            "Here.md": "\n[[Rye#A]]",
            "Waits.md": "[[Dark rye]]",
            "Q.md": "```dataview\nLIST FROM [[Rye]]\n```\n",
            "No.md": "Rye\n",
            "Loaves.base": 'filters: file.hasLink("Bread/Rye")\n',
            "Other.base": "filters: file.name == 'Ryegrass'\n",
        }
    )
    bookmarks = b'{"items":[{"type":"group","items":[{"type":"file","path":"Bread/Rye.md"}]}]}'
    effect = move(OLD, NEW, paper.view(bookmarks)).effect
    assert [(one.path, one.line, one.text, one.to) for one in effect.rewritten] == [
        ("Here.md", 2, "Rye#A", "Dark rye#A")
    ]
    assert [(one.path, one.text, one.to) for one in effect.mended] == [("Waits.md", "Dark rye", NEW)]
    assert effect.named_in == ("Q.md", "Loaves.base", ".obsidian/bookmarks.json")
    assert (effect.files, effect.moved, effect.links_rewritten, effect.broken) == (("Here.md",), 1, 1, ())
    assert effect.warnings == (
        "The name also occurs in `Q.md`, `Loaves.base`, `.obsidian/bookmarks.json`, where nothing is changed.",
        "Links that led nowhere find a file then, in `Waits.md`.",
    )


def test_a_link_in_greek_keeps_its_style() -> None:
    paper = Paper.of({"a/Κήπος.md": "", "Here.md": "[[a/Κήπος|κήπο]] [[κήπος]]"})
    effect = move(VaultPath("a/Κήπος.md"), VaultPath("a/ΚΗΠΟΣ.md"), paper.view()).effect
    assert [(one.text, one.to) for one in effect.rewritten] == [
        ("a/Κήπος", "a/ΚΗΠΟΣ"),
        ("κήπος", "ΚΗΠΟΣ"),
    ]


def test_a_query_that_says_a_name_which_stays_is_not_told() -> None:
    paper = Paper.of({OLD: "", "Q.md": "```query\n[[Rye]]\n```\n", "P.md": "```query\npath:Bread/Rye\n```\n"})
    assert move(OLD, VaultPath("Grain/Rye.md"), paper.view()).effect.named_in == ("P.md",)


def test_a_rename_in_case_alone_leaves_links_but_those_of_canvases() -> None:
    node = '{"nodes":[{"type":"file","file":"Bread/Rye.md"}]}'
    paper = Paper.of({OLD: "", "H.md": "[[Rye]] [a](Bread/Rye.md)", "C.canvas": node})
    planned = move(OLD, VaultPath("Bread/RYE.md"), paper.view())
    assert paper.carry_out(planned).texts() == {
        "Bread/RYE.md": "",
        "H.md": "[[Rye]] [a](Bread/Rye.md)",
        "C.canvas": node.replace("Rye", "RYE"),
    }


def test_a_drawings_links_follow_where_the_plugin_keeps_them() -> None:
    text = (
        "---\nexcalidraw-plugin: parsed\n---\n==⚠  Switch to EXCALIDRAW VIEW. ⚠==\n%%\n# Excalidraw Data\n"
        "## Text Elements\nsee [[Rye]] ^abcdefgh\n\n## Element Links\nabcdefgh: [[Rye#Dough]]\n\n"
        "## Embedded Files\n0123456789abcdef0123: [[Bread/Rye]]\n\n%%\n"
        "## Drawing\n```compressed-json\nN4Ig[[Rye]]\n```\n%%"
    )
    wanted = (
        text.replace("see [[Rye", "see [[Dark rye")
        .replace(": [[Rye#", ": [[Dark rye#")
        .replace("Bread/Rye", "Grain/Dark rye")
    )
    assert after(text, "D.excalidraw.md") == wanted


def test_a_note_that_must_stay_as_it_is_stops_the_move_by_its_name() -> None:
    paper = Paper.of({OLD: "", "Kept/N.md": "[[Rye]]"}, readonly=("Kept",))
    with pytest.raises(ProtectedPath, match=r"`Kept/N\.md`"):
        move(OLD, NEW, paper.view())
    assert move(OLD, VaultPath("Grain/Rye.md"), paper.view()).effect == Effect(moved=1)


def test_a_denied_note_is_not_known_of() -> None:
    paper = Paper.of({OLD: "", "Secret/N.md": "[[Rye]]", "Bread/Secret/M.md": ""}, deny=("Secret/", "Bread/Secret"))
    assert move(OLD, NEW, paper.view()).effect == Effect(moved=1)
    moved = paper.carry_out(move(VaultPath("Bread"), VaultPath("Grain"), paper.view()))
    assert set(moved.files) == {"Grain/Rye.md", "Secret/N.md", "Bread/Secret/M.md"}


def test_a_folder_in_which_something_may_be_denied_is_left_file_by_file() -> None:
    paper = Paper.of({"A/B/N.md": "", "A/M.md": ""}, deny=("Secret",))
    steps = move(VaultPath("A"), VaultPath("C"), paper.view()).plan.steps
    assert [(step.kind, step.path, step.to) for step in steps] == [
        ("move", "A/B/N.md", "C/B/N.md"),
        ("move", "A/M.md", "C/M.md"),
        ("remove_folder", "A/B", None),
        ("remove_folder", "A", None),
    ]


def test_a_note_that_the_index_leaves_out_is_followed_too() -> None:
    paper = Paper.of({OLD: "", "Left/N.md": "[[Rye]]"}, exclude=("Left",))
    assert paper.carry_out(move(OLD, NEW, paper.view())).texts()["Left/N.md"] == "[[Dark rye]]"


@pytest.mark.parametrize(
    ("path", "to", "error"),
    [
        ("Bread/Oat.md", "X.md", NoteNotFound),
        ("Bread/Rye.md", "bread/spelt.md", NoteExists),
        ("Bread", "Grain", NoteExists),
        ("Bread", "Bread/In", InvalidArguments),
        ("Bread/Rye.md", "Bread/Rye.md", InvalidArguments),
        ("Bread/Rye.md", "Bread/C# 8.md", InvalidArguments),
        ("Bread/Rye.md", "Bread/Rye.txt", InvalidArguments),
        ("Bread/Rye.md", "Kept/Rye.md", ProtectedPath),
        ("Kept/K.md", "K.md", ProtectedPath),
        ("Kept", "K", ProtectedPath),
    ],
)
def test_what_cannot_be_moved_is_refused(path: str, to: str, error: type[Exception]) -> None:
    files: dict[str, str | bytes] = {OLD: "", "Bread/Spelt.md": "", "Grain/x.png": b"", "Kept/K.md": ""}
    paper = Paper.of(files, readonly=("Kept",))
    with pytest.raises(error):
        move(VaultPath(path), VaultPath(to), paper.view())


def test_a_note_that_is_not_utf8_is_left_alone_or_stops_the_move() -> None:
    paper = Paper.of({OLD: b"", "L.md": b"\xff [[Rye]]"})
    with pytest.raises(ProtectedPath, match=r"`L\.md`"):
        move(OLD, NEW, paper.view())
    assert paper.carry_out(move(OLD, VaultPath("Rye.md"), paper.view())).files[VaultPath("L.md")] == b"\xff [[Rye]]"


def test_a_byte_order_mark_stays() -> None:
    paper = Paper.of({OLD: "", "B.md": "\ufeff[[Rye]]\r\n"})
    assert paper.carry_out(move(OLD, NEW, paper.view())).texts()["B.md"] == "\ufeff[[Dark rye]]\r\n"


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[x](Br%C3%A9ad.md)", "[x](%D0%A0%D0%BE%D0%B6%D1%8C%20(1).md)"),
        ("[x](Bréad.md)", "[x](Рожь%20(1).md)"),
        ("[[Bréad]] [[Bre\u0301ad]]", "[[Рожь (1)]] [[Рожь (1)]]"),
    ],
)
def test_an_address_is_encoded_as_it_was(before: str, wanted: str) -> None:
    assert after(before, old="Bréad.md", new="Рожь (1).md") == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a(b", "[x](a%28b.md) [y](<a(b.md>)"),
        ("a)b(", "[x](a%29b%28.md) [y](<a)b(.md>)"),
        ("50% <", "[x](50%25%20%3C.md) [y](<50%25 %3C.md>)"),
        ("R&amp;D", "[x](R%26amp;D.md) [y](<R%26amp;D.md>)"),
    ],
)
def test_an_address_is_encoded_where_it_would_end_or_mean_something(name: str, wanted: str) -> None:
    assert after("[x](Rye.md) [y](<Rye.md>)", old="Rye.md", new=f"{name}.md") == wanted


def test_the_texts_of_a_drawing_file_follow() -> None:
    text = json.dumps(
        {
            "elements": [
                {"type": "text", "rawText": "é [[Rye]]", "text": "[[Rye]]", "link": None, "n": 1.50},
                {"type": "line", "text": "[[Rye]]"},
            ]
        },
        indent=1,
    )
    assert after(text, "D.excalidraw") == text.replace("[[Rye]]", "[[Dark rye]]", 2)


@pytest.mark.parametrize("broken", ["{", "[]", '{"nodes": 1}', '{"elements": 1}', ""])
@pytest.mark.parametrize("path", ["B.canvas", "B.excalidraw"])
def test_what_is_no_canvas_and_no_drawing_stays(broken: str, path: str) -> None:
    assert after(broken, path) == broken


def test_a_link_that_cannot_be_told_apart_stops_the_move() -> None:
    with pytest.raises(InvalidArguments, match=r"line 2 of `Here\.md`"):
        after('---\nup: "[[Rye|a\n  b]]"\n---\n')


def test_a_link_that_no_form_can_say_stops_the_move() -> None:
    with pytest.raises(InvalidArguments, match=r"`Here\.md`"):
        after("[[Rye]]", new="C#/Dark.md", **{"Dark.md": ""})


def test_a_note_that_cannot_be_read_is_told() -> None:
    paper = Paper.of({OLD: "", "Here.md": "[[Rye]]"})
    view = paper.view()
    del paper.files[VaultPath("Here.md")]
    assert move(OLD, NEW, view).effect.warnings == ("Links were not looked for: There is no note `Here.md`.",)
    del paper.files[OLD]
    with pytest.raises(NoteNotFound):
        move(OLD, NEW, view)


def test_a_note_with_a_link_to_change_that_cannot_be_read_stops_the_move() -> None:
    view = Paper.of({OLD: "", "Here.md": "[[Rye]]"}).view()

    def read(path: VaultPath) -> bytes:
        raise NoteUnreadable(f"`{path}` cannot be read.")

    with pytest.raises(NoteUnreadable):
        move(OLD, NEW, replace(view, read=lambda path: view.read(path) if path == OLD else read(path)))


@pytest.mark.parametrize("data", [b"{", b"", b'[{"path": 1}]', b'{"items": [{"type": "folder", "path": "Bread"}]}'])
def test_bookmarks_are_read_without_trust(data: bytes) -> None:
    paper = Paper.of({OLD: ""})
    named = move(VaultPath("Bread"), VaultPath("B"), paper.view(data)).effect.named_in
    assert named == ((".obsidian/bookmarks.json",) if b"Bread" in data else ())


def test_a_name_is_written_as_the_quotes_around_it_want() -> None:
    text = "---\na: '[[Rye]]'\nb: \"[[Rye]]\"\nc: >-\n  [[Rye]]\n---\n"
    wanted = '---\na: \'[[it\'\'s "x"]]\'\nb: "[[it\'s \\"x\\"]]"\nc: >-\n  [[it\'s "x"]]\n---\n'
    assert after(text, new='it\'s "x".md') == wanted


@pytest.mark.parametrize(
    ("to", "whole"), [("Grain", "Grain/Rye.md"), ("Dark", "Dark.md`, or in a folder `Dark/Rye.md")]
)
def test_a_place_that_is_no_path_of_a_note_is_refused_with_one(to: str, whole: str) -> None:
    paper = Paper.of({OLD: "# Dough\n", "Grain/Oat.md": ""})
    with pytest.raises(InvalidArguments) as refused:
        move(OLD, VaultPath(to), paper.view())
    assert refused.value.hint == f"Give the whole path: `{whole}`?"


def test_links_to_a_heading_follow_the_link_in_it() -> None:
    paper = Paper.of(
        {
            OLD: "# Dough\n",
            "H.md": "# On [[Rye]] at [[Rye#Dough|last]]\n\n## Rye\n\nSee [[#On Rye at Rye Dough last#Rye]].\n",
            "Refs.md": "[[H#On Rye at Rye Dough last|x]] [[H#Rye]]"
            " [y](H.md#On%20Rye%20at%20Rye%20Dough%20last) [[H#None]]\n",
            "Deep.md": "Top\n===\n\n## Of [[H#On Rye at Rye Dough last]]\n",
            "Deeper.md": "![[Deep#Of H On Rye at Rye Dough last]]\n",
            "C.canvas": '{"nodes":[{"type":"text","text":"[[H#On Rye at Rye Dough last]]"}]}',
        }
    )
    planned = move(OLD, NEW, paper.view())
    moved = paper.carry_out(planned)
    assert moved.texts() == {
        NEW: "# Dough\n",
        "H.md": "# On [[Dark rye]] at [[Dark rye#Dough|last]]\n\n## Rye\n\n"
        "See [[#On Dark rye at Dark rye Dough last#Rye]].\n",
        "Refs.md": "[[H#On Dark rye at Dark rye Dough last|x]] [[H#Rye]]"
        " [y](H.md#On%20Dark%20rye%20at%20Dark%20rye%20Dough%20last) [[H#None]]\n",
        "Deep.md": "Top\n===\n\n## Of [[H#On Dark rye at Dark rye Dough last]]\n",
        "Deeper.md": "![[Deep#Of H On Dark rye at Dark rye Dough last]]\n",
        "C.canvas": '{"nodes":[{"type":"text","text":"[[H#On Dark rye at Dark rye Dough last]]"}]}',
    }
    assert planned.effect.links_rewritten == len(planned.effect.rewritten) == 8
    assert moved.carry_out(move(NEW, OLD, moved.view())).texts() == paper.texts()
