"""What the user accepted and declined before, as evidence for the next suggestion."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bridge.linking.evidence import Part
from bridge.store import Verdict
from bridge.types import VaultPath

PRIOR_ACCEPTED: Final = 2.0
PRIOR_DECLINED: Final = 2.0
"""What a user is taken to have done before anything is known: a Beta distribution around one half."""

WEIGHT: Final = 1.5
SUPPRESSED_BELOW: Final = 0.2
"""Expected share of acceptances under which a note, or a name of it, is no longer suggested."""

SUPPRESSION: Final = -20.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Acceptances and refusals, added up."""

    accepted: int = 0
    declined: int = 0

    def plus(self, verdict: Verdict) -> "Tally":
        """Add a verdict."""
        return Tally(self.accepted + verdict.accepted, self.declined + verdict.declined)

    @property
    def expected(self) -> float:
        """The share of acceptances to expect: the mean of the Beta distribution after what was seen."""
        seen = PRIOR_ACCEPTED + PRIOR_DECLINED + self.accepted + self.declined
        return (PRIOR_ACCEPTED + self.accepted) / seen

    @property
    def odds(self) -> float:
        """The logarithm of the odds of an acceptance; 0 when nothing is known."""
        return math.log(self.expected / (1 - self.expected))


class Learned:
    """All verdicts of a vault, by pair of notes, by target and by name."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        """Add the verdicts up."""
        self._pairs: dict[tuple[VaultPath, VaultPath], Tally] = {}
        self._targets: dict[VaultPath, Tally] = {}
        self._forms: dict[tuple[VaultPath, str], Tally] = {}
        self.all = Tally()
        for verdict in verdicts:
            pair, form = (verdict.source, verdict.target), (verdict.target, verdict.form)
            self._pairs[pair] = self._pairs.get(pair, Tally()).plus(verdict)
            self._targets[verdict.target] = self._targets.get(verdict.target, Tally()).plus(verdict)
            self._forms[form] = self._forms.get(form, Tally()).plus(verdict)
            self.all = self.all.plus(verdict)

    def part(self, source: VaultPath | None, target: VaultPath, form: str) -> Part | None:
        """Judge a suggestion by what was said of its like; None when nothing was.

        Args:
            source: The note that would link; None for a text.
            target: The note it would link to.
            form: The folded name that it says.
        """
        pair = self._pairs.get((source, target)) if source is not None else None
        if pair is not None and pair.declined > pair.accepted:
            return Part("learned", SUPPRESSION, "declined here before")
        of_target, of_form = self._targets.get(target, Tally()), self._forms.get((target, form), Tally())
        if min(of_target.expected, of_form.expected) < SUPPRESSED_BELOW:
            return Part("learned", SUPPRESSION, "declined nearly always")
        odds = (of_target.odds + of_form.odds) / 2
        if not odds:
            return None
        count = of_target.accepted + of_target.declined
        times = "once" if count == 1 else f"{of_target.accepted} of {count} times"
        why = f"you accepted links to it {times}" if odds > 0 else ""
        return Part("learned", WEIGHT * odds, why)
