"""Where words begin and end in a text, in scripts with and without spaces."""

import re
from typing import Final

from bridge.text.function_words import KOREAN_PARTICLES, UNSPACED_FUNCTION
from bridge.text.scripts import CLUSTER_SCRIPTS, HAN, HIRAGANA, KATAKANA, MARK, UNSPACED_SCRIPTS, WORD_SIGN
from bridge.text.words import is_mark

_INVISIBLE: Final = "\u00ad\u061c\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_MAX_MARKS: Final = 32
"""Marks and unseen characters of one letter that are looked beyond."""

_INVISIBLE_CHARS: Final = re.compile(f"[{_INVISIBLE}]{{0,{_MAX_MARKS}}}")
_MARK_OR_INVISIBLE: Final = re.compile(f"[{_INVISIBLE}]|{MARK}")

_SPACED_LETTER: Final = f"(?![{UNSPACED_SCRIPTS}])\\w"
_WITHIN_WORD: Final = re.compile(
    f"{_SPACED_LETTER}{_SPACED_LETTER}|[{KATAKANA}]{{2}}"
    # Thai, Lao, Khmer and Myanmar: a vowel before its consonant, or after it, what stacks letters, and silent ones.
    "|[\u0e40-\u0e44\u0ec0-\u0ec4\u17d2\u1039]"
    "|.(?:[\u0e30\u0e32\u0e33\u0e45\u0e46\u0eb0\u0eb2\u0eb3\u0ebd\u0ec6]|[\u0e01-\u0e2e]\u0e4c|[\u1000-\u102a][\u1039\u103a])"
    # What repeats or changes the letter before it in kana and Han, and what joins emoji.
    "|.[\u3005\u3041\u3043\u3045\u3047\u3049\u3083\u3085\u3087\u309d\u309e\u30fc\u200d]|\u200d",
    re.DOTALL,
)
"""The characters around a place across which a word or a syllable goes on."""

_WORD_SIGN: Final = re.compile(WORD_SIGN)

_RUN_LETTERS: Final = re.compile(f"[{HAN}]{{2}}|[{HIRAGANA}]{{2}}|[{CLUSTER_SCRIPTS}]{{2}}")
"""The letters around a place of which nothing tells whether a word ends between them."""

_VERB: Final = re.compile(f"[{HAN}][{HIRAGANA}]")
_HAN: Final = re.compile(f"[{HAN}]")
_HAN_PAIR: Final = re.compile(f"[{HAN}]{{2}}")
_NAME_PREFIX: Final = re.compile("(?<=[東东西南北])")
_NAME_SUFFIX: Final = re.compile(
    "(?<=東京)都|[府県縣县町村郡州駅站]|大[学學]|[市区區](?![场場别別分域間间])|[语語](?![法言句音])|人(?![们們类類工口])|省(?![略得])"
)
"""What makes another name of one that it stands beside, as in *東京都* and *北京人*."""

_CLUSTER_LETTER: Final = re.compile(f"(?!{MARK})[{CLUSTER_SCRIPTS}]")
_MIN_HAN_CHARS, _MIN_KANA, _MIN_CLUSTER_LETTERS = 2, 3, 4
"""Letters from which on a part of a text is a word where nothing tells: fewer are mostly a part of another one."""

_CHARS_AROUND: Final = 8
"""Characters around a place among which function words are looked for."""


def is_word_boundary(text: str, at: int, *, surely: bool = False) -> bool:
    """Return whether no word goes on across a place in a text; marks and joiners belong to the letter before them.

    In the midst of a script without spaces nothing tells, and it is one but `surely`.
    """
    if not 0 < at < len(text):
        return True
    if _WORD_SIGN.match(text, at) or _WORD_SIGN.match(text, at - 1):
        return False
    around = "" if is_mark(text[at]) else _letters_around(text, at)
    return around != "" and not _WITHIN_WORD.match(around) and not (surely and _RUN_LETTERS.match(around))


def is_whole_word(text: str, start: int, end: int, *, surely: bool = False) -> bool:
    """Return whether a part of a text is no part of a longer word; particles of Korean may follow it.

    In the midst of a script without spaces, a long enough part is a word; but `surely` one of kana, or one of Han that
    makes a longer name with what it stands beside, only between function words.
    """
    own = text[start:end]
    if not is_word_boundary(text, start):
        return False
    if not is_word_boundary(text, end):
        return len(own) > 1 and KOREAN_PARTICLES.match(text, end) is not None
    if surely and len(own) == 1 and _VERB.match(text, start):
        return _meets_function_word(text, end)
    uncertain = [at for at in (start, end) if not is_word_boundary(text, at, surely=True)]
    if uncertain and (letters := len(_CLUSTER_LETTER.findall(own))):
        return letters >= _MIN_CLUSTER_LETTERS
    if uncertain and not surely:
        return len(own) >= (_MIN_HAN_CHARS if _HAN.search(own) else _MIN_KANA)
    parts = len(own) >= _MIN_HAN_CHARS and not _NAME_PREFIX.match(text, start) and not _NAME_SUFFIX.match(text, end)
    return all((parts and _HAN_PAIR.match(text, at - 1)) or _meets_function_word(text, at) for at in uncertain)


def _letters_around(text: str, at: int) -> str:
    """Return the character before a place and two after it, without what belongs to the one before it."""
    after, before = text[at : at + 2], at - 1
    if after.isascii() and text[before].isascii():
        return text[before] + after
    if unseen := _INVISIBLE_CHARS.match(text, at):
        after = text[unseen.end() : unseen.end() + 2]
    first = max(0, at - _MAX_MARKS)
    while before > first and _MARK_OR_INVISIBLE.match(text, before):
        before -= 1
    return text[before] + after


def _meets_function_word(text: str, at: int) -> bool:
    first = max(0, at - _CHARS_AROUND)
    around = text[first : at + _CHARS_AROUND]
    return any(at - first in found.span() for found in UNSPACED_FUNCTION.finditer(around))
