"""Where sentences end, the sentence around a place in a note, and what sentences say."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.records import Record
from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_word
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.scripts import GREEK, HANGUL, UNSPACED_SCRIPTS
from bridge.text.word_lists import every_word
from bridge.text.words import TOKEN
from bridge.types import Span

MAX_QUOTE_CHARS: Final = 300
"""Maximum length of a quotation, in characters."""

_QUOTES: Final = "\"'“”„«»‘’‚‹›"
_STOP: Final = re.compile(
    # Stops that need a space behind them, with what closes there: `.”`, `!**`, `! »`.
    rf"(?:(?<![.!?…])[.!?…]++|(?<=[{GREEK}]);|\u037e)(?:[{_QUOTES})\]*_~=]|\s[»›](?=\s|$))*+\s+"
    # Stops that need none; a straight quotation mark or an asterisk before a word opens what follows.
    r"|[。！？．｡؟۔।॥։။៕።፧]++(?:[”’」』）】》〉»]|[\"'*_~=)\]](?!\w))*+\s*"
    r"|\n"
)
"""What may end a sentence, up to the beginning of the next one."""

_NEXT_WORD: Final = re.compile(rf"[\[({{*_~{_QUOTES}¿¡]*+([^\W_]{{1,20}})")
_LAST_WORD: Final = re.compile(rf"[^\s(\[{{{_QUOTES}*_~/|–—=-]*\Z")
_MAX_LOOK_BACK_CHARS: Final = 40
"""Characters before a stop that are looked at."""

_NO_CAPITALS: Final = re.compile("[\u10d0-\u10ff]")
"""Georgian, whose letters count as small."""

_INITIAL: Final = re.compile(rf"(?![{UNSPACED_SCRIPTS}{HANGUL}])[^\W\d_]\Z")

_ABBREVIATIONS: Final = frozenset(every_word("abbreviation"))
"""Titles, words before names, numbers and explanations, after which a sentence goes on."""

_LAST_ABBREVIATIONS: Final = frozenset(every_word("last abbreviation"))
"""Abbreviations that may also be the last word of a sentence, which is so before a function word with a capital."""

_INTRODUCTIONS: Final = frozenset(("es", "ex", "ej", "eks", "bsp"))
"""Abbreviations of `for example` that are words, too, unless they begin something or have two parts."""

_ORDERED_NOUN: Final = re.compile(
    r"Jan(?:uar)?|Jän(?:ner)?|Feb(?:ruar)?|März?|Apr(?:il)?|Mai|Jun[ei]?|Jul[iy]?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?|Jahr(?:hundert|tausend)(?:s|e|en)?"
)
"""What a number with a full stop counts whatever stands before it: German months and centuries, with a capital."""

_DAY: Final = re.compile(r"\d(?:er|[ºª°])?\s*\Z")
"""The day before a month and its year, as in `1er janv. 1950`."""

_ARTICLES: Final = frozenset(
    ("am", "vom", "zum", "zur", "beim", "im", "der", "die", "das", "den", "dem", "des", "und", "bis", "ab")
)
"""German words behind which a number with a full stop counts what follows it, as in `im 3. Stock`."""

_MAX_ORDER_DIGITS: Final = 2
"""Digits of the longest such number."""

_OPENING: Final = re.compile(r"(?:\A|[\n(,;:])[\s>]*\Z")
"""A text behind which something begins: a line, a sentence or an explanation."""

_MAX_SHORTENED_LETTERS: Final = 5
"""Letters of the longest word that counts as an abbreviation before a number, as in `lib. 3`."""

_YEAR_DIGITS: Final = 4


def sentence_ends(text: str, span: Span, *, by_lines: bool) -> Iterator[int]:
    """Yield where the sentences of a text end and the next ones begin.

    A full stop before a small letter ends none, as in `(es. la porta)`, unless what it ends is long: some people write
    without capitals.
    """
    last, end = span
    for found in _STOP.finditer(text, *span):
        stop, at = found.group(), found.end()
        if by_lines and "\n" in stop:
            yield at
        elif stop[0] == "\n" or _goes_on(text, (last, found.start()), stop, (at, end)):
            continue
        else:
            yield at
        last = at


def _goes_on(text: str, said: Span, stop: str, rest: Span) -> bool:
    found = _NEXT_WORD.match(text, *rest)
    word = found[1] if found else ""
    is_small = word[:1].islower() and not _NO_CAPITALS.match(word)
    if stop[0] not in ".…":
        # `“Is it?” she asked.` A mark alone in brackets (!) ends nothing.
        is_closed = stop.rstrip()[-1] not in "!?…" and stop[0] in "!?"
        return (is_closed and (is_small or text[said[1] - 1 : said[1]] == "(")) or (
            stop[-1] in "」』" and text.startswith("と", rest[0])
        )
    if (is_small and rest[0] - said[0] <= MAX_QUOTE_CHARS) or text.startswith((".", "…"), *rest):
        return True
    before = text[max(said[0], said[1] - _MAX_LOOK_BACK_CHARS) : said[1]]
    return stop[:2] not in {"..", "….", "……"} and _is_short(before, word)


def _is_short(before: str, after: str) -> bool:
    found = _LAST_WORD.search(before)
    last = found.group() if found else ""
    above = before[: len(before) - len(last)]
    begins = _OPENING.search(above) is not None
    whole, is_function_word = last.casefold(), after.lower() in FUNCTION_WORDS
    if last.isdigit():
        # As in `1. e4 e5 2. Nf3`.
        goes_on = len(last) <= _MAX_ORDER_DIGITS and re.search(rf"(?<!\d){int(last) - 1}\.\s", above)
        counts = begins or goes_on or after.isdigit() or _ORDERED_NOUN.fullmatch(after)
        follows = above.split()[-1:] and above.split()[-1].casefold() in _ARTICLES and not is_function_word
        return len(last) <= _MAX_ORDER_DIGITS and bool(counts or follows)
    short = whole.rpartition(".")[2]
    if not {whole, short}.isdisjoint(_LAST_ABBREVIATIONS):
        return not is_function_word
    if _INITIAL.match(short) and not above.endswith(("'", "’")):
        return last != "I" or begins or not is_function_word
    introduces = begins or "." in last or above.rstrip().endswith(".")
    if short in _ABBREVIATIONS or (short in _INTRODUCTIONS and introduces):
        return True
    if after.isdigit() and len(after) == _YEAR_DIGITS:
        return _DAY.search(above) is not None or _ORDERED_NOUN.fullmatch(last) is not None
    is_word = len(short) > _MAX_SHORTENED_LETTERS or (short in FUNCTION_WORDS and short != "no")
    return after[:1].isdigit() and short[-1:].isalpha() and not is_word


def sentence_at(text: str, span: Span) -> str:
    """Return the sentence around a place on one line, cut to its surroundings."""
    start, end = span
    first = max(text.rfind("\n", 0, start) + 1, start - MAX_QUOTE_CHARS)
    line = text.find("\n", end, end + MAX_QUOTE_CHARS)
    last = min(len(text), end + MAX_QUOTE_CHARS) if line < 0 else line
    begin = max([first, *sentence_ends(text, (first, start), by_lines=True)])
    stop = next(sentence_ends(text, (end, last), by_lines=True), last)
    if stop - begin > MAX_QUOTE_CHARS:
        room = max(0, MAX_QUOTE_CHARS - (end - start)) // 2
        begin, stop = max(begin, start - room), min(stop, max(start + MAX_QUOTE_CHARS, end + room))
        stop = min(stop, begin + MAX_QUOTE_CHARS)
    return " ".join(text[begin:stop].split())


_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPS: Final = re.compile(r"[.,](?=\d{3}(?!\d))")
_CLAUSE_END: Final = re.compile(r"[,;:()](?!\d)|\s[-–]\s|[—，；：、（）]")
_BULLET: Final = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_NEGATIONS: Final = frozenset(map(fold_word, every_word("negation")))
_CONTRACTION: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_MAY: Final = re.compile(r"(?:\d\.?|\b(?:im|en|de|du|fin|début|ab|bis|seit|ende|anfang|mitte))\s+mai\b", re.IGNORECASE)
"""The month in languages that do not call it as Italian calls *never*."""

_UNSPACED_NEGATION: Final = re.compile(
    "[不没沒無无非未]|ない|ません|なかった|지 ?(?:않|못)|없[다는어었이음]|아니[다라었]|ไม่"
)


class Clause(Record):
    """A clause, or a whole sentence: the terms that it says, and whether it denies something."""

    terms: frozenset[str]
    negates: bool


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, and the items of its lists."""
    found, at = [], 0
    for stop in (*sentence_ends(text, (0, len(text)), by_lines=True), len(text)):
        if sentence := _BULLET.sub("", text[at:stop]).strip():
            found.append(sentence)
        at = stop
    return found


