"""Pairs of notes that may be one are found, and those that only look alike are not."""

import random
import re
from pathlib import Path

import pytest

from bridge.features.entities.merge_pairs import (
    MergeSuggestion,
    are_siblings,
    find_common_text,
    find_merge_pairs,
    may_be_one,
)
from bridge.index.note import pack_note
from bridge.markdown.documents import read_document
from bridge.markdown.names import Names
from bridge.types import VaultPath
from scripts.lib.evaluation.graphs import Edge, build_graph

SAMPLE = Path(__file__).parents[1] / "vaults" / "sample"
PROSE = (
    "Feed the starter twice a day when the kitchen is warm, once when it is cold, and never throw the rest away "
    "before the new one has doubled. "
)


def pairs(files: dict[str, str]) -> list[MergeSuggestion]:
    notes = {VaultPath(path): read_document(VaultPath(path), text.encode()) for path, text in files.items()}
    names = Names(notes)
    edges = []
    for path, note in notes.items():
        for link in note.links:
            target = names.resolve(link.target, path, link.kind).path
            if target is not None:
                edges.append(Edge(path, target))
    packed = {
        path: pack_note(note, mtime_ns=0, size=0, passages=0, left_out=(), language=None, recipe="")
        for path, note in notes.items()
    }
    return find_merge_pairs(packed, {path: note.text for path, note in notes.items()}, build_graph(notes, edges))


def reasons(files: dict[str, str]) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(one.path, one.into): one.why for one in pairs(files)}


def test_names_are_the_same_but_for_spelling_and_marks_of_copies() -> None:
    assert reasons({"Note-taking.md": "One.", "a/Note taking.md": "Two, and more words."}) == {
        ("Note-taking.md", "a/Note taking.md"): ("name", "stub")
    }
    assert reasons(
        {
            "Rye.md": PROSE,
            "Rye copy.md": "Something else, in many more words, that never was said before by any note here.",
        }
    ) == {("Rye copy.md", "Rye.md"): ("name",)}


def test_a_sign_can_make_another_name() -> None:
    texts = ("One.", "Two, and more words.", "All about trains, timetables and stations.")
    assert reasons(dict(zip(("C.md", "C#.md", "C++.md"), texts, strict=True))) == {}
    assert reasons({"Gave Up (Full Mix).md": "", "Gave Up (Full Mix+).md": ""}) == {}


def test_the_same_name_in_two_folders_alone_says_nothing() -> None:
    other = "All about trains, timetables and the stations between them, for a whole long sentence."
    assert reasons({"Bread/Overview.md": PROSE, "Travel/Overview.md": other}) == {}


def test_an_alias_that_is_the_name_of_a_note_means_it_only_if_that_note_says_nothing() -> None:
    sourdough = f"---\naliases: [levain]\n---\n{PROSE}"
    assert reasons({"Levain.md": "# Levain\n", "Sourdough.md": sourdough}) == {
        ("Levain.md", "Sourdough.md"): ("alias", "stub")
    }
    low_fat = "Of all that one eats in a day, fifteen percent at most are fat, and the rest is bread and fruit."
    assert reasons({"Levain.md": low_fat, "Sourdough.md": sourdough}) == {}


def test_names_spelt_alike_are_one_in_a_folder_and_may_be_two_in_two() -> None:
    other = "All about trains, timetables and the stations between them, for a whole long sentence."
    assert reasons({"Songs/Who’ll Fall?.md": PROSE, "Songs/Who'll Fall.md": other}) == {
        ("Songs/Who'll Fall.md", "Songs/Who’ll Fall?.md"): ("name",)
    }
    assert reasons({"Books/📚Dune.md": PROSE, "Films/Dune.md": other}) == {}
    # The sign at the beginning says of which kind a note is.
    assert reasons({"📈 Plugins.md": PROSE, "∑ Plugins.md": other}) == {}
    assert reasons({"📚Logic.md": PROSE, "Logic.md": "# Logic"}) == {("Logic.md", "📚Logic.md"): ("name", "stub")}


