"""Plans are carried out on real files: all of them or nothing, and only if the files are as they were read."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest

from bridge.errors import InvalidArguments, NoteChanged, NoteExists, OutsideVault, ProtectedPath, ReadOnly
from bridge.types import VaultPath
from bridge.vault.plan import Plan
from bridge.vault.write.preflight import MAX_FOLDERS
from bridge.vault.write.writer import Writer
from tests.vault.write.plans import Noted, folder, move, no_folder, put, remove, together, tree, write_plan, writer_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_bytes(b"old a")
    (root / "b.md").write_bytes(b"old b")
    (root / "Folder").mkdir()
    (root / "Folder/c.md").write_bytes(b"old c")
    return root


@pytest.fixture
def writer(root: Path) -> Writer:
    return writer_of(root)


def write(writer: Writer, plan: Plan) -> Noted:
    noted = Noted()
    noted_steps = write_plan(writer, plan, noted)
    assert noted.said == ["prepared", "done"]
    assert noted.plan is not None
    assert list(noted_steps) == [
        step for step in noted.plan.steps if step.kind != "remove_folder" or step in noted_steps
    ]
    return noted


def refused(writer: Writer, plan: Plan, error: type[Exception]) -> None:
    """Check that a plan is refused, by `prepare` too, and leaves no trace."""
    before = tree(writer.vault.root)
    with pytest.raises(error):
        writer.prepare(plan)
    noted = Noted()
    with pytest.raises(error):
        write_plan(writer, plan, noted)
    assert tree(writer.vault.root) == before
    assert noted.said == []


def test_a_note_is_replaced_and_keeps_its_mode(root: Path, writer: Writer) -> None:
    (root / "a.md").chmod(0o640)
    write(writer, put("a.md", b"old a", b"new a"))
    assert (root / "a.md").read_bytes() == b"new a"
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o640
    assert sorted(tree(root)) == ["Folder", "Folder/c.md", "a.md", "b.md"]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="the system has no extended attributes")
def test_a_note_keeps_its_attributes(root: Path, writer: Writer) -> None:
    os.setxattr(root / "a.md", "user.colour", b"red")
    write(writer, put("a.md", b"old a", b"new a"))
    assert os.getxattr(root / "a.md", "user.colour") == b"red"


@pytest.mark.parametrize(("parent", "mode"), [(0o755, 0o644), (0o700, 0o600), (0o775, 0o664)])
def test_a_new_note_gets_the_rights_of_its_folder(root: Path, writer: Writer, parent: int, mode: int) -> None:
    (root / "Folder").chmod(parent)
    before = os.umask(0o077)
    try:
        write(writer, put("Folder/New/n.md", None, b"new"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "Folder/New/n.md").stat().st_mode) == mode
    assert stat.S_IMODE((root / "Folder/New").stat().st_mode) == parent


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write in a folder that nobody may write in")
def test_a_new_note_can_be_changed_by_who_made_it(root: Path, writer: Writer) -> None:
    (root / "Folder").chmod(0o555)
    write(writer, put("Folder/New/n.md", None, b"new"))
    write(writer, put("Folder/New/n.md", b"new", b"newer"))
    assert stat.S_IMODE((root / "Folder/New/n.md").stat().st_mode) == 0o644
    assert stat.S_IMODE((root / "Folder/New").stat().st_mode) == 0o755


def test_folders_that_are_missing_are_made_and_told(root: Path, writer: Writer) -> None:
    noted = write(writer, together(put("X/Y/n.md", None, b"n"), move("a.md", "X/Z/a.md", b"old a")))
    assert noted.plan is not None
    assert [(step.kind, step.path) for step in noted.plan.steps] == [
        ("make_folder", "X"), ("make_folder", "X/Y"), ("put", "X/Y/n.md"), ("make_folder", "X/Z"), ("move", "a.md"),
    ]  # fmt: skip
    assert tree(root)["X/Z/a.md"] == b"old a"


def test_what_changed_since_it_was_read_is_not_written(writer: Writer) -> None:
    refused(writer, put("a.md", b"read earlier", b"new"), NoteChanged)
    refused(writer, put("gone.md", b"read earlier", b"new"), NoteChanged)
    refused(writer, move("a.md", "z.md", b"read earlier"), NoteChanged)
    refused(writer, move("gone.md", "z.md"), NoteChanged)
    refused(writer, remove("a.md", b"read earlier"), NoteChanged)
    refused(writer, remove("gone.md", b"read earlier"), NoteChanged)
    refused(writer, together(put("b.md", b"old b", b"new b"), put("a.md", b"read earlier", b"new")), NoteChanged)


def test_nothing_is_overwritten(root: Path, writer: Writer) -> None:
    refused(writer, put("a.md", None, b"new"), NoteExists)
    refused(writer, put("Folder", None, b"new"), NoteExists)
    refused(writer, move("a.md", "b.md", b"old a"), NoteExists)
    refused(writer, move("Folder", "b.md"), NoteExists)
    refused(writer, together(put("n.md", None, b"1"), put("n.md", None, b"2")), NoteExists)
    refused(writer, folder("a.md"), NoteExists)
    (root / "e\u0301.md").write_bytes(b"in parts")
    refused(writer, put("é.md", None, b"whole"), NoteExists)
    (root / ".cloudy.md.icloud").write_bytes(b"")
    refused(writer, put("cloudy.md", None, b"new"), NoteExists)


def test_a_name_in_parts_stays_in_parts(root: Path, writer: Writer) -> None:
    (root / "e\u0301.md").write_bytes(b"old")
    write(writer, put("é.md", b"old", b"new"))
    assert {name: data for name, data in tree(root).items() if not name.isascii()} == {"e\u0301.md": b"new"}


def test_folders_are_moved_with_all_that_is_in_them(root: Path, writer: Writer) -> None:
    (root / "Folder/.hidden").write_bytes(b"h")
    write(writer, together(move("Folder", "Deep/New"), put("Deep/New/c.md", b"old c", b"new c")))
    assert {path: data for path, data in tree(root).items() if path.startswith("Deep")} == {
        "Deep": None, "Deep/New": None, "Deep/New/.hidden": b"h", "Deep/New/c.md": b"new c",
    }  # fmt: skip
    assert not (root / "Folder").exists()


def test_notes_can_change_places(root: Path, writer: Writer) -> None:
    write(writer, together(move("a.md", "t.md"), move("b.md", "a.md"), move("t.md", "b.md")))
    assert (tree(root)["a.md"], tree(root)["b.md"]) == (b"old b", b"old a")


def test_a_name_may_change_its_case(root: Path, writer: Writer) -> None:
    write(writer, move("a.md", "A.md", b"old a"))
    names = {place.name for place in root.iterdir()}
    assert (names & {"a.md", "A.md"}) == {"A.md"}


@pytest.mark.skipif(sys.platform != "linux", reason="other disks take both names for one file")
@pytest.mark.parametrize(
    ("here", "new", "warned"),
    [
        ("Ofen.md", "OFEN.md", True),
        ("Straße.md", "STRASSE.md", True),
        ("O\u0308fen.md", "\u00f6fen.md", True),
        ("Ofen.md", "Ofe.md", False),
        ("Ofen 2.md", "ofen.md", False),
    ],
)
def test_a_name_that_differs_in_case_only_is_warned_of(
    root: Path, writer: Writer, here: str, new: str, warned: bool
) -> None:
    (root / here).write_bytes(b"here")
    warnings = writer.prepare(put(new, None, b"new")).warnings
    assert [here in warning and "differs in case only" in warning for warning in warnings] == [True] * warned


def test_an_empty_folder_is_taken_away_and_a_full_one_stays(root: Path, writer: Writer) -> None:
    (root / "Empty").mkdir()
    write(writer, together(no_folder("Empty"), no_folder("Folder")))
    assert not (root / "Empty").exists()
    assert (root / "Folder/c.md").exists()


@pytest.mark.parametrize("wish", ["local", "none"])
def test_removed_notes_go_where_the_user_wants_them(root: Path, writer: Writer, wish: str) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text(f'{{"trashOption": "{wish}"}}')
    noted = write(writer, remove("a.md", b"old a"))
    (root / "a.md").write_bytes(b"again")
    write(writer, remove("a.md", b"again"))
    found = {path: data for path, data in tree(root).items() if path.startswith(".trash/")}
    assert found == ({".trash/a.md": b"old a", ".trash/a 1.md": b"again"} if wish == "local" else {})
    assert noted.plan is not None
    assert noted.plan.steps[0].to == (".trash/a.md" if wish == "local" else None)
    assert not (root / "a.md").exists()


THROW = """
import sys
from pathlib import Path
from tests.vault.write.plans import Noted, remove, write_plan, writer_of
noted = Noted()
write_plan(writer_of(Path(sys.argv[1])), remove("Folder/c.md", b"old c"), noted)
assert noted.plan.steps[0].to is None
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it would be the user's own trash")
@pytest.mark.parametrize("there", [True, False])
def test_removed_notes_go_to_the_trash_of_the_system_where_it_has_one(root: Path, tmp_path: Path, there: bool) -> None:
    trash = tmp_path / "share/Trash"
    if there:
        trash.mkdir(parents=True)
    home = {"XDG_DATA_HOME": str(trash.parent), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", THROW, root], env={**os.environ, **home}, check=False)
    assert not (root / "Folder/c.md").exists()
    assert (done.returncode == 0) == there
    assert tree(trash).get("files/c.md") == (b"old c" if there else None)
    assert tree(root).get(".trash/c.md") == (None if there else b"old c")


def test_what_nothing_else_keeps_goes_to_the_trash(root: Path, writer: Writer) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text('{"trashOption": "none"}')
    write(writer, remove("a.md", b"old a", kept=False))
    assert tree(root)[".trash/a.md"] == b"old a"
    write(writer, move(".trash/a.md", "back.md"))
    assert tree(root)["back.md"] == b"old a"


def test_protected_places_stay_as_they_are(root: Path, tmp_path: Path) -> None:
    writer = writer_of(root, readonly=("Folder/c.md",), deny=("Secret/**",))
    (tmp_path / "outside").mkdir()
    (root / "out").symlink_to(tmp_path / "outside")
    refused(writer, put("Folder/c.md", b"old c", b"new"), ProtectedPath)
    refused(writer, put("Secret/new.md", None, b"new"), ProtectedPath)
    refused(writer, move("Folder", "Other"), ProtectedPath)
    refused(writer, move("a.md", "Secret/a.md"), ProtectedPath)
    refused(writer, put(".obsidian/app.json", None, b"{}"), ProtectedPath)
    refused(writer, put(".trash/x.md", None, b"x"), ProtectedPath)
    refused(writer, move("a.md", ".trash/../.git/a.md"), OutsideVault)
    refused(writer, put("out/n.md", None, b"x"), OutsideVault)
    refused(writer, put("../n.md", None, b"x"), OutsideVault)
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_is_protected_in_a_folder_stays_however_the_disk_spells_it(root: Path) -> None:
    writer = writer_of(root, readonly=("Żółw/c.md",))
    (root / "Folder").rename(root / normalize("NFD", "Żółw"))
    refused(writer, move("Żółw", "Other"), ProtectedPath)


def test_a_move_that_fails_gives_back_the_spelling_of_the_disk(root: Path, writer: Writer) -> None:
    (root / "a.md").rename(root / normalize("NFD", "Żółw.md"))
    before = {**tree(root), "b.md": b"saved meanwhile"}

    class Saved(Noted):
        def prepare(self, plan: Plan) -> None:
            super().prepare(plan)
            (root / "b.md").write_bytes(b"saved meanwhile")

    noted = Saved()
    with pytest.raises(NoteChanged):
        write_plan(writer, together(move("Żółw.md", "Turtle.md", b"old a"), put("b.md", b"old b", b"new")), noted)
    assert noted.said == ["prepared", "not done"]
    assert tree(root) == before


def test_a_note_behind_a_link_is_replaced_and_the_link_stays(root: Path, writer: Writer) -> None:
    (root / "link.md").symlink_to("Folder/c.md")
    write(writer, put("link.md", b"old c", b"new c"))
    assert (root / "link.md").is_symlink()
    assert (root / "Folder/c.md").read_bytes() == b"new c"
    refused(writer, remove("link.md", b"new c"), InvalidArguments)


def test_a_link_that_leads_nowhere_is_not_written_through(root: Path, writer: Writer) -> None:
    (root / "link.md").symlink_to("nowhere.md")
    refused(writer, put("link.md", None, b"new"), NoteExists)


def test_a_note_that_is_read_only_stays_so(root: Path, writer: Writer) -> None:
    (root / "a.md").chmod(0o444)
    refused(writer, put("a.md", b"old a", b"new"), ReadOnly)


@pytest.mark.parametrize(
    "name", ["a[1.md", "[1] a.md", "a]b.md", "a|b.md", "a#b.md", "a^b.md", "a%%b.md", "é" * 127 + ".md"]
)
def test_names_that_a_link_or_a_disk_cannot_hold_are_refused(writer: Writer, name: str) -> None:
    refused(writer, put(f"Folder/{name}", None, b"new"), InvalidArguments)
    refused(writer, put(f"{name}/n.md", None, b"new"), InvalidArguments)
    refused(writer, move("a.md", name), InvalidArguments)


@pytest.mark.parametrize(
    "name",
    [
        *(
            " ",
            "\u2003",
            "a\x85b",
            "a\u2028b",
            "\u00a0\u00ad",
            "\u00ad",
            "\u115f",
            "\u1160",
            "\u3164",
            "\uffa0",
        ),
        *("\u2800", "\u2800\u3000\u2800", "\u061c", "\U0001d159", "\U0001bca1", "\U00013431", "\U00016fe4"),
    ],
)
def test_names_that_nobody_sees_are_refused(writer: Writer, name: str) -> None:
    refused(writer, put(f"{name}.md", None, b"new"), InvalidArguments)
    refused(writer, put(f"{name}.canvas", None, b"{}"), InvalidArguments)
    refused(writer, move("Folder", name), InvalidArguments)
    refused(writer, put(f"{name}/n.md", None, b"new"), InvalidArguments)
    refused(writer, move("a.md", f"{name}.md"), InvalidArguments)


def test_a_name_with_a_pair_of_brackets_is_written(root: Path, writer: Writer) -> None:
    write(writer, put("a [1].md", None, b"new"))
    assert (root / "a [1].md").read_bytes() == b"new"


@pytest.mark.parametrize(
    "name", ["⠃⠗⠑⠁⠙⠀⠃", "می\u200cخواهم", "क्\u200dष", "빵", "שלום\u200f", "研究\u3000生命", "𓀀\U00013431𓀁"]
)
def test_names_in_any_script_are_written(root: Path, writer: Writer, name: str) -> None:
    write(writer, move("a.md", f"{name}.md"))
    assert (root / f"{name}.md").read_bytes() == b"old a"


def test_a_name_as_long_as_the_disk_takes_is_written(root: Path, writer: Writer) -> None:
    name = "é" * 126 + ".md"
    write(writer, put(name, None, b"1"))
    write(writer, put(name, b"1", b"2"))
    assert (root / name).read_bytes() == b"2"


def test_nothing_new_lies_deeper_than_can_be_held(root: Path, writer: Writer) -> None:
    refused(writer, put("x/" * (MAX_FOLDERS + 1) + "n.md", None, b"new"), InvalidArguments)
    assert not (root / "x").exists()
    write(writer, put("x/" * MAX_FOLDERS + "n.md", None, b"new"))
    assert (root / ("x/" * MAX_FOLDERS + "n.md")).read_bytes() == b"new"


@pytest.mark.parametrize("name", ["a: b.md", 'a "b".md', "a?.md", "con.md", "B.md", "Folder./x.md", "folder/x.md"])
def test_names_that_other_systems_refuse_are_told(writer: Writer, name: str) -> None:
    assert len(writer.prepare(put(name, None, b"new")).warnings) == 1
    assert writer.prepare(put("Folder/fine.md", None, b"new")).warnings == ()


def test_every_sign_that_other_systems_refuse_is_told(writer: Writer) -> None:
    (warning,) = writer.prepare(put('New: "note"?*.md', None, b"new")).warnings
    assert 'has `:` and `"` and `?` and `*` in it' in warning


def test_a_second_name_on_the_disk_is_told(root: Path, writer: Writer) -> None:
    os.link(root / "a.md", root / "second.md")
    assert len(writer.prepare(put("a.md", b"old a", b"new")).warnings) == 1
    write(writer, put("a.md", b"old a", b"new"))
    assert (root / "second.md").read_bytes() == b"old a"


def test_a_name_that_must_not_change_may_be_odd(root: Path, writer: Writer) -> None:
    (root / "[x].md").write_bytes(b"1")
    write(writer, put("[x].md", b"1", b"2"))
    write(writer, move("[x].md", "Folder/[x].md"))
    assert tree(root)["Folder/[x].md"] == b"2"


def test_without_folders_held_open_it_writes_the_same(root: Path) -> None:
    writer = Writer(writer_of(root).vault, stepwise=False)
    write(writer, together(
        put("a.md", b"old a", b"new a"), put("New/n.md", None, b"n"), move("Folder", "Other"), remove("b.md", b"old b"),
    ))  # fmt: skip
    refused(writer, put("a.md", b"old a", b"new"), NoteChanged)
    assert tree(root) == {
        ".trash": None, ".trash/b.md": b"old b", "New": None, "New/n.md": b"n", "Other": None, "Other/c.md": b"old c",
        "a.md": b"new a",
    }  # fmt: skip
    assert VaultPath("New/n.md")
