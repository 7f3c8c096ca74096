import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bridge.index.boilerplate import MAX_LINE_CHARS, Boilerplate
from bridge.types import VaultPath
from tests.index.made import learn_from, sentence


def test_a_line_in_many_notes_is_boilerplate() -> None:
    learnt = learn_from([f"<< [[2024-01-{n:02}]] | Today >>\n{sentence(n, 8)}" for n in range(1, 31)])
    assert "<< [[2025-12-24]] | Today >>" in learnt
    assert sentence(3, 8) not in learnt


def test_a_line_said_often_in_one_note_is_none() -> None:
    assert "again and again" not in learn_from(["again and again\n" * 100, *[sentence(n, 5) for n in range(50)]])


def test_a_small_vault_keeps_what_it_repeats() -> None:
    assert "- [ ] TODO write this" not in learn_from(["- [ ] TODO write this\n"] * 7)


def test_a_large_vault_keeps_what_few_notes_share() -> None:
    notes = [f"{sentence(n, 5)}\n" + ("Shared by some\n" if n < 20 else "") for n in range(1000)]
    assert "Shared by some" not in learn_from(notes)


def test_the_frontmatter_is_not_learnt() -> None:
    assert "status: draft" not in learn_from(["---\nstatus: draft\n---\ntext\n"] * 40)


def test_a_line_too_long_for_a_passage_is_none() -> None:
    longest = "w" * MAX_LINE_CHARS
    learnt = learn_from([f"{longest}\n{longest}w\nlast"] * 8)
    assert longest in learnt
    assert "last" in learnt
    assert f"{longest}w" not in learnt
    assert learnt.among([f"{longest}\n"] * 8).recurring < learnt.recurring


def test_markers_and_numbers_do_not_tell_lines_apart() -> None:
    learnt = learn_from([f"## Week {n} review\n" for n in range(20)])
    assert "- Week 7  REVIEW" in learnt
    assert "1" not in learnt


@given(st.lists(st.text(st.sampled_from("aB1 #>-*[]x\u00df\u0130\n\t"), max_size=30), min_size=1, max_size=5))
def test_what_was_learnt_holds_the_same_lines_after_a_restart(texts: list[str]) -> None:
    learnt = learn_from(texts * 8)
    again = Boilerplate.loads(learnt.dumps())
    lines = [line for text in texts for each in text.split("\n") for line in (each, f"- {each}", each.upper())]
    assert [line in learnt for line in lines] == [line in again for line in lines]


def test_nothing_is_known_before_learning() -> None:
    assert Boilerplate().version == 0
    assert "anything" not in Boilerplate()


@given(st.lists(st.text(), max_size=30), st.integers(1, 9))
def test_what_was_learnt_can_be_written_down(texts: list[str], version: int) -> None:
    learnt = replace(learn_from([*texts, *["same line"] * 20]), version=version)
    assert Boilerplate.loads(learnt.dumps()) == learnt


