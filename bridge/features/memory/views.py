"""Text views of memories."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices
from bridge.text.invisible import inline

MEMORY = (
    Column("path", role="path"),
    Column("kind", " · {}"),
    Column("vault", " · in {}"),
    Column("tier", " · {}", detail=True),
    Column("score", " · score {}"),
    Column("pinned", lambda pinned: " · pinned" if pinned else ""),
    Column("scope", " · {}", most=5, detail=True),
    Column("agent", " · by {}", detail=True),
    Column("created", lambda created: f" · {created[:10]}", detail=True),
    Column("used", lambda used: f" · used {used['times']}×" if used["times"] else "", detail=True),
    Column("expires", lambda expires: f" · until {expires[:10]}", detail=True),
    Column("digest", " · digest {}", detail=True),
    Column("conflicts", " · contradicts {}", most=3),
    Column("problems", lambda problems: "".join(f" · {inline(one)}" for one in problems[:2]), detail=True),
    Column("why", " · {}", most=1, detail=True),
    Column("text", lambda text: f"\n{inline(text)}"),
)


SAID = (Column("path", role="path"), Column("what", " · {}"), Column("text", lambda text: f"\n{inline(text)}"))


def recall_view(answer: Answer) -> Iterable[Element]:
    """Show what was recalled: what fits, what always holds, and what is open."""
    yield from notices(answer["notices"])
    parts = (("Fits", "memories"), ("Always holds", "standing"), ("Open questions", "questions"))
    yield from (Section(title, Table(MEMORY, answer[name])) for title, name in parts if answer[name])
    if answer["sessions"]:
        yield Section("Said in earlier sessions", Table(SAID, answer["sessions"]))
    if not answer["memories"]:
        others = answer["standing"] or answer["questions"] or answer["sessions"]
        yield Line("No other memory fits." if others else "No memory fits.")


def memory_list_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    yield Line(
        f"{answer['total']:,} {'memory' if answer['total'] == 1 else 'memories'}: {counts_text(answer['counts'])}"
    )
    yield Table(MEMORY, answer["memories"])


LIKE = (
    Column("path", role="path"),
    Column("share", " · {:.0%} of its words"),
    Column("cosine", " · cosine {}"),
    Column("contradicts", lambda contradicts: " · contradicts it, and is not recalled any more" if contradicts else ""),
)


def remembered_view(answer: Answer) -> Iterable[Element]:
    """Show a memory that was written, and those that say something similar."""
    yield from written_view(answer)
    if answer["like"]:
        yield Section("Similar", Table(LIKE, answer["like"]))


def forgotten_view(answer: Answer) -> Iterable[Element]:
    """Show how a memory was forgotten, and what still finds it."""
    yield from written_view(answer)
    if answer.get("verified"):
        found = [name for name, finds in answer["verified"].items() if finds]
        yield notice(f"still found by: {', '.join(found) or 'nothing'}")


def counts_text(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{number} {name}" for part in counts.values() for name, number in part.items()) or "none"
