"""LinkEvidence for and against turning a mention into a link, which adds up to a likelihood.

The weights are those of a logistic model fitted on four vaults with all their links removed (`scripts/eval --links`);
vaults held out lose less than .02 of F1. They are rounded, because the optimum is flat.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from bridge.records import Record
from bridge.state.link_feedback import LinkFeedback
from bridge.text.fold import fold_case, letters_and_digits
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.types import VaultPath

Strictness = Literal["conservative", "balanced", "aggressive"]

THRESHOLDS: Final[Mapping[Strictness, float]] = {"conservative": 0.55, "balanced": 0.4, "aggressive": 0.2}
"""Minimum likelihood of a suggested link."""

PRIOR_WEIGHT: Final = 0.8
OWN_LINE_WEIGHT: Final = 1.1
ALIAS_WEIGHT: Final = -2.1
OTHER_CASE_WEIGHT: Final = -2.8
OTHER_SPACING_WEIGHT: Final = -3.3
INEXACT_WEIGHT: Final = -4.0
INFLECTED_WEIGHT: Final = -2.0
INFLECTED_WORD_WEIGHT: Final = -3.3
"""Of a word that is not written as a name."""

PLAIN_WORD_WEIGHT: Final = -0.5
PLACEHOLDER_WEIGHT: Final = -6.0
COMPOUND_WEIGHT: Final = -2.0
LENGTH_WEIGHT: Final = 1.6
RARITY_WEIGHT: Final = -0.5
LINE_SHARE_WEIGHT: Final = 0.75
HABIT_WEIGHT: Final = 0.8
NEARNESS_WEIGHT: Final = 0.5
COSINES: Final[Mapping[str, tuple[float, float]]] = {"all-minilm-l6-v2": (0.2, 0.6)}
"""By model: cosines of unrelated and of closely related notes; other models are not calibrated."""

MAX_RARE_NOTES: Final = 3

MIN_HABIT_LINKS: Final = 2
"""Minimum number of links to a note that show a habit."""

MAX_LINE_CHARS: Final = 10_000
"""Characters on each side of a mention beyond which the length of its line no longer matters."""

DECORATION_CHARS: Final = 200
"""Maximum number of characters for bullets, boxes and bars around a mention."""

FULL_LENGTH: Final = 20.0
UNSPACED_WORTH: Final = 2.5
"""Letters that one character of a script without spaces counts for."""

CONTEXT_CHARS: Final = 100
"""Characters around a mention in which a menu path or a placeholder is searched."""

_ARROW: Final = r"(?:[→➔➜⇒▸›»⟶]|->)"
_MENU: Final = re.compile(rf"{_ARROW}[ *_]*\[[^\[\]\n]+\](?!\()|(?<!\[)\[[^\[\]\n]+\][ *_]*{_ARROW}")
_NAMED_MENU: Final = re.compile(r"(?<!\w)[A-Z][a-z]+ $")
_LED_TO: Final = re.compile(rf"{_ARROW}[ *_]*$")
_LEADS_ON: Final = re.compile(rf"[ *_]*{_ARROW}")
_PREFIX: Final = re.compile(r"\w-$")
_SUFFIX: Final = re.compile(r"-\w")
_DECORATION: Final = re.compile(r"[\s\-*+>|#\d.\[\]xX()（）:：,，、;；/]+")


class LinkEvidence(Record):
    """One piece of evidence: its name, its contribution to the log odds, and a sentence if it is worth one."""

    name: str
    weight: float
    why: str = ""


def likelihood(parts: tuple[LinkEvidence, ...]) -> float:
    return 1 / (1 + math.exp(-sum(part.weight for part in parts)))


def name_evidence(
    wording: str, name: str, *, alias: bool, almost: bool = False, inflected: bool = False
) -> list[LinkEvidence]:
    length = len(wording) + (UNSPACED_WORTH - 1) * len(UNSPACED_CHARACTER.findall(wording))
    parts = [LinkEvidence("prior", PRIOR_WEIGHT), LinkEvidence("length", LENGTH_WEIGHT * min(length, FULL_LENGTH) / 10)]
    if inflected:
        # A script without capitals does not tell a name from a word.
        has_case, is_phrase = wording[0].lower() != wording[0].upper(), " " in name
        is_name = wording[0].isupper() == name[0].isupper() if has_case else is_phrase
        weight = INFLECTED_WORD_WEIGHT if is_phrase or not has_case else INEXACT_WEIGHT
        weight = INFLECTED_WEIGHT if is_name else weight
        parts.append(LinkEvidence("inflected", weight, f"says “{name}” in another form"))
    elif almost:
        same = letters_and_digits(fold_case(wording)) == letters_and_digits(fold_case(name))
        parts.append(LinkEvidence("almost", OTHER_SPACING_WEIGHT if same else INEXACT_WEIGHT, f"almost says “{name}”"))
    elif alias:
        parts.append(LinkEvidence("alias", ALIAS_WEIGHT, f"says the alias “{wording}”"))
    elif wording == name:
        # A name in lower case is a word like any other.
        plain = wording.isascii() and wording.isalpha() and wording.islower()
        parts.append(LinkEvidence("exact", PLAIN_WORD_WEIGHT if plain else 0.0, f"says “{wording}”"))
    else:
        parts.append(LinkEvidence("case", OTHER_CASE_WEIGHT, f"says “{wording}” for “{name}”"))
    return parts


def place_evidence(text: str, start: int, end: int) -> list[LinkEvidence]:
    """Judge the place of the mention: its share of the line, and whether a link makes sense there.

    Text in brackets is a placeholder for the reader; menu paths with a placeholder or a longer name belong to other
    programs: neither `Settings → [Your Name] → iCloud` nor `System Settings → iCloud` means a note “Settings”. Part of
    a compound seldom means what it names.
    """
    # A line may have a megabyte and thousands of mentions.
    nearest, farthest = max(0, start - MAX_LINE_CHARS), min(len(text), end + MAX_LINE_CHARS)
    first = text.rfind("\n", nearest, start) + 1 or nearest
    last = text.find("\n", end, farthest)
    last = farthest if last < 0 else last
    parts = [LinkEvidence("share", LINE_SHARE_WEIGHT * min(1.0, (end - start) / max(1, last - first)))]
    if last - first - (end - start) <= DECORATION_CHARS and not _DECORATION.sub("", text[first:start] + text[end:last]):
        parts.append(LinkEvidence("alone", OWN_LINE_WEIGHT, "stands alone on its line"))
    before, after = text[max(first, start - CONTEXT_CHARS) : start], text[end : min(last, end + CONTEXT_CHARS)]
    chained = _LED_TO.search(before) or _LEADS_ON.match(after)
    if chained and (_MENU.search(before + text[start:end] + after) or _NAMED_MENU.search(before)):
        parts.append(LinkEvidence("menu", PLACEHOLDER_WEIGHT))
    elif before.endswith("[") and after.startswith("]"):
        parts.append(LinkEvidence("placeholder", PLACEHOLDER_WEIGHT))
    elif _PREFIX.search(before) or _SUFFIX.match(after):
        parts.append(LinkEvidence("compound", COMPOUND_WEIGHT))
    return parts


def rarity_evidence(notes: int) -> LinkEvidence:
    """Judge how many notes contain the name: one in all of them is an ordinary word."""
    why = "a rare name" if notes <= MAX_RARE_NOTES else ""
    return LinkEvidence("rarity", RARITY_WEIGHT * math.log2(max(1, notes)), why)


def habit_evidence(linked: int, mentioned: int) -> LinkEvidence | None:
    """Judge how often the vault links the note when mentioning it; None when it never does."""
    if not linked:
        return None
    unlinked = max(0, mentioned - linked)
    weight = HABIT_WEIGHT * math.log((linked + 1) / (unlinked + 1))
    if linked < MIN_HABIT_LINKS or linked < unlinked:
        return LinkEvidence("habit", weight)
    notes = f"{linked} of the {linked + unlinked}" if unlinked else f"all {linked}"
    return LinkEvidence("habit", weight, f"{notes} notes that name it link to it")


def similarity_evidence(cosine: float, model: str) -> LinkEvidence | None:
    """Judge the semantic similarity of the two notes; None for a model that is not calibrated."""
    scale = next((scale for id_, scale in COSINES.items() if model.startswith(id_)), None)
    if scale is None:
        return None
    unrelated, related = scale
    close = min(1.0, max(0.0, (cosine - unrelated) / (related - unrelated)))
    return LinkEvidence("meaning", NEARNESS_WEIGHT * (close - 0.5), "close in meaning" if close > 0.5 else "")


def graph_evidence() -> LinkEvidence:
    return LinkEvidence("graph", NEARNESS_WEIGHT, "both notes are linked with a third")


PRIOR_ACCEPTED: Final = 2.0
PRIOR_DECLINED: Final = 2.0
"""Prior feedback before anything is known: a Beta distribution around one half."""

LEARNED_WEIGHT: Final = 1.5
SUPPRESSED_BELOW: Final = 0.2
"""Expected acceptance rate below which a note, or a name of it, is no longer suggested."""

SUPPRESSION_WEIGHT: Final = -20.0


class Tally(Record):
    """Counts of accepted and declined suggestions."""

    accepted: int = 0
    declined: int = 0

    def plus(self, entry: LinkFeedback) -> "Tally":
        return Tally(self.accepted + entry.accepted, self.declined + entry.declined)

    @property
    def rate(self) -> float | None:
        """The share that was accepted; None before the first."""
        count = self.accepted + self.declined
        return round(self.accepted / count, 3) if count else None

    @property
    def expected_rate(self) -> float:
        """The expected acceptance rate: the mean of the posterior Beta distribution."""
        seen = PRIOR_ACCEPTED + PRIOR_DECLINED + self.accepted + self.declined
        return (PRIOR_ACCEPTED + self.accepted) / seen

    @property
    def odds(self) -> float:
        """The log odds of an acceptance; 0 when nothing is known."""
        return math.log(self.expected_rate / (1 - self.expected_rate))


class FeedbackModel:
    """All feedback of a vault, by pair of notes, by target and by name."""

    def __init__(self, feedback: Iterable[LinkFeedback] = (), *, for_user: bool = False) -> None:
        self._left_by_agents: set[tuple[VaultPath, VaultPath]] = set()
        self._pairs: defaultdict[tuple[VaultPath | None, VaultPath], Tally] = defaultdict(Tally)
        self._targets: defaultdict[VaultPath, Tally] = defaultdict(Tally)
        self._forms: defaultdict[tuple[VaultPath, str], Tally] = defaultdict(Tally)
        self.all = Tally()
        for entry in feedback:
            pair, form = (entry.source, entry.target), (entry.target, entry.form)
            if for_user and entry.by_agents:
                self._left_by_agents.add(pair)
                entry = replace(entry, declined=entry.declined - entry.by_agents)  # noqa: PLW2901
            self._pairs[pair] = self._pairs[pair].plus(entry)
            self._targets[entry.target] = self._targets[entry.target].plus(entry)
            self._forms[form] = self._forms[form].plus(entry)
            self.all = self.all.plus(entry)

    def is_declined(self, source: VaultPath | None, target: VaultPath) -> bool:
        """Return whether links from one note to another were declined more often than accepted."""
        return (pair := self._pairs[source, target]).declined > pair.accepted

    def part(self, source: VaultPath | None, target: VaultPath, form: str) -> LinkEvidence | None:
        """Judge a suggestion by the feedback on similar ones; None when there is none."""
        if self.is_declined(source, target):
            return LinkEvidence("learned", SUPPRESSION_WEIGHT, "declined here before")
        of_target, of_form = self._targets[target], self._forms[target, form]
        if min(of_target.expected_rate, of_form.expected_rate) < SUPPRESSED_BELOW:
            return LinkEvidence("learned", SUPPRESSION_WEIGHT, "declined nearly always")
        odds = (of_target.odds + of_form.odds) / 2
        if (source, target) in self._left_by_agents:
            return LinkEvidence("learned", LEARNED_WEIGHT * odds, "an agent declined it here")
        if not odds:
            return None
        count = of_target.accepted + of_target.declined
        times = "once" if count == 1 else f"{of_target.accepted} of {count} times"
        why = f"you accepted links to it {times}" if odds > 0 else ""
        return LinkEvidence("learned", LEARNED_WEIGHT * odds, why)
