"""Text view of a correction."""

from collections.abc import Iterable

from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Element, Line


def recorded_view(answer: Answer) -> Iterable[Element]:
    """Show a recorded correction: its id, then the change."""
    yield Line(f"correction {answer['id']}" + (" · this link is not suggested again" if answer["declined"] else ""))
    yield from written_view(answer)
