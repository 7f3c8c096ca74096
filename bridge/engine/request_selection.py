"""Chooses those of several requests that can be applied beside each other, and break no link."""

import math
import time
from collections.abc import Callable, Sequence

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect, Reference, merge_effects
from bridge.changes.requests.base import Request, RequestContext
from bridge.errors import BridgeError
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """What requests may not do."""

    may_touch: Callable[[VaultPath], bool]
    """Returns whether a file may be changed."""
    may_break: Callable[[VaultPath], bool]
    """Returns whether links in a note may lead nowhere afterwards."""
    seconds: float = math.inf
    """Seconds of processor time after which no further ones are tried."""


@dataclass(frozen=True, slots=True)
class RequestSelection:
    """The choice of those of some requests that can be applied to a draft, and may be."""

    requests: Sequence[Request]
    draft: Draft
    """Without steps at first."""
    context: RequestContext
    """What requests need."""
    limits: ChangeLimits
    lost: Callable[[Draft, int, RequestContext], Sequence[Reference]]
    """Returns the links to headings and blocks that the steps from a number on remove."""
    refused: dict[int, str]
    """Gets the reason of each that cannot be applied, by its number."""
    breaking: set[int]
    """Gets the numbers of those after which links would lead nowhere."""
    untried: set[int]
    """Gets the numbers of those for which there was no time."""

    def make(self) -> Effect:
        """Apply the requests that can be applied, and return their effect."""
        effects: list[Effect] = []
        ends = time.thread_time() + self.limits.seconds
        for number, request in enumerate(self.requests):
            if time.thread_time() >= ends:
                self.refused[number] = "There was no time left to try it."
                self.untried.add(number)
                continue
            done = len(self.draft.steps)
            try:
                effect = request.plan(self.draft, self.context)
                why = self._refusal(number, effect, done)
            except BridgeError as error:
                why = error.message
            if why is None:
                effects.append(effect)
            else:
                self.refused[number] = why
                # One that is refused may leave steps behind.
                self.draft.rewind(done)
        return merge_effects(effects)

    def _refusal(self, number: int, effect: Effect, since: int) -> str | None:
        steps = self.draft.steps[since:]
        touched = {place for step in steps for place in (step.path, step.to) if place is not None}
        if kept := next((path for path in sorted(touched) if not self.limits.may_touch(path)), None):
            return f"`{kept}` would have to change, and is to be left alone."
        lost = (*effect.broken, *self.lost(self.draft, since, self.context))
        if broken := [link for link in lost if not self.limits.may_break(link.path)]:
            self.breaking.add(number)
            first = broken[0]
            more = f", and {len(broken) - 1} more links" if len(broken) > 1 else ""
            return f"`[[{first.text}]]` in `{first.path}:{first.line}` would lead nowhere{more}."
        return None
