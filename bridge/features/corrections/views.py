"""Text views of corrections."""

from collections.abc import Iterable

from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Column, Element, Line, Table, notice
from bridge.text.counts import count_shown
from bridge.text.invisible import inline

CORRECTIONS = (
    Column("id"),
    Column("state", " · {}"),
    Column("kind", " · {}"),
    Column("text", lambda text: f" · {inline(text)}"),
    Column("about", " · in {}", role="path"),
    Column("day", " · {}", detail=True),
    Column("client", lambda client: f" · {inline(client)}", detail=True),
    Column("how", lambda how: f" · {inline(how)}", detail=True),
    Column("line", " · line {}", detail=True),
)


def recorded_view(answer: Answer) -> Iterable[Element]:
    """Show a recorded correction: its id, then the change."""
    yield Line(f"correction {answer['id']}" + (" · this link is not suggested again" if answer["declined"] else ""))
    yield from written_view(answer)


def correction_list_view(answer: Answer) -> Iterable[Element]:
    yield notice(count_shown(len(answer["corrections"]), answer["total"], "correction"))
    yield Table(CORRECTIONS, answer["corrections"])
