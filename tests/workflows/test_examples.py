"""What notes have in common becomes a step; what differs between them becomes variables, or is left empty."""

import unicodedata
from typing import Any

import pytest

from bridge.features.workflows.examples import DraftedSteps, Example, draft_note
from bridge.features.workflows.parse import read_workflow
from bridge.features.workflows.read import find_block, workflow_note, workflow_yaml
from bridge.features.workflows.templates import bind_variables
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings, daily_path

DAILY = ObsidianSettings(daily_folder="Log", daily_format="YYYY-MM-DD")


WEEKS = ("Rye", "2026-W05-1"), ("Oat", "2026-W06-1")


def drafted(notes: dict[str, str]) -> DraftedSteps:
    examples = []
    for path, text in notes.items():
        cut = cut_frontmatter(text)
        properties: Any = {} if cut is None else load_properties(text[slice(*cut[0])]).values
        examples.append(Example(VaultPath(path), properties, text[0 if cut is None else cut[1] :]))
    return draft_note(examples, lambda day: daily_path(DAILY, day))


def arguments(found: DraftedSteps) -> dict[str, Any]:
    return {name: value for name, value in found.steps[0].items() if name not in ("id", "do")}


def kinds(found: DraftedSteps) -> dict[str, Any]:
    return {name: (one["type"], one.get("required", True)) for name, one in found.variables.items()}


def test_what_differs_is_a_variable_called_after_its_property() -> None:
    found = drafted(
        {
            "Books/Dune.md": (
                "---\ncreated: 2026-01-31\nauthor: '[[Frank Herbert]]'\nyear: 1965\nrating: 5\nstatus: read\n"
                "genre: ['[[Novel]]', '[[Desert]]']\ntags: [book, sand]\ncover: covers/Dune.jpg\nseen:\n---\n"
                "# Dune\n\n> Author: Frank Herbert\n\n## What it says\n\nSand, and what lives in it.\n\n## Quotes\n"
            ),
            "Books/Emma.md": (
                "---\ncreated: 2026-02-03\nauthor: '[[Jane Austen]]'\nyear: 1815\nrating: 5\nstatus: read\n"
                "genre: ['[[Novel]]']\ntags: [book]\ncover: covers/Emma.jpg\nseen:\nisbn: 1\n---\n"
                "# Emma\n\n> Author: Jane Austen\n\n## What it says\n\n## Quotes\n\n- She was handsome.\n"
            ),
        }
    )
    assert arguments(found) == {
        "path": "Books/{{variables.title}}.md",
        "properties": {
            "created": "{{today}}",
            "author": "[[{{variables.author}}]]",
            "year": "{{variables.year}}",
            "rating": "{{variables.rating}}",
            "status": "read",
            "genre": ["[[Novel]]", "{{variables.genre}}"],
            "tags": ["book", "{{variables.tags}}"],
            "cover": "covers/{{variables.title}}.jpg",
            "seen": None,
        },
        "text": "# {{variables.title}}\n\n> Author: {{variables.author}}\n\n## What it says\n\n## Quotes\n",
    }
    # A property may stay empty, but not the name of a note or a link.
    assert kinds(found) == {
        "title": ("text", True),
        "author": ("text", True),
        "year": ("number", False),
        "rating": ("number", False),
        "genre": ("list", False),
        "tags": ("list", False),
    }
    assert found.variables["author"]["description"] == "Frank Herbert · Jane Austen"
    assert found.left_out == ("isbn",)


def test_a_week_is_no_day() -> None:
    found = drafted({f"Log/{name}.md": f"---\nweek: {week}\n---\nDone.\n" for name, week in WEEKS})
    assert kinds(found)["week"] == ("text", False)


def test_days_of_daily_notes_move_and_habits_are_open_again() -> None:
    found = drafted(
        {
            f"Log/2026-01-{day}.md": (
                f"---\ndate: 2026-01-{day}\nmood: {day % 5}\n---\n# {weekday}, {day} January 2026\n\n"
                f"[[2026-01-{day - 1}]] | [[2026-01-{day + 1}]]\n\n- [{mark}] Water the beds\n- [x] Only of {weekday}\n"
                f"\nrain:: {day} mm\n\n```dataview\nTABLE file.ctime\n```\n"
            )
            for day, weekday, mark in ((30, "Friday", "x"), (28, "Wednesday", " "))
        }
    )
    assert arguments(found) == {
        "path": "{{daily}}",
        "properties": {"date": "{{today}}", "mood": "{{variables.mood}}"},
        "text": (
            "# {{now:dddd, D MMMM YYYY}}\n\n[[{{date:-1d}}]] | [[{{date:+1d}}]]\n\n- [ ] Water the beds\n\n"
            "rain:: {{variables.rain}}\n\n```dataview\nTABLE file.ctime\n```\n"
        ),
    }


