"""PDFs, a page at a time."""

from hashlib import sha256

from bridge.markdown.documents import MAX_UNPACKED, read_document, read_pdf
from bridge.markdown.note import Heading, Piece
from bridge.markdown.sections import Outline
from bridge.types import VaultPath
from tests.markdown.pdfs import packed_pdf, pdf

PATH = VaultPath("Papers/Oven.pdf")


def test_each_page_with_text_is_a_section() -> None:
    note = read_document(PATH, pdf("Fire the oven\nfor two hours", "", "Rake it out"))
    assert (note.kind, note.title, note.problems) == ("pdf", "Oven", ())
    assert note.text == "Page 1\n\nFire the oven\nfor two hours\n\nPage 3\n\nRake it out\n\n"
    assert note.headings == (Heading("Page 1", 1, 1, (0, 6)), Heading("Page 3", 1, 6, (37, 43)))
    assert note.pieces[1] == Piece("page", (8, 35), (3, 4))
    assert Outline(note).at(note.text.index("Rake")) == "Page 3"


def test_more_pages_than_allowed_are_left_and_said() -> None:
    note = read_document(PATH, pdf("one", "two", "three"), max_pdf_pages=2)
    assert note.text == "Page 1\n\none\n\nPage 2\n\ntwo\n\n"
    assert note.problems == ("Only the first 2 of 3 pages were read.",)


def test_text_beyond_the_limit_is_cut_and_said() -> None:
    page = "\n".join(["bread"] * 20)
    note = read_pdf(PATH, pdf(page, page, page), max_pages=9, max_characters=150)
    assert note.text == f"Page 1\n\n{page}\n\nPage 2\n\n{page[:31]}\n\n"
    assert note.problems == ("The text is longer than 150 characters; the rest was not read.",)


def test_a_page_that_cannot_be_read_is_skipped_and_said() -> None:
    note = read_document(PATH, pdf("one", "two").replace(b"/Kids [4 0 R", b"/Kids [9 0 R"))
    assert "two" in note.text
    assert note.problems == ("1 of the pages cannot be read, the first is page 1.",)


def test_a_password_is_named_as_the_reason() -> None:
    note = read_document(PATH, pdf("secret", protected=True))
    assert (note.text, note.pieces) == ("", ())
    assert note.problems == ("The PDF cannot be read: it is protected by a password.",)


def test_damage_is_named_as_the_reason() -> None:
    for data in (b"", b"%PDF-1.4", b"no pdf at all", pdf("x")[:200]):
        note = read_document(PATH, data)
        assert (note.text, note.problems) == ("", ("The PDF cannot be read: it is damaged or no PDF.",))


def test_divided_words_are_put_together_again() -> None:
    note = read_document(PATH, pdf("the baker kneads the sour-\ndough by hand"))
    assert note.text == "Page 1\n\nthe baker kneads the sourdough by hand\n\n"


def test_a_page_that_unpacks_too_far_is_refused_and_said() -> None:
    data = packed_pdf(b"BT " + b"(loaf) Tj " * (MAX_UNPACKED // 10 + 1) + b"ET", pages=1)
    assert len(data) < MAX_UNPACKED // 100
    note = read_document(PATH, data)
    assert note.text == ""
    assert note.problems == ("The PDF cannot be read: a page of it unpacks to more than 16 MiB.",)


def test_a_page_that_is_hard_to_pack_is_read() -> None:
    words = " ".join(f"{sha256(bytes([at % 256, at // 256])).hexdigest()}" for at in range(600))
    data = packed_pdf(f"BT /F1 1 Tf 72 720 Td ({words}) Tj ET".encode(), pages=1)
    assert len(data) > MAX_UNPACKED // 1_032
    assert words[:40] in read_document(PATH, data).text


def test_a_billion_pages_are_not_looked_for() -> None:
    note = read_document(PATH, packed_pdf(b"BT /F1 12 Tf 72 720 Td (loaf) Tj ET", pages=1_000_000_000))
    assert "loaf" in note.text


def test_a_pdf_read_again_under_another_name_is_that_one() -> None:
    data = pdf("Rye", "Spelt")
    first = read_document(PATH, data)
    again = read_document(VaultPath("Other.pdf"), data)
    assert (again.text, again.title) == (first.text, "Other")
