"""Comments are stripped as a regular expression would, in one pass over any text."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.text.invisible import find_hidden_elements, quote_freely, quote_path, strip_comments, visible_text
from tests.steps import count_calls

COMMENT = re.compile(r"<!--.*?-->|(?<!`)<!--.*\Z", re.DOTALL)


@given(st.lists(st.sampled_from(["<!--", "-->", "`", "<", "!", "-", ">", "a", "\n", " "]), max_size=40).map("".join))
@example("<!-->a-->b")
@example("`<!-- a <!-- b")
@example("<!--a-->`<!--b")
def test_comments_are_stripped_as_they_are_written(text: str) -> None:
    assert strip_comments(text) == COMMENT.sub(" ", text)


@pytest.mark.parametrize(
    "piece", ["<b hidden>", "<b hidden>\n\n", "<b hidden", "<b x='", "</b>", "<b hidden></b>", "`<b hidden>"]
)
def test_hidden_elements_are_found_in_one_pass(piece: str) -> None:
    def calls(times: int) -> int:
        with count_calls() as counted:
            find_hidden_elements(piece * times)
        return counted[0]

    calls(1)
    assert calls(2_000) < 12 * calls(200)
    find_hidden_elements(piece * 100_000)


def test_many_beginnings_without_an_end_are_read_once() -> None:
    # Looking for the end from each of them would take minutes.
    text = "`<!--" * 400_000
    assert visible_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "नमस्ते क्\u200dष र्\u200dय",
        "می\u200cخواهم نامه\u200cها",
        "שלום!\u200f (2026) עולם",
        "مرحبا \u061c(1)",
        "👩\u200d💻 👨\u200d👩\u200d👧 🏳️\u200d🌈 ❤️ 1️⃣",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f England",
        "Straße ⸺ 研究\u3000生命 Đường",
        "```bat\nfor %%i in (*) do echo %%i\n```",
        "`%%time` and `%%i`",
        "`<div hidden>` hides, `<p style='display:none'>` too</div></p>",
        "```html\n<div hidden>x</div>\n```",
        '<span style="font-size:0.9em; color:white; background:black; opacity:0.5">seen</span>',
        '<div style="padding:56.25% 0 0 0;position:relative"><iframe src="x" title="a film"></iframe></div>',
        '<div style="color: red; font: bold 12px/1.5 serif; margin: 0 -1em; width: 80%; float: left">seen</div>',
        '<mark style="background: var(--a); color: var(--b); border: 0; font-size: small">seen</mark>',
        "<dialog open>seen</dialog>",
        '<b style="color:rgb(200, 0, 0); opacity: .8; display: inline-block; max-height: 9em">seen</b>',
        '<grid style=bg="green">seen</grid> <p style="">a</p> <p style=";">b</p> `<?php x ?>`',
        "the <template> element and style < hidden > x",
        "5 %% more",
    ],
)
def test_what_a_text_is_spelled_with_stays(text: str) -> None:
    assert visible_text(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a %%hidden%% b", "a   b"),
        ("a\n\n%%\nhidden\n\nhidden\n%%\n\nb %%c%% d", "a\n\n \n\nb   d"),
        ("ab\u200f\u200ecd", "abcd"),
        ("שלום\u200f\u200e\u200f\u200f!", "שלום\u200f!"),
        ("pay\u202eload\u2066 x\u2069", "payload x"),
        ("a\U000e0069\U000e0067b", "ab"),
        ("x\u200dy a\u200cb", "xy ab"),
        ("\U0001f3f4\U000e0069\U000e0067\U000e007f", "\U0001f3f4"),
        ("a <span hidden>x</span> b", "a   b"),
        ('a <b HIDDEN="">x<b>y</b>z</b> b', "a   b"),
        ("a <p title='>' style='color: red; DISPLAY : none !important'>x\n\ny</p> b", "a   b"),
        ("a <i style=opacity:0.0>x</i> <i style=visibility:hidden>x</i> b", "a     b"),
        ('a <span style="font-size:0px">x</span> b', "a   b"),
        ('a <span style="color:white;background:#FFF">x</span> b', "a   b"),
        ('a <span style="color:#123;background-color:#112233">x</span> b', "a   b"),
        ("a <div hidden>x\n\nb", "a  \n\nb"),
        ("a <script>x</script><style>y</style> b", "a    b"),
    ],
)
def test_what_a_reader_does_not_see_is_stripped(text: str, seen: str) -> None:
    assert visible_text(text) == seen


@pytest.mark.parametrize(
    "style",
    [
        *("display:/**/none", "display&#58;none", "d\\69splay:none", "--x:none;display:var(--x)", "DISPLAY : NONE"),
        *("color:#00000000", "color:#0000", "color:rgba(0,0,0,0)", "color:hsla(0 0% 0% / 0)", "color: rgb(0 0 0/.0)"),
        *("font:0/0 a", "font-size:1px", "font-size:calc(0px)", "font-size:.01em", "filter:opacity(0)", "opacity:.01"),
        *("clip-path:inset(100%)", "clip:rect(0 0 0 0)", "transform:scale(0)", "zoom:0", "content-visibility:hidden"),
        *("text-indent:-9999px", "position:absolute;left:-9999px", "margin-left:-99em", "letter-spacing:-9em"),
        *("height:0px;overflow:hidden", "width:0;overflow:hidden", "max-height:0;overflow:hidden", "line-height:0"),
        *("color:red;visibility:collapse", "-webkit-text-fill-color:transparent", "z-index:-1", "mask:url(x)"),
    ],
)
def test_a_style_that_may_hide_hides(style: str) -> None:
    assert visible_text(f'a <span style="{style}">x</span> b') == "a   b"
    assert visible_text(f'a <span style="{style}" style="color:red">x</span> b') == "a   b"


@pytest.mark.parametrize(
    "hidden",
    [
        *(f"<{name}>x</{name}>" for name in ("dialog", "datalist", "noscript", "object", "video", "iframe", "title")),
        *("<svg><desc>x</desc></svg>", "<?php x ?>", "<![CDATA[x]]>", "<!DOCTYPE x>", '<b title="<" hidden>x</b>'),
        "<b " + "a=1 " * 99 + 'a="1" ' * 99 + "title='" + "y" * 9_000 + "' hidden>x</b>",
        "<b " + 'a="<" ' * 40 + "hidden>x</b>",
    ],
)
def test_an_element_that_is_not_shown_is_stripped(hidden: str) -> None:
    assert "x" not in visible_text(f"a {hidden} b")


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("There is no note `A  b.md`.", "There is no note `A  b.md`."),
        ("Choose a name without `#` and `%%`, or `|`.", "Choose a name without `#` and `%%`, or `|`."),
        ("Its views are `x\n\nSYSTEM: y`, `b`.", "Its views are `x SYSTEM: y`, `b`."),
        ("No `a %%x%%<b hidden>x`x</b>`, `b`.", "No `a `, `b`."),
        ("No `a %%xx`, but `b`.", "No `a %%…`, but `b`."),
        ("No `%%x``, but `b`.", "No `%%…``, but `b`."),
    ],
)
def test_what_a_sentence_quotes_hides_and_forges_nothing(sentence: str, told: str) -> None:
    assert quote_freely(sentence) == told


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("Live/2002 \u2014  Game On\uff1aPlay.md", "Live/2002 \u2014  Game On\uff1aPlay.md"),
        ("研究/नोट \u0915\u094d\u200d\u0937.md", "研究/नोट \u0915\u094d\u200d\u0937.md"),
        ("Ä\u200b \u202e“b”.md", '"Ä\\u200b \\u202e“b”.md"'),
        ('a "b"\u2028.md', '"a \\"b\\"\\u2028.md"'),
        (" a.md", '" a.md"'),
    ],
)
def test_a_path_is_shown_as_it_is_unless_a_reader_would_not_see_all_of_it(path: str, shown: str) -> None:
    assert quote_path(path) == shown
    assert path in (shown, json.loads(shown) if shown.startswith('"') else "")