def test_two_empty_notes_of_one_name_and_two_releases_of_one_number_are_no_pair() -> None:
    assert reasons({"Atlas/Untitled.md": "", "Health/Untitled.md": ""}) == {}
    assert reasons({"Categories/Games.md": "![[Games.base]]", "Topics/Games.md": "For the table."}) == {}
    assert reasons({"Desktop/v1.0.2.md": PROSE, "Mobile/v1.0.2.md": "One fix."}) == {}


def test_a_song_and_the_album_of_its_name_are_two_things() -> None:
    album = f"---\ntype: album\n---\n{PROSE}"
    assert reasons({"Songs/Zwölf.md": "---\ntype: song\n---\n", "Albums/Zwölf.md": album}) == {}
    assert reasons({"Songs/Zwölf.md": "---\ntype: album\n---\n", "Albums/Zwölf.md": album}) == {
        ("Songs/Zwölf.md", "Albums/Zwölf.md"): ("name", "stub")
    }


def test_much_of_the_text_is_in_both_and_what_many_notes_have_does_not_count() -> None:
    assert reasons({"A.md": PROSE, "B.md": f"# B\n\n{PROSE} And a word more."}) == {("A.md", "B.md"): ("text",)}
    many = {f"{name}.md": PROSE + f"Only {name} is different here." for name in "ABCDEFGH"}
    assert reasons(many) == {}


def test_notes_whose_properties_describe_two_things_are_no_pair() -> None:
    film = "---\naliases: [Mermaid]\ndirector: Chow\ncountry: China\n---\nA film about the sea.\n"
    book = "---\nauthor: Liu\npages: 302\n---\nA book about the stars.\n"
    assert reasons({"Books/📚 Stars.md": book, "Films/Stars.md": film}) == {}
    assert reasons({"Mermaid.md": "", "美人鱼.md": film}) == {("Mermaid.md", "美人鱼.md"): ("alias", "stub")}


def test_tables_that_a_template_fills_are_no_common_text() -> None:
    table = "\n".join(f"| {name} of the release | {name} by the band itself |" for name in ("Title", "Label", "Type"))
    one, other = (f"| a | b |\n|---|---|\n{table}\n\n{text}\n" for text in (PROSE, PROSE[::-1]))
    assert reasons({"A.md": one, "B.md": other}) == {}
    # Nor is one sentence of many.
    long = "\n".join(f"| {number} of the rows | {number * 7} by the band itself |" for number in range(60))
    said = [" ".join(f"{word}{number} goes on." for number in range(60)) for word in ("train", "bread")]
    one, other = (f"| a | b |\n|---|---|\n{long}\n\n{PROSE}\n\n{text}\n" for text in said)
    assert reasons({"A.md": one, "B.md": other}) == {}


def test_what_two_notes_quote_is_not_their_own() -> None:
    said = ("Trains leave at nine from the hill.", "Loaves are baked at night in the mill.")
    quoting = [f"{one}\n\n> {PROSE}\n" for one in said]
    assert reasons(dict(zip(("Railway.md", "Bakery.md"), quoting, strict=True))) == {}
    assert len(reasons(dict(zip(("Railway tales.md", "Tales of railway.md"), quoting, strict=True)))) == 1
    called = [one.replace("> ", "> [!note] ") for one in quoting]
    assert len(reasons(dict(zip(("Railway.md", "Bakery.md"), called, strict=True)))) == 1


def test_a_note_that_leads_elsewhere_is_no_stub() -> None:
    text = "Feeding, proving and baking are described elsewhere, in many words that a stub has not.\n"
    assert reasons({"A/Rye.md": "[[Rye baking]]\n", "B/rye.md": text, "Rye baking.md": PROSE}) == {}
    assert len(reasons({"A/Rye.md": "[[B/rye]]\n", "B/rye.md": text, "Rye baking.md": PROSE})) == 1