def test_a_day_on_which_a_note_was_not_written_is_a_variable() -> None:
    found = drafted(
        {
            f"Live/{day} — {place}.md": f"---\nDate: {day}\nPage created: 2026-03-04\n---\n# {day} — {place}\n"
            for day, place in (("1983-10-12", "London"), ("2001-05-30", "Antwerp"))
        }
    )
    assert arguments(found)["path"] == "Live/{{variables.Date}} — {{variables.title}}.md"
    assert arguments(found)["properties"] == {"Date": "{{variables.Date}}", "Page created": "{{today}}"}
    assert arguments(found)["text"] == "# {{variables.Date}} — {{variables.title}}\n"
    assert kinds(found) == {"Date": ("date", True), "title": ("text", True)}


@pytest.mark.parametrize(
    ("paths", "path"),
    [
        (
            ["Uni/Lezione Reti 2026-11-28.md", "Uni/Lezione Automi 2026-11-30.md"],
            "Uni/Lezione {{variables.title}} {{today}}.md",
        ),
        (["A/The Stand.md", "A/The Shining.md"], "A/{{variables.title}}.md"),
        (["A/人生的智慧.md", "A/人生海海.md"], "A/{{variables.title}}.md"),
        (["A/《活着》.md", "A/《海》.md"], "A/《{{variables.title}}》.md"),
        (["2026/01/31.01.2026.md", "2025/12/24.12.2025.md"], "{{now:YYYY}}/{{now:MM}}/{{now:DD.MM.YYYY}}.md"),
        (["A/B/x.md", "A/C/y.md"], "{{variables.folder}}/{{variables.title}}.md"),
        (["A/B/x.md", "y.md"], "{{variables.title}}.md"),
        (["A/Meeting with Ann 2026-11-28.md"], "A/{{variables.title}} {{today}}.md"),
        (["A/a{b.md", "A/a{c.md"], "A/{{variables.title}}.md"),
    ],
)
def test_the_name_of_a_file(paths: list[str], path: str) -> None:
    assert arguments(drafted(dict.fromkeys(paths, ""))) == {"path": path}


def test_a_title_has_the_name_of_its_property_and_is_found_in_links() -> None:
    found = drafted(
        {
            f"Uni/Lezione {of} 2026-11-28.md": f"---\nclass: '[[{of}]]'\ncourse: {of}\n---\n"
            f"# {of.upper()}\n\nOf {of}. {{{{x}}}}\n"
            for of in ("Reti", "Automi")
        }
    )
    assert arguments(found) == {
        "path": "Uni/Lezione {{variables.course}} {{today}}.md",
        "properties": {"class": "[[{{variables.course}}]]", "course": "{{variables.course}}"},
        "text": "# {{variables.course}}\n\nOf {{variables.course}}. \\{{x}}\n",
    }


def test_of_a_single_note_the_structure_stays() -> None:
    found = drafted(
        {
            "Notes/Salt.md": (
                "---\ntype: recipe\nserves: 4\ndone: false\n---\n# Salt\n\nLong words.\n\n## Steps\n\n1. Stir.\n\n"
                "### Of salt\n\n**Source**: a friend\n\n---\n\n![[Recipes.base]]\n"
            )
        }
    )
    assert arguments(found) == {
        "path": "Notes/{{variables.title}}.md",
        "properties": {"type": "recipe", "serves": "{{variables.serves}}", "done": False},
        "text": "# {{variables.title}}\n\n## Steps\n\n**Source**:\n\n---\n\n![[Recipes.base]]\n",
    }


@pytest.mark.parametrize(
    "text", ["yes", "0o17", "1e3", "a: b # c", "- x\n  y\n", "```\nx\n```\n", "\u2028", "  x  \n\ny ", "[[a]]", "{{x"]
)
def test_yaml_says_what_was_meant(text: str) -> None:
    steps: list[dict[str, Any]] = [
        {"id": "a", "do": "create_note", "path": "A.md", "text": text, "properties": {"n": 1, "t": text, "of": None}}
    ]
    written = workflow_yaml("Of a: b", {"v": {"type": "text"}}, steps, "Done.")
    workflow = read_workflow(written).workflow
    assert (workflow.description, workflow.output) == ("Of a: b", "Done.")
    assert workflow.steps[0].arguments == {name: value for name, value in steps[0].items() if name not in ("id", "do")}
    assert read_workflow(find_block(workflow_note("N", "Prose", written)).text).workflow == workflow


