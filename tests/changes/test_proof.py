"""What would break a link does not pass the proof, whoever wrote it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.changes.heading import rename_heading
from bridge.changes.relink import Shift, verify_links
from bridge.errors import AmbiguousHeading, HeadingNotFound, InvalidArguments
from bridge.markdown.link_spans import read_link_spans
from bridge.markdown.names import Names
from bridge.markdown.parse import parse
from bridge.markdown.sections import decode_place, resolve_headings
from bridge.types import VaultPath
from tests.changes.vaults import Paper

OLD, NEW, HERE = VaultPath("A/Rye.md"), VaultPath("B/Spelt.md"), VaultPath("Here.md")
SHIFT = Shift.of(Names([OLD, HERE, VaultPath("C/Spelt.md")]), {OLD: NEW})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Rye]]", "[[Rye]]"),
        ("[[Rye]]", "[[C/Spelt]]"),
        ("[[Rye#A]]", "[[B/Spelt]]"),
        ("[[Rye#^a]]", "[[B/Spelt#^b]]"),
        ("[[Rye]]", "![[B/Spelt]]"),
        ("[[Rye]]", "`[[B/Spelt]]`"),
        ("[[Rye]]", "[[B/Spelt]] [[Here]]"),
        ("[[Rye|x]]", "[[B/Spelt]]"),
        ("[x](A/Rye.md)", "[[B/Spelt]]"),
        ("[x]: A/Rye.md", "[x]: A/Spelt.md"),
    ],
)
def test_a_link_that_means_something_else_is_refused(before: str, after: str) -> None:
    with pytest.raises(InvalidArguments, match=r"`Here\.md`"):
        verify_links(HERE, read_link_spans(HERE, before.encode()), after.encode(), SHIFT, read_link_spans)


@pytest.mark.parametrize(
    ("before", "after"), [("[[Rye]] [[None]]", "[[B/Spelt]] [[None]]"), ("[x]: A/Rye.md", "[x]: B/Spelt.md")]
)
def test_a_link_that_means_the_same_passes(before: str, after: str) -> None:
    verify_links(HERE, read_link_spans(HERE, before.encode()), after.encode(), SHIFT, read_link_spans)


TEXTS = ("Top", "top", "Old way", "New: way", "a/b", "50%", "麦", "خبز", "x | y", "(z)", "Old-way")
headings = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(TEXTS)), min_size=1, max_size=7)
named = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3)


def link(parts: list[str], style: int) -> str:
    place = "".join(f"#{part.replace('|', ' ')}" for part in parts)
    encoded = place.replace("%", "%25").replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return (
        f"[[Rye{place}|x]]",
        f"![[A/Rye{place}]]",
        f"[x](A/Rye.md{encoded})",
        f"[x](<A/Rye.md{place.replace('%', '%25')}>)",
    )[style]


def places(paper: Paper) -> list[tuple[str, tuple[int, ...]]]:
    """Return which headings the links of a vault mean."""
    among = parse(OLD, paper.files[OLD]).headings
    return [
        (path, resolve_headings(among, decode_place(spot.place.text, markdown=spot.syntax == "markdown"))[-1:])
        for path, data in paper.files.items()
        for spot in read_link_spans(path, data).links
        if spot.place is not None
    ]


@settings(max_examples=300, deadline=None)
@given(headings, st.lists(st.tuples(named, st.integers(0, 3)), max_size=5), st.sampled_from(TEXTS), st.data())
def test_places_in_notes_made_up_at_random_mean_the_same_heading(
    made: list[tuple[int, str]], linked: list[tuple[list[str], int]], to: str, data: st.DataObject
) -> None:
    text = "".join(f"{'#' * level} {words}\n\ntext\n\n" for level, words in made)
    own = "".join(f"[[#{parts[0].replace('|', ' ')}]] " for parts, _ in linked)
    links = " and ".join(link(parts, style) for parts, style in linked)
    paper = Paper.of({OLD: text + own, HERE: links})
    try:
        planned = rename_heading(OLD, data.draw(st.sampled_from(made))[1], to, paper.view())
    except (AmbiguousHeading, HeadingNotFound):
        return
    except InvalidArguments as error:
        assert "could not follow" in error.message  # noqa: PT017 - others must not happen
        return
    after = paper.carry_out(planned)
    lost = [(was, now) for was, now in zip(places(paper), places(after), strict=True) if was[1] and was != now]
    assert lost == []
