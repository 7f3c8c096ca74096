"""Chooses those of several requests that can be applied beside each other, and break no link."""

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


@dataclass(frozen=True, slots=True)
class RequestSelection:
    """The choice of those of some requests that can be applied to a draft, and may be."""

    requests: Sequence[Request]
    draft: Draft
    """Without steps at first."""
    new_context: Callable[[], RequestContext]
    """Returns what requests need."""
    limits: ChangeLimits
    lost: Callable[[Draft, int, RequestContext], Sequence[Reference]]
    """Returns the links to headings and blocks that the steps from a number on remove."""
    refused: dict[int, str]
    """Gets the reason of each that cannot be applied, by its number."""
    breaking: set[int]
    """Gets the numbers of those after which links would lead nowhere."""

    def make(self) -> Effect:
        """Apply the requests that can be applied, and return their effect."""
        while (effects := self._apply()) is None:
            # A request that ends halfway leaves steps behind.
            self.draft.clear()
        return merge_effects(effects)

    def _apply(self) -> list[Effect] | None:
        """Apply the requests that are not refused; None if one is refused after it left steps in the draft."""
        context, effects = self.new_context(), list[Effect]()
        for number, request in enumerate(self.requests):
            if number in self.refused:
                continue
            done = len(self.draft.steps)
            try:
                effect = request.plan(self.draft, context)
            except BridgeError as error:
                self.refused[number] = error.message
                if len(self.draft.steps) == done:
                    continue
                return None
            effects.append(effect)
            if why := self._refusal(number, effect, done, context):
                self.refused[number] = why
                return None
        return effects

    def _refusal(self, number: int, effect: Effect, since: int, context: RequestContext) -> str | None:
        """Return why a request that was applied may not be; None if it may."""
        steps = self.draft.steps[since:]
        touched = {place for step in steps for place in (step.path, step.to) if place is not None}
        if kept := next((path for path in sorted(touched) if not self.limits.may_touch(path)), None):
            return f"`{kept}` would have to change, and is to be left alone."
        lost = (*effect.broken, *self.lost(self.draft, since, context))
        if broken := [link for link in lost if not self.limits.may_break(link.path)]:
            self.breaking.add(number)
            first = broken[0]
            more = f", and {len(broken) - 1} more links" if len(broken) > 1 else ""
            return f"`[[{first.text}]]` in `{first.path}:{first.line}` would lead nowhere{more}."
        return None
