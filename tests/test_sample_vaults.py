"""The vaults in `tests/vaults` hold what their README promises, and are read as it says."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document
from bridge.markdown.links import ResolvedLink
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.sections import Outline, find_section
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from tests.vaults import AWKWARD_NAMES, HERE, HOSTILE, QUERIES, SAMPLE, TANGLED, TANGLED_LINKS, write_awkward_names

STUBS = {"Bokashi", "Perry", "Poolish", "Potager du Roi", "Rhubarb%20forcing.md", "Tempeh"}
LANGUAGES = {"zh": "Chinese", "ar": "Arabic", "de": "German", "ja": "Japanese", "ru": "Russian"}


def files_of(root: Path) -> list[VaultPath]:
    """Return every file of a vault but Obsidian's own."""
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return sorted(VaultPath(path) for path in paths if not path.startswith(".obsidian/"))


def notes_of(root: Path) -> dict[VaultPath, Note]:
    """Read every document of a vault."""
    return {path: read_document(path, (root / path).read_bytes()) for path in files_of(root) if is_document(path)}


def resolved(notes: dict[VaultPath, Note], names: Names) -> Iterator[tuple[Note, str, ResolvedLink]]:
    """Yield each link's note, target as written, and where it leads."""
    for note in notes.values():
        for link in note.links:
            yield note, link.target, names.resolve(link.target, note.path, link.kind)


@pytest.fixture(scope="module")
def sample() -> dict[VaultPath, Note]:
    return notes_of(SAMPLE)


@pytest.fixture(scope="module")
def sample_names() -> Names:
    return Names(files_of(SAMPLE))


def test_the_readme_counts_what_the_sample_vault_holds(sample: dict[VaultPath, Note], sample_names: Names) -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    promised = {what: int(count) for what, count in re.findall(r"^\| ([^|]+?) \| (\d+) \|$", text, re.MULTILINE)}

    kinds = Counter(note.kind for note in sample.values())
    tags = {tag.name for note in sample.values() for tag in note.tags}
    languages = Counter(
        LANGUAGES[str(note.properties["lang"])] for note in sample.values() if "lang" in note.properties
    )
    links = list(resolved(sample, sample_names))
    joined = {path for note, _, to in links if to.path and to.path != note.path for path in (note.path, to.path)}
    folders = {str(parent) for path in sample_names for parent in Path(path).parents} - {"."}
    assert promised == {
        "Markdown notes": kinds["note"],
        "canvas": kinds["canvas"],
        "Excalidraw drawing": kinds["excalidraw"],
        "PDF (two pages of text)": kinds["pdf"],
        "pictures (PNG, SVG)": sum(path.endswith((".png", ".svg")) for path in sample_names),
        "folders, three levels deep at most": len(folders),
        "links": len(links),
        "links to pages that are not written yet": sum(to.path is None for _, _, to in links),
        "tags": len(tags),
        "nested tags": sum("/" in tag for tag in tags),
        "aliases": sum(len(note.aliases) for note in sample.values()),
        "tasks": sum(len(note.tasks) for note in sample.values()),
        "callouts": sum(len(note.callouts) for note in sample.values()),
        "daily notes": sum(path.startswith("Daily/") for path in sample),
        "templates": sum(path.startswith("Templates/") for path in sample),
        "orphans, templates aside": sum(
            note.kind == "note" and path not in joined and not path.startswith("Templates/")
            for path, note in sample.items()
        ),
        **{f"notes in {language}": count for language, count in languages.items()},
    }
    assert max(folder.count("/") for folder in folders) == 2


def test_each_link_of_the_sample_vault_resolves_but_the_promised_stubs(
    sample: dict[VaultPath, Note], sample_names: Names
) -> None:
    assert {target for _, target, to in resolved(sample, sample_names) if to.path is None} == STUBS


def test_each_heading_and_block_that_the_sample_vault_links_to_exists(
    sample: dict[VaultPath, Note], sample_names: Names
) -> None:
    blocks = headings = 0
    for note, target, to in resolved(sample, sample_names):
        meant = sample.get(to.path) if to.path else None
        if meant is None or meant.kind == "pdf":
            continue
        if to.block:
            blocks += 1
            assert to.block in {block.id for block in meant.blocks}, (note.path, target)
        if to.heading:
            headings += 1
            start, end = find_section(meant, to.heading)
            assert end > start, (note.path, target)
    assert (blocks, headings) == (8, 32)


def test_the_sample_vault_reads_without_a_problem(sample: dict[VaultPath, Note]) -> None:
    assert {path: note.problems for path, note in sample.items() if note.problems} == {}


def test_the_sample_vault_has_every_kind_of_markup(sample: dict[VaultPath, Note]) -> None:
    notes = sample.values()
    assert {task.status for note in notes for task in note.tasks} == set(" x/->!?")
    assert {link.kind for note in notes for link in note.links} == {"wiki", "embed", "markdown", "property", "canvas"}
    assert {"fence", "table", "callout", "math", "list_item", "paragraph", "heading", "card", "page"} <= {
        piece.kind for note in notes for piece in note.pieces
    }
    types = {type(value) for note in notes for value in note.properties.values()}
    assert {str, int, float, bool, list} <= types
    assert {field.key for note in notes for field in note.fields} >= {"due", "completion", "target", "pH", "build"}
    assert sum(len(note.comments) for note in notes) == 3