def test_what_a_note_has_in_common_with_two_others_is_a_form() -> None:
    said = (
        "Trains leave at nine from the old station on the hill, where nobody has waited for years.",
        "Loaves of barley are baked at night in the mill, and sold before the sun is up.",
        "Hares run over the field when it snows, and back as soon as one of them hears a dog.",
    )
    notes = dict(
        zip(("Beginners.md", "Finishers.md", "Golden hare.md"), (f"{PROSE}{one}" for one in said), strict=True)
    )
    assert reasons(notes) == {}
    assert len(reasons({path: notes[path] for path in ("Beginners.md", "Finishers.md")})) == 1


def test_pages_of_mirrored_folders_are_no_pair() -> None:
    english, italian = (f"{PROSE}{said} by all of those who ever baked here." for said in ("Made", "Fatto"))
    crediti = f"---\naliases: [Credits]\n---\n{italian} Grazie a tutti."
    assert reasons({"en/About/Credits.md": english, "it/About/Crediti.md": crediti}) == {}
    assert reasons({"2023/Work/Plan.md": english, "2024/Work/Plan.md": f"{italian} Grazie a tutti."}) == {}
    assert len(reasons({"About/Credits.md": english, "Inbox/Crediti.md": crediti})) == 1


def test_what_four_notes_say_is_of_a_template() -> None:
    four = {f"{name}.md": PROSE + f"Only {name} is different here." for name in "ABCD"}
    assert reasons(four) == {}
    assert reasons({path: four[path] for path in ("A.md", "B.md")}) != {}


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("2026-01-31", "2026-02-01", False),
        ("20260131 Notes", "20260201 Notes", False),
        ("Chapter 3", "Chapter 4", False),
        ("Chapter 3", "Chapter 3 1", False),
        ("Chapter 3", "Chapter 3 (2)", False),
        ("Constant Shallowness (Part One)", "Constant Shallowness (Part Two)", False),
        ("Musick To Play In The Dark", "Musick To Play In The Dark Vol. 2", False),
        ("Musick, Vol. 1", "Musick, Vol. 2", False),
        ("The Hammers (2)", "The Hammers (3)", False),
        ("Windowpane", "Windowpane 2", False),
        ("Stoned Circular I", "Stoned Circular II", False),
        ("Disequazioni di primo grado", "Disequazioni di secondo grado", False),
        ("Der erste Versuch", "Der zweite Versuch", False),
        ("Première leçon", "Deuxième leçon", False),
        ("Lección primera", "Lección segunda", False),
        ("第一章", "第二章", False),
        ("读书笔记上", "读书笔记下", False),
        ("Первая глава", "Вторая глава", False),
        ("Budget 2024", "Budget 2025", False),
        ("Budget", "Budget 2025", False),
        ("Setup 1.0", "Setup 1.1", False),
        ("Notes v1", "Notes v2", False),
        ("Plan A", "Plan B", False),
        ("The Ape of Naples", "Ape of Naples", True),
        ("Moon’s Milk", "Moon's Milk", True),
        ("A walk in the dark", "Walk in the dark", True),
        ("Café", "Cafe", True),
        ("March", "April", False),
        ("Review of May 2025", "Review of June 2025", False),
        ("Rye", "Rye copy", True),
        ("Windows 10", "windows-10", True),
    ],
)
def test_neither_two_days_nor_two_numbers_of_a_series_are_one(one: str, other: str, *, may: bool) -> None:
    assert may_be_one(one, other) is may
    assert may_be_one(other, one) is may


def test_a_number_marks_a_copy_only_beside_the_same_text() -> None:
    assert reasons({"Rye.md": PROSE, "Rye 1.md": PROSE}) == {("Rye 1.md", "Rye.md"): ("name", "text")}
    assert reasons({"Rye.md": PROSE, "Rye 1.md": f"{PROSE} And {PROSE[::-1]}"}) == {}
    titled = reasons({"Rye.md": f"# Rye\n\n{PROSE}", "Rye 1.md": f"# Rye 1\n\n{PROSE}"})
    assert titled == {("Rye 1.md", "Rye.md"): ("name", "text")}