def split_clauses(sentence: str) -> list[str]:
    return _CLAUSE_END.split(sentence)


def read_clauses(sentence: str, language: str | None) -> list[Clause]:
    return [read_clause(part, language) for part in split_clauses(sentence)]


def read_clause(text: str, language: str | None) -> Clause:
    return Clause(frozenset(terms_of(text, language)), negates(text))


def numbers_of(text: str) -> frozenset[str]:
    """Return the numbers of a text, without the marks that group their digits."""
    return frozenset(_GROUPS.sub("", number) for number in _NUMBER.findall(text))


_NAME_REST: Final = re.compile(r"^\W*\w+|\b[^\W_A-ZÀ-ÞА-ЯЁІЇЄҐ]\w*")


def names_in(text: str) -> str:
    """Return the words of a text with a capital, but for the first; in scripts without capitals there are none."""
    return _NAME_REST.sub(" ", text)


_ASKS: Final = re.compile(r"(?:[?？؟]|[\u0370-\u03ff];)\W*$|\u055e")
"""A question mark of some script; the Greek one looks like a semicolon, the Armenian one stands inside a word."""


def asks(text: str) -> bool:
    return _ASKS.search(text) is not None


def negates(text: str) -> bool:
    words = {fold_word(word) for word in TOKEN.findall(_MAY.sub(" ", text))}
    return bool(not words.isdisjoint(_NEGATIONS) or _CONTRACTION.search(text) or _UNSPACED_NEGATION.search(text))