def test_two_notes_share_a_name_and_the_nearer_one_is_meant(sample_names: Names) -> None:
    loaf, grain = VaultPath("Bread/Recipes/Rye breads/Rye.md"), VaultPath("Bread/Flours/Rye.md")
    assert sample_names.resolve("Rye", VaultPath("Bread/Recipes/Rye breads/Roggenschrotbrot.md")).path == loaf
    assert sample_names.resolve("Rye", VaultPath("Garden/Soil/Green manure.md")).path == grain
    assert sample_names.resolve("Index", VaultPath("Welcome.md")).path == "Index.md"
    assert sample_names.resolve("Bread/Index", VaultPath("Welcome.md")).path == "Bread/Index.md"


def test_code_and_escapes_of_the_sample_vault_are_no_links_tags_or_tasks(sample: dict[VaultPath, Note]) -> None:
    note = sample[VaultPath("Inbox/To sort.md")]
    assert [link.target for link in note.links] == [
        "Tempeh",
        "Composting#Hot or cold",
        "Potager du Roi",
        "Rhubarb%20forcing.md",
    ]
    assert [tag.name for tag in note.tags] == ["inbox", "inbox/2025"]
    assert note.tasks == ()
    code = sample[VaultPath("Bread/Science/Baker's percentages.md")]
    assert "Country loaf" in [link.target for link in code.links]
    assert [tag.name for tag in code.tags] == ["bread/science", "maths"]


def test_the_pdf_of_the_sample_vault_gives_up_the_text_of_both_pages(sample: dict[VaultPath, Note]) -> None:
    note = sample[VaultPath("Attachments/Sowing calendar.pdf")]
    pages = [note.text[start:end] for start, end in (piece.span for piece in note.pieces if piece.kind == "page")]
    assert len(pages) == 2
    assert "Chitting of early potatoes" in pages[0]
    assert "winter purslane" in pages[1]


def test_the_canvas_links_its_files_and_says_its_cards_and_arrows(sample: dict[VaultPath, Note]) -> None:
    note = sample[VaultPath("Boards/The year on Plot 17.canvas")]
    assert "lamp oil" in note.text
    assert "twenty heads go into the paste" in note.text
    assert "a1f0c2d3e4b50001" not in note.text
    assert [link.target for link in note.links if link.kind == "canvas"] == [
        "Garden/Plants/Garlic.md",
        "Ferments/Vegetables/Kimchi.md#Waiting",
        "Ferments/Beans/味噌.md",
        "Garden/Plants/Broad beans.md",
        "Garden/Plants/Tomatoes.md",
        "Projects/Cob oven/Cob oven.md#Baking order",
        "Attachments/Sowing calendar.pdf",
        "Attachments/bed plan.svg",
    ]


def test_the_drawing_is_its_labels_and_not_its_json(sample: dict[VaultPath, Note]) -> None:
    note = sample[VaultPath("Projects/Cob oven/Oven plan.excalidraw.md")]
    assert "Chimney sits in front of the door" in note.text
    assert [link.target for link in note.links] == ["Build log"]
    shown = [note.text[start:end] for start, end in (piece.span for piece in note.pieces)]
    assert not any("strokeColor" in text for text in shown)


def test_obsidians_settings_of_the_sample_vault_are_read_and_leave_out_the_answers() -> None:
    settings = read_obsidian_settings(SAMPLE)
    assert settings.ignored == ("Help/",)
    assert (settings.daily_folder, settings.daily_format) == ("Daily", "YYYY-MM-DD")
    assert settings.template_folder == "Templates"
    assert settings.property_types["hydration"] == "number"
    scan = Vault(SAMPLE, Rules(ignored=settings.ignored)).scan()
    assert "Help/Ten searches.md" not in scan.files
    assert "Help/Ten searches.md" in scan.others
    assert "Help/" in scan.skipped


def test_each_query_of_the_sample_vault_names_a_document_that_is_indexed() -> None:
    settings = read_obsidian_settings(SAMPLE)
    indexed = Vault(SAMPLE, Rules(ignored=settings.ignored)).scan().files
    queries = json.loads(QUERIES.read_text(encoding="utf-8"))
    assert len(queries) >= 12
    for entry in queries:
        assert entry["expect"] in indexed, entry
        assert entry["mode"] in {"keyword", "semantic", "hybrid"}, entry
        assert 1 <= entry["within_top"] <= 10, entry


def test_the_table_has_every_link_of_the_tangled_vault() -> None:
    table = json.loads(TANGLED_LINKS.read_text(encoding="utf-8"))
    written = Counter((note.path, link.target, link.kind) for note in notes_of(TANGLED).values() for link in note.links)
    assert written == Counter((row["source"], row["raw"], row["kind"]) for row in table)