def test_a_stub_in_a_long_list_is_not_the_list() -> None:
    stub = "The demo was recorded in the old mill on the river one cold night in early March. "
    assert reasons({"Demo.md": stub, "All recordings.md": stub + PROSE * 3}) == {}


def test_texts_in_scripts_without_spaces_are_compared() -> None:
    text = "老面是每天都要喂养的面种，冬天喂一次就够，夏天要喂两次，温度高的时候要放进冰箱里保存。"
    [found] = find_common_text([text, f"{text}另外再加一句话。", "完全不同的内容，说的是火车和车站。"])
    assert (found.one, found.other) == (0, 1)


def test_copies_with_thirty_percent_of_their_sentences_changed_are_found() -> None:
    texts = {
        path.relative_to(SAMPLE).as_posix(): path.read_text("utf-8", errors="replace") for path in SAMPLE.rglob("*.md")
    }
    dice = random.Random(7)
    long = sorted(path for path, text in texts.items() if len(text.split()) >= 60 and not path.startswith("Daily/"))
    chosen = dice.sample(long, min(100, len(long)))
    words = " ".join(texts[path] for path in long).split()
    planted: dict[frozenset[str], None] = {}
    copies: dict[str, str] = {}
    for number, path in enumerate(chosen):
        parts = re.split(r"(?<=[.!?])\s+|\n", texts[path].rpartition("\n---\n")[2])
        changed = [part if dice.random() >= 0.3 else " ".join(dice.sample(words, len(part.split()))) for part in parts]
        copy = f"Inbox/Thought {chr(65 + number % 26)}{chr(97 + number // 26)}.md"
        copies[copy] = "\n".join(changed)
        planted[frozenset((path, copy))] = None
    before = {frozenset((one.path, one.into)) for one in pairs(texts)}
    found = {frozenset((one.path, one.into)) for one in pairs({**texts, **copies})} - before
    assert len(found & planted.keys()) / len(planted) >= 0.9
    assert len(found & planted.keys()) / len(found) >= 0.8


@pytest.mark.parametrize(
    ("one", "other", "siblings"),
    [
        ("Small cap stock", "Large cap stock", True),
        ("Index for Cards", "Index for Atlas", True),
        ("Normalizzazione dei dati", "Standardizzazione dei dati", True),
        ("Spaced repetition con Obsidian", "Obsidian spaced repetition", False),
        ("Note taking", "Note-takin", False),
        ("Rye", "Spelt", False),
    ],
)
def test_titles_that_differ_in_one_word_are_siblings(one: str, other: str, siblings: bool) -> None:
    assert are_siblings(one, other) is siblings


def test_siblings_that_share_text_are_two_notes() -> None:
    said = PROSE + "That is what is said of it here and nowhere else in the whole vault."
    large, small = {"Large cap stock.md": f"It is large. {said}"}, {"Small cap stock.md": f"It is small. {said}"}
    assert reasons(large | small) == {}
    assert reasons(large | {"Big companies.md": f"It is small. {said}"}) != {}


BOARD = "```yaml\nname: new database\ncolumns:\n  file:\n    kind: text\n    position: 0\n    hidden: false\n```\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rating:: 4\nUsed:: every day\nPrice:: free\n", "Rating:: 4\nUsed:: every day\nPrice:: free\n\nA map.\n"),
        (BOARD, f"{BOARD}\nBooks.\n"),
        ("- [[How to begin improving yourself]]\n", "## First\n\n[[How to begin improving yourself]]\n"),
        ("即`[]()`格式的超链接语法。", "即`[[]]`格式的超链接语法。"),
    ],
    ids=("fields", "code", "links", "few words"),
)
def test_what_is_no_prose_makes_no_pair(one: str, other: str) -> None:
    assert pairs({"Maps.md": one, "Store.md": other}) == []


def test_a_day_is_no_other_note() -> None:
    assert pairs({"2022-09-19.md": PROSE * 2, "Starters.md": PROSE * 2}) == []