def test_a_line_that_differs_in_one_place_stays_with_its_variable() -> None:
    found = drafted(
        {
            f"Shows/{day} — {place}.md": (
                f"---\nDate: {day}\nPage created: 2026-03-04\nLocation: {place}\n"
                f"Link: https://a.example/watch?v={video}\nsr-due: {day}\n"
                f"aliases: {aliases}\ntags: [show, {tag}]\n---\n\n"
                f"# {day} — {place}\n\nThey played at {place} on {said}.\n\n\n"
                f"## Setlist\n1. [[{tag}]]\n2. [[x]]\n\n> [!note] Said\n> **{said} was loud**.\n\n"
                f'<iframe src="https://a.example/embed/{video}" width="1"></iframe>\n\n'
                f"[Entry at the archive](https://b.example/{tag})\n"
            )
            for day, place, said, video, aliases, tag in (
                ("2002-04-07", "Muffathalle (Munich)", "Apr. 7th, 2002", "2MVSs_e4", "'[]'", "loud"),
                ("2001-06-01", "Paradiso (Amsterdam)", "June 1st, 2001", "fvGLnthJ", "'[]'", "long"),
            )
        }
    )
    assert arguments(found) == {
        "path": "Shows/{{variables.Date}} — {{variables.Location}}.md",
        "properties": {
            "Date": "{{variables.Date}}",
            "Page created": "{{today}}",
            "Location": "{{variables.Location}}",
            "Link": "https://a.example/watch?v={{variables.Link}}",
            "aliases": [],
            "tags": ["show", "{{variables.tags}}"],
        },
        "text": (
            "\n# {{variables.Date}} — {{variables.Location}}\n\n"
            "They played at {{variables.Location}} on {{variables.Date:MMM. Do, YYYY}}.\n\n\n"
            "## Setlist\n2. [[x]]\n\n> [!note] Said\n> **{{variables.Date:MMM. Do, YYYY}} was loud**.\n\n"
            '<iframe src="https://a.example/embed/{{variables.Link}}" width="1"></iframe>\n\n'
            "[Entry at the archive]({{variables.Entry_at_the_archive}})\n"
        ),
    }
    assert found.left_out == ("sr-due",)
    assert found.text_left_out == ("## Setlist: 2 lines, such as 1. [[loud]]",)


def test_text_is_taken_for_what_it_is() -> None:
    found = drafted(
        {
            f"Films/{title} (CD Version).md": f"---\ntitle: {title} (CD Version)\nyear: {year}\n"
            f"also: {also}\nOriginal: ''\n---\n"
            f"| __Died:__ | {also} |\n| __Year__: | {year} |\n"
            for title, year, also in (("1917", 2019, ""), ("291", 2016, "x"))
        }
    )
    assert arguments(found)["path"] == "Films/{{variables.title}} (CD Version).md"
    assert arguments(found)["properties"] == {
        "title": "{{variables.title}} (CD Version)",
        "year": "{{variables.year}}",
        "also": "{{variables.also}}",
        "Original": "",
    }
    assert arguments(found)["text"] == "| __Died:__ | {{variables.Died}} |\n| __Year__: | {{variables.year}} |\n"
    assert (found.variables["title"]["type"], found.variables["also"]["default"]) == ("text", "")


@pytest.mark.parametrize(
    ("names", "property_name"),
    [
        (("राम शर्मा", "सीता वर्मा"), "पेशा"),
        (("มาลี", "สมศรี"), "อาชีพ"),
        (("حسنًا", "سعيدًا"), "مِهنة"),
        (("کتاب\u200cها", "خانه\u200cها"), "نام\u200cها"),
        (("Trần Đức\u0323", "Lê Hoa\u0323"), unicodedata.normalize("NFD", "phần")),
        (("👩\u200d🎓", "👨\u200d🎓"), "பெயர்"),
    ],
)
def test_letters_stay_whole_in_any_script(names: tuple[str, str], property_name: str) -> None:
    found = drafted({f"p/{name}.md": f"---\n{property_name}: {at}\n---\n# {name}\n" for at, name in enumerate(names)})
    id_ = unicodedata.normalize("NFC", property_name)
    assert arguments(found) == {
        "path": "p/{{variables.title}}.md",
        "properties": {property_name: f"{{{{variables.{id_}}}}}"},
        "text": "# {{variables.title}}\n",
    }
    assert found.variables["title"]["description"] == " · ".join(names)
    workflow = read_workflow(workflow_yaml("A person.", found.variables, found.steps, ""))
    assert not workflow.problems
    assert bind_variables(workflow.workflow, {"title": "x", property_name: 3}, lambda _, text: text)[id_] == 3


def test_pictures_and_the_ends_of_ids_are_not_asked_for() -> None:
    pictures = "![cover](https://example.com/{2}/{0}.jpg)\n\n![[Pasted image {3}.png]]"
    text = f"---\nbook: '{{0}}'\n---\n# {{1}}\n\n{pictures}\n\nRead it.\n"
    books = (("621675", "Amber", "675", "2023082001"), ("212919", "Beige", "919", "2023082002"))
    found = drafted({f"Books/{one[1]}.md": text.format(*one) for one in books})
    assert {*found.variables} == {"title", "book"}
    assert arguments(found)["text"] == "# {{variables.title}}\n\nRead it.\n"
    assert found.text_left_out[0].startswith("# {{variables.title}}: 4 lines, such as ![cover]")
