"""Folds texts for comparison: names without case, words also without accents, with places in the original."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from bridge.text.scripts import ACCENTS, CYRILLIC, HEBREW_QUOTE, JOINERS, MARK, TONES

_CLUSTER: Final = re.compile(f"[\u1100-\u115f][\u1160-\u11ff]+|.(?:{MARK}|[\uff9e\uff9f])*", re.DOTALL)
"""A character with the marks that may combine with it."""

_GROWING_CHAR: Final = re.compile(
    "[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1e9e\u1f50-\u1ffc\ufb00-\ufb17]"
)
"""A character that case folding can expand to several, such as `ß`."""

_LOWER_OF_DOTTED_I: Final = "i\u0307"
"""The lower case of the Turkish İ."""

_NOT_SAID: Final = re.compile(r"[\W_]+")
_EXTRAS: Final = re.compile(
    f"[{ACCENTS}{JOINERS}{TONES}\u034f\u05f4\u0640\u093c\u0a3c\u0abc\u180b-\u180f\U0001f3fb-\U0001f3ff]|{HEBREW_QUOTE}"
)
"""What can be left out of a word: accents, vowels of Arabic and Hebrew, dots of Hindi and Punjabi, what is not seen."""

_NASAL: Final = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])|ँ")
"""Nasals of Hindi that the dot above the letter before them also writes."""

_DIGITS: Final = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20\u1040\u17e0"
"""The zero of each script that has digits of its own."""

_EQUAL_LETTERS: Final = str.maketrans(
    # Letters that are no other one with a mark, as many keyboards and other tools write them.
    {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ŀ": "l", "ł": "l", "œ": "oe", "ŧ": "t"}
    | dict.fromkeys("ىیې", "ي")
    | dict.fromkeys("ةھہەۀ", "ه")
    | {"ک": "ك", "ٱ": "ا"}
    | dict.fromkeys("’ʻʼ׳", "'")
    | dict(zip("ൺൻർൽൾ", ("ണ്", "ന്", "ര്", "ല്", "ള്"), strict=True))
    | {chr(ord(zero) + digit): str(digit) for zero in _DIGITS for digit in range(10)}
)


_SHIELD: Final = dict(zip(map(ord, "ำຳໜໝ"), "\ue001\ue002\ue003\ue004", strict=True))
_UNSHIELD: Final = {ord(sign): chr(letter) for letter, sign in _SHIELD.items()}
"""Letters of Thai and Lao that would become two, so that a place in the word would be another one."""


_LONG_MARKS: Final = re.compile(r"[^\w\s\x00-\u02ff]{200,}")
"""A run, longer than a file name, of what may be combining marks."""

_MAX_MARKS: Final = 200
_MIN_CUT_CHARS: Final = 2_000
_GRAPHEME_JOINER: Final = "\u034f"


def normalize(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Normalize a text in a time that grows with its length: marks on one letter are sorted one by one."""
    if len(text) > _MIN_CUT_CHARS and not text.isascii():
        text = _LONG_MARKS.sub(_part_marks, text)
    return unicodedata.normalize(form, text)


def _part_marks(found: re.Match[str]) -> str:
    run = found[0]
    if not any(map(unicodedata.combining, run)):
        return run
    return _GRAPHEME_JOINER.join(run[at : at + _MAX_MARKS] for at in range(0, len(run), _MAX_MARKS))


def nfc(text: str) -> str:
    """Compose characters, as Obsidian does with every path."""
    return text if text.isascii() else normalize("NFC", text)


def fold_case(text: str) -> str:
    return text.lower() if text.isascii() else nfc(text).casefold().replace(_LOWER_OF_DOTTED_I, "i")


_CURLY: Final = re.compile(f"[’ʼ](?<=[{CYRILLIC}].)(?=[{CYRILLIC}])|[׳״](?<=[א-ת].)(?=[א-ת])")


def straighten(text: str) -> str:
    """Return a text as long with the signs inside Ukrainian and Hebrew words as keyboards have them."""
    return _CURLY.sub(lambda sign: '"' if sign[0] == "״" else "'", text)


def fold_mention(text: str) -> str:
    return straighten(fold_case(text))


