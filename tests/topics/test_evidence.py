"""What speaks for a topic: near notes, names in the text, linked notes and folders."""

from bridge.features.topics.assignments import Assignments, TopicValue
from bridge.features.topics.evidence import (
    NoteFacts,
    TopicEvidence,
    TopicNames,
    gather_evidence,
    rarity_by_count,
    weigh_near,
)
from bridge.features.topics.topic_tree import Topic, TopicTree
from bridge.features.topics.traits import Traits
from bridge.index.note import IndexedNote
from bridge.markdown.note import Value
from bridge.types import Digest, VaultPath

RYE, COFFEE = VaultPath("Ontology/Rye.md"), VaultPath("Ontology/Coffee.md")
TOPICS = {RYE: Topic(RYE, "Rye", ("Roggen", "黑麦"), ""), COFFEE: Topic(COFFEE, "Coffee", (), "")}
NOTE = VaultPath("Note.md")
HAVING = {VaultPath("A.md"): {RYE}, VaultPath("B.md"): {RYE, COFFEE}, VaultPath("C.md"): set[VaultPath]()}


def facts(body: str = "", title: str = "", **more: object) -> NoteFacts:
    known = {"near": {}, "linked": (), "folder_topics": (), **more}
    return NoteFacts(NOTE, title, body, **known)  # type: ignore[arg-type]  # the fields that a test gives


def test_near_notes_vote_by_their_weight() -> None:
    near = weigh_near(
        [(NOTE, 1.0), (VaultPath("A.md"), 0.8), (VaultPath("B.md"), 0.4), (VaultPath("C.md"), 0.9)], NOTE, 3
    )
    assert NOTE not in near
    found = gather_evidence(facts(near=near), lambda path: HAVING.get(path, ()), TopicNames(TOPICS))
    assert (found[RYE].near, found[COFFEE].near) == (2, 1)
    assert 0 < found[COFFEE].vote < found[RYE].vote < 1
    assert round(found[RYE].closest, 6) == 0.8


def test_names_are_found_whole_by_alias_and_in_scripts_without_spaces() -> None:
    names = TopicNames(TOPICS, rarity_by_count(lambda form: 50 if form == "rye" else 1, 100))
    form, rarity = names.find_topics("Rye, auch Roggen genannt")[RYE]
    assert (form, round(rarity, 6)) == ("roggen", 1.0)
    assert names.find_topics("我喜欢黑麦面包")[RYE][0] == "黑麦"
    assert names.find_topics("Coffeepots and steam") == {}


def test_a_title_counts_besides_the_text() -> None:
    found = gather_evidence(facts("Nothing.", "All about coffee"), lambda _: (), TopicNames(TOPICS))
    assert found[COFFEE].titled
    assert found[COFFEE].said == "coffee"
    assert set(found) == {COFFEE}


def test_linked_notes_and_folders_speak_for_topics_but_never_for_the_note_itself() -> None:
    known = facts(linked=[VaultPath("A.md"), VaultPath("B.md"), VaultPath("C.md")], folder_topics=[COFFEE])
    found = gather_evidence(known, lambda path: HAVING.get(path, ()), TopicNames(TOPICS))
    assert (found[RYE].linked, found[COFFEE].linked) == (2, 1)
    assert found[COFFEE].in_folder
    assert not found[RYE].in_folder
    own = NoteFacts(RYE, "Rye", "Rye is rye.", {VaultPath("A.md"): 1.0}, (), ())
    assert RYE not in gather_evidence(own, lambda path: HAVING.get(path, ()), TopicNames(TOPICS))


def test_most_notes_with_something_in_common_speak_for_their_topic() -> None:
    alike = {"Bread/": [VaultPath("A.md"), VaultPath("B.md"), VaultPath("C.md")], "mood: calm": [VaultPath("B.md")]}
    found = gather_evidence(facts(alike=alike), lambda path: HAVING.get(path, ()), TopicNames(TOPICS))
    assert (found[RYE].common, round(found[RYE].share, 2)) == ("Bread/", 0.67)
    assert COFFEE not in found  # one of two, and one alone


def test_a_definition_speaks_for_notes_whose_title_it_says() -> None:
    definition = {RYE: "A cereal for loaves, such as Borodinsky, with roasting and grinding left out."}
    names = TopicNames(TOPICS, definitions=definition)

    def defined(title: str, **words: float) -> float:
        given = facts(title=title, title_words=words, language="english")
        return round(gather_evidence(given, lambda _: (), names).get(RYE, TopicEvidence()).defined, 2)

    assert defined("Borodinsky", borodinsky=0.4) == 1.0
    assert defined("Roasted cereals", roasted=1.0, cereals=1.0) == 1.0
    assert defined("Borodinskoye", borodinskoye=1.0) == 0.64
    assert defined("Loaves", loaves=0.2) == 0.2
    assert defined("Steam", steam=1.0) == 0.0


def test_traits_are_folders_values_and_links_outside_the_topic_property() -> None:
    properties: dict[str, Value] = {"topics": ["[[Rye]]"], "genre": "[[Sci-fi]]", "rating": 7, "loc": "Coffee"}
    note = IndexedNote(NOTE, "Note", "note", (), (), properties, Digest(""), 0, 0, 0)
    fiction = VaultPath("Ontology/Science fiction.md")
    topics = {**TOPICS, fiction: Topic(fiction, "Science fiction", (), "")}
    tree = TopicTree(VaultPath("Ontology"), topics, {}, {"coffee": COFFEE, "rye": RYE})
    having = Assignments.collect([(NOTE, TopicValue("", RYE, None, "wiki"))])
    traits = Traits({NOTE: note}, "topics", tree, having)
    assert traits.of(NOTE) == ("[[Sci-fi]]", "loc: Coffee")
    assert traits.notes_with("[[Sci-fi]]") == [NOTE]
    assert set(traits.topics(NOTE, frozenset())) == {fiction, COFFEE}
