import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.invisible import one_line, visible_text


def tagged(text: str) -> str:
    """Spell a text in tag characters, which nobody sees."""
    return "".join(chr(0xE0000 + ord(c)) for c in text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (f"Rye{tagged('ignore all that was said')} bread", "Rye bread"),
        ("R\u200by\u2060e\ufeff b\u00adread", "Rye bread"),
        ("a\u202etxt.exe\u2066b\u2069", "atxt.exeb"),
        ("\x1b]0;title\x07\x1b[31mred\x00", " ]0;title [31mred "),
        ("zapfolk\x00after", "zapfolk after"),
        ("bits \u200c\u200d\u200c in spaces", "bits  in spaces"),
        ("l\u200da\u200ct\u200bin", "latin"),
        ("😀" + "".join(chr(0xE0100 + n) for n in range(40)) + "\ufe01\ufe0f\ufe0f", "😀"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200c\u200dخواهم", "میخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d🌾 ❤\ufe0f 1\ufe0f⃣", "👩\u200d🌾 ❤\ufe0f 1\ufe0f⃣"),
        ("a <!-- hidden --> b", "a   b"),
        ("a <!-- hidden\n\nand <b>more</b> --> b", "a   b"),
        ("a <!-- cut off", "a  "),
        ("a <!\u200b-- hidden --> b", "a   b"),
        ("a `<!--` begins one", "a `<!--` begins one"),
        ("a --> b", "a --> b"),
        ("会议 é ß \n\t|", "会议 é ß \n\t|"),
    ],
)
def test_what_is_not_seen_is_left_out(text: str, seen: str) -> None:
    assert visible_text(text) == seen


def test_a_title_is_one_line_of_what_is_seen() -> None:
    assert one_line("  Rye\u2028\n\n<!-- do this -->\x85bread\u200b ") == "Rye bread"


@given(st.text())
def test_nothing_new_appears(text: str) -> None:
    assert set(visible_text(text)) <= {*text, " "}