class FoldedText:
    """A text folded for comparison, or only composed, with a map back to offsets of the original."""

    __slots__ = ("_places", "text")

    def __init__(self, text: str, fold: Callable[[str], str] = fold_case) -> None:
        self._places: list[int] | None = None
        self.text = fold(text)
        normal = text.isascii() or (normalize("NFC", text) == text and _LOWER_OF_DOTTED_I not in text)
        if self.text == text or (len(self.text) == len(text) and normal):
            # Folding never shortens a composed text: at equal length, every character is at its old place.
            return
        pieces: list[str] = []
        self._places = []
        at = 0
        for found in (_GROWING_CHAR if normal else _CLUSTER).finditer(text):
            start, end = found.span()
            piece = fold(found[0])
            pieces += (fold(text[at:start]), piece)
            self._places += (*range(at, start), *_places(found, piece))
            at = end
        pieces.append(fold(text[at:]))
        self._places += range(at, len(text) + 1)
        self.text = "".join(pieces)

    def place(self, index: int) -> int:
        """Return the original offset of an offset in the folded text."""
        return index if self._places is None else self._places[index]


def fold_word(word: str) -> str:
    """Fold a word as the index does: no case, accents, width or digits of its own.

    Letters without a decomposition become those by which they are typed elsewhere. Marks that make another letter, as
    in kana, are kept, and so is a word of nothing but marks, such as a lone tatweel or skin tone.
    """
    return _fold_letters(word) or word


def _fold_letters(word: str) -> str:
    if word.isascii():
        return word.lower()
    parts = _NASAL.sub("ं", _EXTRAS.sub("", normalize("NFKD", word.casefold().translate(_SHIELD))))
    return normalize("NFC", parts.translate(_EQUAL_LETTERS)).translate(_UNSHIELD)


def places_in(word: str) -> list[int]:
    places = [place for found in _CLUSTER.finditer(word) for place in _places(found, _fold_letters(found[0]))]
    return [*(places or range(len(word))), len(word)]


def _places(cluster: re.Match[str], folded: str) -> Iterable[int]:
    return range(*cluster.span()) if folded == cluster[0] else [cluster.start()] * len(folded)


def fold_words(words: Sequence[str]) -> list[str]:
    """Fold words without line breaks, which is faster than one by one: nothing combines across a line break."""
    folded = _fold_letters("\n".join(words)).split("\n") if words else []
    return folded if all(folded) else [one or word for one, word in zip(folded, words, strict=True)]


_NUMBERS: Final = re.compile(r"([0-9]+)")
_VOWEL_BEFORE: Final = re.compile("([เ-ไເ-ໄ])([ก-ฮກ-ຮ])|[็-์່-໌]")
"""A vowel of Thai or Lao before the consonant that it is spoken after, or a mark that does not count in an order."""

_ALPHABETS: Final = (
    "abɓcdɗeəɛfgɣhijkƙlmnŋoɔpqrstuvwxyƴz",
    "аәбвгґғдђеєжҗзѕиіјкқлљмнңњоөпрстћуұүфхһҳцчҷџшщъыьэюя",
    "ابپتٹټثجځچڅحخدڈډذرڑړڕزژږسښشصضطظعغفڤقكگګلڵمنںڼهەوۆيےېێ",
    *("கஙசஞடணதநபமயரலவழளறனஜஶஷஸஹ", "രലവശഷസഹളഴറ", "લવશષસહળ", "లవశషసహళ", "ಲವಶಷಸಹಳ"),
    "ਸਹਕਖਗਘਙਚਛਜਝਞਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵ",
)
"""Letters of the scripts whose alphabets are in another order than their code points."""

_PLACES: Final = str.maketrans(
    dict(pair for letters in _ALPHABETS for pair in zip(letters, sorted(letters), strict=True))
    # Katakana stand among the hiragana that sound alike.
    | {chr(kana + 0x60): chr(kana) for kana in range(0x3041, 0x3097)}
)


def listing_key(text: str) -> tuple[str, str]:
    """Return a key that sorts as a person reads: *Łukasz* before *Mia*, and *Part 2* before *Part 10*.

    The letters of a script are in the order of Unicode's collation, without what single languages have otherwise.
    """
    form = fold_word(text)
    parts = _NUMBERS.split((form if form.isascii() else _VOWEL_BEFORE.sub(r"\2\1", form)).translate(_PLACES))
    parts[1::2] = (f"{len(number):05}{number}" for number in (part.lstrip("0") for part in parts[1::2]))
    # One text, because many parts are compared one by one, in which no other thread has a turn.
    return "\0".join(parts), text


def fold_letters(name: str) -> str:
    """Return the letters and digits of a name, folded as a word; a name without any as it is."""
    return letters_and_digits(fold_word(name)) or name


def letters_and_digits(form: str) -> str:
    """Return the letters and digits of a folded name, by which `turbo-pump`, `turbopump` and `turbo pump` are equal."""
    return _NOT_SAID.sub("", form)