def test_a_film_is_not_the_book_of_its_name() -> None:
    book = "# Dune\n\n" + PROSE
    assert pairs({"Books/📚Dune.md": book, "Films/Dune.md": "---\nactors: [A, B]\nscore: 8\n---\n"}) == []
    assert reasons({"Books/📚Dune.md": book, "Films/Dune.md": ""}) == {
        ("Films/Dune.md", "Books/📚Dune.md"): ("name", "stub")
    }


def test_a_note_stays_where_it_is_filed_and_not_among_days() -> None:
    days = {f"Log/2024-05-0{day}.md": f"Day {day}, when it rained." for day in range(1, 6)}
    long = f"{PROSE}And more links: [[2024-05-01]], [[2024-05-02]].\n"
    assert reasons({**days, "Log/Bread.md": long, "Baking/Bread.md": long}) == {
        ("Log/Bread.md", "Baking/Bread.md"): ("name", "text", "neighbours")
    }
    assert reasons({**days, "Log/Bread.md": PROSE, "Log/Bread copy.md": PROSE}) == {}


def test_a_note_goes_into_the_spelling_of_quotation_marks_that_the_vault_uses() -> None:
    files = {f"Songs/It’s {word}.md": "Words." for word in ("Late", "Early", "Over")}
    linked = {"List.md": "[[Don't Go]]\n", "Songs/Don't Go.md": PROSE * 2, "Songs/Don’t Go.md": "Other words."}
    assert list(reasons({**files, **linked})) == [("Songs/Don't Go.md", "Songs/Don’t Go.md")]


def test_a_program_is_not_the_word_of_its_name() -> None:
    assert reasons({"Cards/tldr.md": "Linux", "Cards/🐤TL;DR.md": PROSE}) == {}
    assert reasons({"Plugins/Homepage.md": "", "Cards/HOMEPAGE.md": PROSE}) == {}
    assert reasons({"Books/📚Pyramid.md": "", "Tools/Pyramid.md": PROSE}) == {}


def test_what_notes_that_others_link_to_share_is_a_part_of_each() -> None:
    said = PROSE * 2
    songs = {f"Songs/{name}.md": f"# {name}\n\n{said}{name} {'is slow. ' * 12}" for name in ("Lullaby", "Revenant")}
    assert len(pairs(songs)) == 1
    albums = {f"Albums/{number}.md": "[[Lullaby]] and [[Revenant]]\n" for number in ("One", "Two", "Three")}
    assert pairs({**songs, **albums}) == []


def test_what_the_bridge_reads_as_rules_is_no_pair_and_a_topic_has_its_own_place() -> None:
    rules = f"---\ntype: workflow\n---\n{PROSE}"
    assert reasons({"Daily index.md": rules, "Daily index two.md": rules}) == {}
    topics = {"Topics/Instructions.md": "---\ntype: topics\n---\n", "Topics/Ideas/Rye.md": "How one bakes with it."}
    assert reasons({**topics, "Bread/Rye.md": PROSE}) == {}
    assert reasons({**topics, "Topics/Things/rye.md": f"# Rye\n\n{PROSE}"}) != {}


def test_a_chapter_is_not_the_whole() -> None:
    rest = " ".join(f"On day {at} the second chapter tells of journey {at * 7} by {at} slow trains." for at in range(9))
    assert reasons({"Series/Preface.md": PROSE * 2, "Series/Baker at thirty.md": f"{PROSE * 2} {rest}"}) == {}
    begun = f"{PROSE} It was cold, and in the other jar the flour had gone to the bottom by noon."
    assert reasons({"Series/Preface.md": f"{PROSE} And then?", "Series/Baker at thirty.md": begun}) != {}


def test_of_two_texts_the_one_that_was_added_to_stays() -> None:
    both = {"Blog/On feeding a starter.md": f"{PROSE * 2} More at the end, as it was told.", "Starter.md": PROSE * 2}
    (published,) = pairs(both)
    assert published.into == "Blog/On feeding a starter.md"
    (published,) = pairs(both | {"Starter.md": f"{PROSE * 2} [[2025-09-22]]: once a day will do."})
    assert published.into == "Starter.md"
