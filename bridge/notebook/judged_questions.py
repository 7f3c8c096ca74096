"""The note of judged questions: tables of questions and the notes that answer them, kept by the user and agents."""

from collections.abc import Iterator
from typing import Final

from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.links import UNESCAPED_BAR, WIKI, split_wiki
from bridge.markdown.parse import parse_structure
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.text.lines import LineIndex

NOTE: Final = "Judged questions.md"
"""The name of the note in the agents' folder."""

HEAD: Final = "| question | notes that answer it |\n| --- | --- |"
EXAMPLE: Final = "| When are beans sown? | [[Beans]] > [[Calendar]], [[Frost]] |"
"""A row: the note that answers best, and two of less worth that are equal."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question in the note.

    Attributes:
        text: The question.
        answers: The link targets of the notes that answer it, in groups of equal worth, the best first.
        line: Its line.
    """

    text: str
    answers: tuple[tuple[str, ...], ...]
    line: int


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A row that is no judged question, and why."""

    line: int
    why: str


def read_judged_questions(text: str) -> Iterator[JudgedQuestion | UnreadableLine]:
    """Yield what the rows of a note's tables say, in order; empty rows are left out."""
    known: dict[str, int] = {}
    for line, row in _rows(text):
        found = _parse(line, row)
        if isinstance(found, JudgedQuestion):
            first = known.setdefault(fold_case(found.text), line)
            yield found if first == line else UnreadableLine(line, f"line {first} asks the same")
        elif found is not None:
            yield found


def _rows(text: str) -> Iterator[tuple[int, str]]:
    text = text.removeprefix("\ufeff")
    lines = LineIndex(text)
    structure, _ = parse_structure(text, read_frontmatter(text, lines).body)
    for part in structure.parts:
        if part.kind == "table" and part.depth == 0:
            _, _, *rows = text[part.start : part.end].replace("\r\n", "\n").replace("\r", "\n").split("\n")
            yield from enumerate(rows, lines.at(part.start) + 2)


def _parse(line: int, row: str) -> JudgedQuestion | UnreadableLine | None:
    cells = [cell.strip() for cell in UNESCAPED_BAR.split(row.strip().removeprefix("|"))]
    if not any(cells):
        return None
    question, answers = cells[0].replace("\\|", "|"), _answers(cells[1] if len(cells) > 1 else "")
    if not question:
        return UnreadableLine(line, "it has no question")
    if not answers:
        return UnreadableLine(line, "it links no note; in a table, a bar in a link is written `\\|`")
    return JudgedQuestion(question, answers, line)


def _answers(cell: str) -> tuple[tuple[str, ...], ...]:
    groups: list[list[str]] = []
    end = 0
    for found in WIKI.finditer(cell):
        if not groups or ">" in cell[end : found.start()]:
            groups.append([])
        groups[-1].append(split_wiki(found[1])[0])
        end = found.end()
    return tuple(map(tuple, groups))