@pytest.mark.parametrize("data", ["", "[]", "{}", '{"version": 1}', '{"version": "x", "recurring": []}', "rubbish"])
def test_something_else_is_refused(data: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - JSON has a message of its own
        Boilerplate.loads(data)


def elves() -> list[str]:
    return [
        f"---\ntype: elf\n---\n# {sentence(n, 2)}\n\n| Attribute | Value |\n|---|---|\n| Race | Elf |\n"
        f"| Home | {sentence(n, 1)} |\n**Age:** {sentence(n + 50, 1)}\n\n{sentence(n, 9)}\n\n"
        "## Secrets\nCurrently none\n"
        for n in range(20)
    ]


def test_what_most_notes_of_a_type_or_a_folder_share_is_boilerplate_however_large_the_vault() -> None:
    others = [(VaultPath(f"other/{n}.md"), f"{sentence(n + 1000, 9)}\n") for n in range(900)]
    scattered = [(VaultPath(f"{n}/{n}.md"), text) for n, text in enumerate(elves())]
    together = [(VaultPath(f"elves/{n}.md"), text.replace("type: elf", "")) for n, text in enumerate(elves())]
    for notes in (scattered, together):
        learnt = Boilerplate.learn([*others, *notes])
        assert all(line in learnt for line in ("## Secrets", "Currently none", "| Attribute | Value |"))
        assert sentence(1001, 9) not in learnt


def test_what_few_notes_keep_of_a_template_is_boilerplate_but_not_its_names_of_sections() -> None:
    prompt, other = "1. What did I learn today that I want to keep?", "2. What will I do about it tomorrow morning?"
    days = [(f"Daily/{n}.md", f"## Review\n{prompt}\n{sentence(n, 8)}\n") for n in range(2)]
    days += [(f"Daily/{n}.md", sentence(n, 8)) for n in range(2, 30)]
    for folder in ("Extras/Templates", "Forms"):
        notes = [*days, (f"{folder}/Day.md", f"## Review\n{prompt}\n{other}\n")]
        learnt = Boilerplate.learn(((VaultPath(path), text) for path, text in notes), template_folders=["Forms"])
        assert prompt in learnt
        assert "## Review" not in learnt
        assert other not in learnt
    assert prompt not in Boilerplate.learn((VaultPath(path), text) for path, text in days)


def test_a_label_recurs_and_its_values_do_not() -> None:
    learnt = learn_from(elves(), "elves/")
    text = f"> | Race | Elf |\n> | Home | {sentence(3, 1)} |\n**Age:** {sentence(9, 1)}\nRace alone\n"
    assert [text[slice(*label)] for label in learnt.labels(text)] == ["| Race |", "| Home |", "Age:**"]
    assert f"| Home | {sentence(3, 1)} |" not in learnt
    assert Boilerplate.loads(learnt.dumps()).labels(text) == learnt.labels(text)
    assert learnt.among(elves()).labels(text) == learnt.labels(text)
    assert learnt.among(elves()[:4]).labels(text) == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Before\n```mermaid\nA --> B\n```\nafter", "Before after"),
        ("~~~dot\nA -> B", ""),
        ("> ```dataview\n> LIST\n> ```\n> said", "> said"),
        ("```py\n{{ code }} https://a.example/b\n```", "```py {{ code }} https://a.example/b ```"),
        ("Said <% tp.date.now() %> and {{title}} `= this.race`", "Said and"),
        ("`{{title}}` and `<% tp %>` are fields", "`{{title}}` and `<% tp %>` are fields"),
        ("See https://www.a.example/b?c=1 or [b](https://b.example/x).", "See a.example or [b](https://b.example/x)."),
        ("*Lorem ipsum dolor sit.*\n\n*Aliquam eget felis vel.*\nRye is fed.", "Rye is fed."),
        ("Aliquam eget felis vel.", "Aliquam eget felis vel."),
        ("This page is still empty, but planned.\n-- 🚧 work in progress 🚧 --\nIt is empty.", "It is empty."),
        ("- Lorem ipsum dolor sit amet.\nThis section is currently empty.\nTBD\nIt is empty.", "It is empty."),
    ],
)
def test_blanks_stand_for_what_is_no_content(text: str, left: str) -> None:
    blanked = Boilerplate().blank(text)
    assert " ".join(blanked.split()) == left
    assert len(blanked) == len(text)
    assert [at for at, sign in enumerate(blanked) if sign == "\n"] == [
        at for at, sign in enumerate(text) if sign == "\n"
    ]


def test_who_reads_the_whole_note_reads_its_diagrams_and_addresses() -> None:
    text = "```mermaid\nA --> B\n```\nhttps://a.example/b\n```dataview\nLIST\n```"
    assert Boilerplate().blank(text, whole=True).split() == text.split()[:-3]
    said = "## Steps\n1. Open it\nIt opens.\n| apples | 3 |\n"
    learnt = learn_from([f"{said}[[Home]] and [[Index]]\n"] * 9)
    assert learnt.blank(f"{said}[[Home]] and [[Index]]\n", whole=True).rstrip() == said.rstrip()
    assert not learnt.blank(said).strip()
