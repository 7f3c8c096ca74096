"""What speaks for a topic: near notes, names in the text, linked notes and folders."""

from bridge.features.topics.assignments import Assignments, TopicValue
from bridge.features.topics.definition import Definition, DescribedNote
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
    rare = facts(alike=alike, sizes={"Bread/": 30, "mood: calm": 1}, sparsity=1.0)
    assert gather_evidence(rare, lambda path: HAVING.get(path, ()), TopicNames(TOPICS))[RYE].share < 0.1


def defined(definition: str, title: str, text: str = "", *filed: str, language: str = "english") -> float:
    names = TopicNames(TOPICS, definitions={RYE: Definition("Rye", definition, lambda _: 1.0)})
    described = DescribedNote.describe(title, text, dict.fromkeys(filed, 1.0), language)
    found = gather_evidence(facts(title=title, described=described), lambda _: (), names)
    return round(found.get(RYE, TopicEvidence()).defined, 2)


def test_a_definition_speaks_for_notes_whose_title_it_says() -> None:
    cereal = "A cereal for loaves, such as Borodinsky, with roasting and grinding left out."
    assert defined(cereal, "Borodinsky") == 1.0
    assert defined(cereal, "Borodinsky (first try)") == 1.0
    assert defined(cereal, "Roasted") == 1.0
    assert defined(cereal, "Borodinskoye") == 0.8
    assert defined(cereal, "Loaves") == 0.6  # of which kind things are
    assert defined(cereal, "Steam") == 0.0


def test_a_definition_lists_things_that_are_the_noun_of_a_title() -> None:
    assert defined("Food that I make, such as tarts.", "Brown butter nectarine tart") == 0.85
    assert defined("Food that I make, such as tarts.", "Tart cherries") < 0.85
    chess = "Aperture, difese e matti nel gioco degli scacchi."
    assert defined(chess, "Difesa Siciliana", language="italian") == 0.85
    assert defined("滑雪、游泳之类小技能怎么上手。", "滑雪入门") == 0.85
    assert defined("代理、v2ray、PAC 配置。", "配置PAC - GFW list") > 0.9


def test_a_name_of_several_words_is_said_whole() -> None:
    houses = "Buying and selling: home staging, Royal Court."
    assert defined(houses, "Home staging") == 1.0
    assert defined(houses, "Home bias") == 0.0
    assert defined(houses, "Royal Albert Hall") == 0.0


def test_a_definition_speaks_for_what_it_lists_as_a_folder_or_value() -> None:
    ciphers = "Ciphers, hashes and challenges of PicoCTF."
    assert defined(ciphers, "miniRSA", "", "PicoCTF") == 0.67
    assert defined(ciphers, "miniRSA", "RSA and other ciphers", "PicoCTF") > 0.67
    assert defined("Labels that the band ran: Threshold House.", "Nothing", "", "Labels") == 0.2


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
