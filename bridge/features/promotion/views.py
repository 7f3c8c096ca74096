"""Text view of a promotion."""

from collections.abc import Iterable

from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Column, Element, Section, Table, notice, notices
from bridge.text.invisible import inline

LIKE = (
    Column("path", role="path"),
    Column("vault", " · in {}"),
    Column("share", " · says {:.0%} of it"),
    Column("cosine", " · cosine {}"),
)


def promoted_view(answer: Answer) -> Iterable[Element]:
    """Show the copy, then the note that was copied."""
    yield notice(f"{answer['outcome']}, in the vault {inline(answer['copy']['vault'])}:")
    yield from notices(answer["warnings"], "note: ")
    yield from written_view(answer["copy"])
    if answer["like"]:
        yield Section("Similar", Table(LIKE, answer["like"]))
    yield notice("The note itself:")
    yield from written_view(answer["original"])
