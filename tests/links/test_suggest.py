"""What is suggested, why, and how good that is on real links."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge.features.links.evidence import LinkEvidence, similarity_evidence
from bridge.features.links.link_candidates import SourceText, Suggestion, suggest
from bridge.features.links.mentions import Corpus, NameFinder, NoteName
from bridge.types import VaultPath
from scripts.lib.evaluation.rediscovery import rediscover, strip_links
from tests.evaldata import EVAL

BREAD, RYE = VaultPath("Bread.md"), VaultPath("Old Rye Starter.md")
KNOWN = NameFinder(
    [NoteName(BREAD, "Bread"), NoteName(RYE, "Old Rye Starter"), NoteName(RYE, "Gertrude", alias=True)],
)


@dataclass(frozen=True)
class Around:
    links: int = 0
    means: VaultPath | None = None
    parts: tuple[LinkEvidence, ...] = ()

    def count_linking_notes(self, _: VaultPath) -> int:
        return self.links

    def resolve(self, _: str) -> VaultPath | None:
        return self.means

    def more(self, _: VaultPath, __: str) -> tuple[LinkEvidence, ...]:
        return self.parts


def suggestions(text: str, *others: str, around: Around | None = None, **source: object) -> list[Suggestion]:
    corpus = Corpus.of(KNOWN, {VaultPath(f"{n}.md"): other for n, other in enumerate([text, *others])})
    return suggest(SourceText(text, **source), corpus, around or Around(), "aggressive")  # type: ignore[arg-type]


def test_a_mentioned_note_is_suggested_once_with_reasons() -> None:
    (found,) = suggestions("Feed the Old Rye Starter.\nThe Old Rye Starter again.\n")
    assert (found.target, found.text) == (RYE, "Old Rye Starter")
    assert found.why == ("says “Old Rye Starter”", "a rare name")
    assert 0.5 < found.score < 1


def test_a_mention_alone_on_its_line_is_likelier() -> None:
    text = "Today I will feed the Old Rye Starter before going out to the market.\n\n- Old Rye Starter\n"
    (found,) = suggestions(text)
    assert found.span[0] > text.index("- ")
    assert "stands alone on its line" in found.why


def test_neither_another_programs_menu_nor_a_place_to_fill_in_is_a_mention() -> None:
    (chain,) = suggestions("At first Bread → Butter → Jam.")
    assert chain.target == BREAD
    assert suggestions("Go to **Bread → [Your Name] → iCloud**.") == []
    assert suggestions("Go to **Apple → [Your Name]** → Bread.") == []
    assert suggestions("Go to **System Bread → iCloud**.") == []
    assert suggestions("Dear [Bread], welcome.") == []


def test_a_part_of_a_compound_is_less_likely_than_a_word() -> None:
    (word,) = suggestions("The Old Rye Starter book.")
    (compound,) = suggestions("The Old Rye Starter-book.")
    assert compound.score < word.score


def test_a_name_in_small_letters_is_a_word_like_any_other() -> None:
    def score(said: str) -> float:
        corpus = Corpus.of(NameFinder([NoteName(VaultPath("a.md"), said)]), {})
        (found,) = suggest(SourceText(f"the {said} of it"), corpus, Around(), "aggressive")
        return found.score

    assert score("test") < score("Test")


def test_what_another_models_cosines_say_is_not_guessed() -> None:
    close, far = similarity_evidence(0.7, "all-minilm-l6-v2"), similarity_evidence(0.1, "all-minilm-l6-v2@0123")
    assert close is not None
    assert far is not None
    assert (close.why, far.why) == ("close in meaning", "")
    assert close.weight > 0 > far.weight
    assert similarity_evidence(0.9, "multilingual-e5-small") is None


def test_an_ordinary_word_is_less_likely_than_a_rare_one() -> None:
    (rare,) = suggestions("Bread is good")
    (common,) = suggestions("Bread is good", *(["bread"] * 40))
    assert common.score < rare.score / 2
    assert suggestions("Bread is good", *(["bread"] * 200)) == []


def test_an_alias_or_other_letters_are_less_likely_than_the_title() -> None:
    (title,) = suggestions("Feed the Old Rye Starter now")
    (other,) = suggestions("Feed the old rye starter now")
    alias = suggestions("Feed Gertrude now")
    assert title.score > other.score
    assert not alias or title.score > alias[0].score


def test_what_the_vault_links_by_habit_is_likelier() -> None:
    (plain,) = suggestions("Bread is good", "bread", "bread")
    (often,) = suggestions("Bread is good", "bread", "bread", around=Around(links=20))
    assert often.score > plain.score
    assert "all 20 notes that name it link to it" in often.why


def test_only_what_speaks_for_a_link_is_a_reason() -> None:
    once = suggestions("Bread is good", around=Around(links=1))[0]
    assert once.why == ("says “Bread”", "a rare name")
    seldom = suggestions("Old Rye Starter", *(["old rye starter"] * 9), around=Around(links=2))[0]
    assert seldom.why == ("says “Old Rye Starter”", "stands alone on its line")


def test_neither_the_note_itself_nor_what_it_links_to_is_suggested() -> None:
    assert suggestions("Bread", path=BREAD) == []
    assert suggestions("Bread", linked={BREAD}) == []


def test_the_title_of_the_note_itself_means_no_other_note_by_an_alias() -> None:
    here, other = VaultPath("en/Hotkeys.md"), VaultPath("de/Tastenkürzel.md")
    corpus = Corpus.of(NameFinder([NoteName(here, "Hotkeys"), NoteName(other, "Hotkeys", alias=True)]), {})
    assert suggest(SourceText("Hotkeys are set here", path=here), corpus, Around(), "aggressive") == []
    (found,) = suggest(SourceText("Hotkeys are set there", path=BREAD), corpus, Around(), "aggressive")
    assert found.target == here


def test_other_parts_count() -> None:
    declined = LinkEvidence("accepted", -20.0, "declined before")
    assert suggestions("Bread", around=Around(parts=(declined,))) == []


def test_what_is_said_again_and_again_is_looked_up_once() -> None:
    asked: list[str] = []

    class Asked(Around):
        def count_linking_notes(self, target: VaultPath, /) -> int:
            asked.append(target)
            return 0

    (found,) = suggestions("Feed the Old Rye Starter. " * 1000, around=Asked())
    assert (found.target, asked) == (RYE, [RYE])


def test_of_two_notes_of_one_name_the_one_a_link_would_mean_is_suggested() -> None:
    names = NameFinder([NoteName(VaultPath("a/Index.md"), "Index"), NoteName(VaultPath("b/Index.md"), "Index")])
    corpus = Corpus.of(names, {})
    around = Around(means=VaultPath("b/Index.md"))
    (found,) = suggest(SourceText("Index"), corpus, around, "aggressive")
    assert found.target == "b/Index.md"


@pytest.mark.eval
@pytest.mark.parametrize(
    "place", ["links/DawnVespero__TheBlackSunLodge", "vaults/oldwinter-zh", "links/clickear__knowledge-garden", None]
)
def test_links_that_were_taken_away_are_found_again(place: str | None) -> None:
    root = Path("tests/vaults/sample") if place is None else EVAL / place
    if not root.is_dir():
        pytest.skip("the development data is not beside the checkout")
    scores = dict(rediscover(strip_links(root)))
    assert scores["conservative"].precision >= 0.75
    assert scores["conservative"].recall >= 0.70
    assert scores["balanced"].f1 >= scores["exact names"].f1 + 0.03
    assert scores["aggressive"].recall >= scores["balanced"].recall >= scores["conservative"].recall
