"""Where words begin and end, in scripts with and without spaces."""

import re

import pytest

from bridge.text.word_boundary import is_whole_word, is_word_boundary


@pytest.mark.parametrize(
    ("text", "at", "boundary"),
    [
        ("category", 3, False),
        ("col·lecció", 3, False),
        ("il·lusió", 3, False),
        ("п’ять", 1, False),
        ("п'ять", 2, False),
        ("צה״ל", 3, False),
        ('ש"ח', 1, False),
        ('"ש"', 2, True),
        ("dog's", 3, True),
        ("a cat", 2, True),
        ("cat", 0, True),
        ("cat", 3, True),
        ("cafe\u0301s", 4, False),
        ("cafe\u0301s", 5, False),
        ("\u30d1\u30f3\u713c\u304d", 2, True),
        ("rye\u713c", 3, True),
        ("f\u200foo", 1, False),
        ("foo\u200f bar", 3, True),
        ("\U0001f469\u200d\U0001f469", 1, False),
        ("\U0001f469\u200d\U0001f469", 2, False),
    ],
)
def test_words_of_scripts_with_spaces_go_on(text: str, at: int, boundary: bool) -> None:
    assert is_word_boundary(text, at) == boundary


@pytest.mark.parametrize(
    ("text", "word", "whole", "surely"),
    [
        ("category, cat", "cat", ".+", ".+"),
        ("cafe\u0301s cafe\u0301", "cafe\u0301", ".+", ".+"),
        ("cafe\u0301", "cafe", ".", "."),
        ("रामायण, राम ने", "राम", ".+", ".+"),
        ("கமலாவின், கமலா", "கமலா", ".+", ".+"),
        ("حسنًا، حسن", "حسن", ".+", ".+"),
        ("שָׁלוֹם שלום", "שָׁ", ".", "."),
        ("کتاب\u200cها کتاب", "کتاب", ".+", ".+"),
        ("cat\u00adegory cat", "cat", ".+", ".+"),
        ("กาแฟ กา", "กา", ".+", ".+"),
        ("ตากผ้า", "ตา", ".", "."),
        ("ตากผ้า", "ตาก", ".", "."),
        ("ไปเชียงใหม่กับ", "เชียงใหม่", "+", "+"),
        ("ນ້ຳຕານ ນ້ຳ", "ນ້ຳ", ".+", ".+"),
        ("នៅភ្នំពេញជា", "ភ្នំពេញ", "+", "+"),
        ("ရန်ကုန်မြို့", "ရန်ကုန်", "+", "+"),
        ("ရန်ကုန်မြို့", "ရ", ".", "."),
        ("東京都に。京都駅で。東京と京都。", "京都", "+++", "..+"),
        ("私は京都に行く", "京都", "+", "+"),
        ("我在北京。北京市，北京的春天", "北京", "+++", "+.+"),
        ("北京人、北京語、北京大学", "北京", "+++", "..."),
        ("我每天用微信聊天，微信人工客服", "微信", "++", "++"),
        ("我用微信，显微镜，微", "微", "..+", "..+"),
        ("这家市场的市区别", "这家", "+", "+"),
        ("東京都、東京大会、東京区間、東京。", "東京", "++++", ".+++"),
        ("日本語と日本語句", "日本", "++", ".+"),
        ("会議資料を会議室で。株式会社会議", "会議", "+++", "+++"),
        ("走る、走を", "走", "++", ".+"),
        ("トンネル トンと", "トン", ".+", ".+"),
        ("さくらは桜、さくらんぼ", "さくら", "++", "+."),
        ("그 민수는, 민수가 민수에게서는 김민수 민수네집", "민수", "+++..", "+++.."),
        ("Python은 Pythonista", "Python", "+.", "+."),
    ],
)
def test_a_word_stands_alone_in_any_script(text: str, word: str, whole: str, surely: str) -> None:
    for expected, is_sure in ((whole, False), (surely, True)):
        found = [is_whole_word(text, *each.span(), surely=is_sure) for each in re.finditer(re.escape(word), text)]
        assert "".join(".+"[one] for one in found) == expected
