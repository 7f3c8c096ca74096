from dataclasses import dataclass

from bridge.api.signature import parse_docstring


def documented(first: str, second: int) -> None:
    """Do one thing
    over two lines.

    More about it,
    in a paragraph.

    Args:
        first: What comes
            first.
        second: What comes: second.

    Raises:
        NoteNotFound: It is gone.
    """


def test_a_docstring_comes_apart_into_summary_details_and_items() -> None:
    text = parse_docstring(documented)
    assert (text.summary, text.details) == ("Do one thing over two lines.", "More about it, in a paragraph.")
    assert text.items == {
        "Args": {"first": "What comes first.", "second": "What comes: second."},
        "Raises": {"NoteNotFound": "It is gone."},
    }


def test_no_docstring_is_an_empty_one() -> None:
    text = parse_docstring(lambda: None)
    assert (text.summary, text.details, dict(text.items)) == ("", "", {})


@dataclass
class Base:
    """A base.

    Attributes:
        first: What comes first.
    """

    first: str


@dataclass
class Derived(Base):
    """A record with one more field.

    Attributes:
        second: What comes second.
    """

    second: str


def test_a_record_has_the_attributes_of_its_base() -> None:
    attributes = parse_docstring(Derived).section("Attributes")
    assert dict(attributes) == {"first": "What comes first.", "second": "What comes second."}