@pytest.mark.parametrize(
    "row",
    json.loads(TANGLED_LINKS.read_text(encoding="utf-8")),
    ids=lambda row: f"{row['source']}: {row['kind']} {row['raw']} ({row['why']})",
)
def test_a_tangled_link_leads_where_obsidian_would_go(row: dict[str, str]) -> None:
    names = Names(files_of(TANGLED))
    kind = row["kind"]
    assert kind in {"wiki", "embed", "markdown", "property"}
    assert names.resolve(row["raw"], VaultPath(row["source"]), kind).path == row["target"]  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [path for path in files_of(HOSTILE) if is_document(path)])
def test_a_hostile_file_is_read_and_its_places_lie_inside_it(path: VaultPath) -> None:
    note = read_document(path, (HOSTILE / path).read_bytes())
    lines = note.text.count("\n") + 1
    spans = [
        *(heading.span for heading in note.headings),
        *(link.span for link in note.links),
        *(piece.span for piece in note.pieces),
        *note.comments,
    ]
    assert all(0 <= start <= end <= len(note.text) for start, end in spans)
    assert 0 <= note.body <= len(note.text)
    assert all(1 <= heading.line <= lines for heading in note.headings)
    assert all(1 <= tag.line <= lines for tag in note.tags)
    assert all(1 <= task.line <= lines for task in note.tasks)
    assert all(1 <= link.line <= lines for link in note.links)
    assert all(1 <= first <= last <= lines for first, last in (block.lines for block in note.blocks))
    assert all(1 <= first <= last <= lines for first, last in (callout.lines for callout in note.callouts))
    assert Outline(note).at(len(note.text)).strip() == Outline(note).at(len(note.text))
    note.text.encode("utf-8")
    json.dumps(note.properties, allow_nan=True)


def test_files_that_cannot_be_read_say_so() -> None:
    notes = notes_of(HOSTILE)
    damaged = {path for path, note in notes.items() if note.problems}
    assert {
        "bytes/invalid utf-8.md",
        "bytes/latin-1.md",
        "documents/broken.canvas",
        "documents/deep.canvas",
        "documents/empty.pdf",
        "documents/encrypted.pdf",
        "documents/truncated.pdf",
        "documents/broken.excalidraw",
        "properties/bomb.md",
        "properties/broken.md",
        "properties/deep.md",
    } <= damaged
    assert {path for path in damaged if path.startswith(("names/", "markup/", "instructions/"))} == set()


def test_a_note_whose_properties_break_keeps_its_text_links_and_tags() -> None:
    note = notes_of(HOSTILE)[VaultPath("properties/broken.md")]
    assert note.properties == {}
    assert [heading.text for heading in note.headings] == ["Still a note"]
    assert [link.target for link in note.links] == ["link"]
    assert [tag.name for tag in note.tags] == ["tag"]


def test_windows_line_ends_and_byte_order_marks_change_nothing() -> None:
    notes = notes_of(HOSTILE)
    crlf = notes[VaultPath("bytes/crlf.md")]
    assert [tag.name for tag in crlf.tags] == ["one", "two"]
    assert [link.target for link in crlf.links] == ["a link"]
    assert [(block.id, block.lines[1]) for block in crlf.blocks] == [("block", 7)]
    assert [task.status for task in crlf.tasks] == ["x"]
    bom = notes[VaultPath("bytes/bom.md")]
    assert bom.properties == {"title": "After a byte order mark", "tags": ["bom"]}
    assert [(heading.text, heading.line) for heading in bom.headings] == [("BOM", 5)]


def test_an_open_fence_hides_the_rest_and_an_open_comment_does_not() -> None:
    notes = notes_of(HOSTILE)
    fence = notes[VaultPath("markup/unclosed fence.md")]
    assert [link.target for link in fence.links] == ["before"]
    assert [heading.text for heading in fence.headings] == ["Before"]
    comment = notes[VaultPath("markup/unclosed comment.md")]
    assert [heading.text for heading in comment.headings] == ["Before", "hidden heading"]


def test_hidden_and_deleted_notes_of_the_hostile_vault_are_not_indexed() -> None:
    scan = Vault(HOSTILE, Rules()).scan()
    hidden = {"names/.hidden note.md", "names/.hidden folder/inside.md", ".trash/Deleted.md"}
    assert hidden & (scan.files.keys() | scan.others) == set()
    assert set(scan.files) == {path for path in files_of(HOSTILE) if is_document(path)} - hidden
    assert "names/folder.md/inside.md" in scan.files


def test_senseless_settings_of_obsidian_count_as_not_set() -> None:
    settings = read_obsidian_settings(HOSTILE)
    assert (settings.new_link_format, settings.trash, settings.daily_folder) == ("shortest", "system", "")
    assert settings.property_types == {}


def test_names_that_cannot_be_committed_are_scanned_and_read(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    written = write_awkward_names(tmp_path) - {".obsidian"}
    assert 1 <= len(written) <= len(AWKWARD_NAMES)
    vault = Vault(tmp_path, Rules())
    scan = vault.scan()
    for path in scan.files:
        data, stat = vault.read(path)
        assert len(data) == stat.size
    told = len(scan.files) + len(scan.others) + len(set(scan.skipped) - scan.others)
    assert told == len(written), scan
