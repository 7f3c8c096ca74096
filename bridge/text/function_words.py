"""Words that say nothing of their own: articles, pronouns, particles and what questions begin with, by language."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Final

from bridge.text.fold import fold_word
from bridge.text.scripts import TONES
from bridge.text.stems import FREQUENT_WORDS
from bridge.text.word_lists import words_by_language

_WORDS: Final = words_by_language("function")
_IN_ALL: Final = f"{_WORDS['every']} {_WORDS['english']}"
"""Words that are content words of no language: no "die", "war", "man", "son", "sin" or "comment"."""

_IN_ONE: Final = {language: words for language, words in _WORDS.items() if language != "every"}
"""By language: words that mean something in another one, such as German *war* and Italian *come*; English has none."""

_MEANT_OTHERWISE: Final = frozenset({"fur", "jake", "mika", "nar"})
"""What words would be without their accents, such as German *für*, and what English says."""

_WITHOUT_TONES: Final = dict.fromkeys(map(ord, TONES))

MIN_WORDS: Final = 2
"""Function words of a language by which a text is taken for one in it."""


def _fold_all(text: str) -> frozenset[str]:
    words = text.split()
    return frozenset((*words, *map(fold_word, words)))


FUNCTION_WORDS: Final = _fold_all(_IN_ALL) - _MEANT_OTHERWISE
"""Words that say nothing of their own in any language, in lower case, as written and folded."""


ELISION: Final = re.compile(
    r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|gl|un|cos|com|dov|(?:co|de|a|da|ne|su|que)ll|quest)['’](?=[^\W\d_])",
    re.IGNORECASE,
)
"""A French, Italian, Catalan or Portuguese function word written together with the next one, as in `dell'acqua`."""

UNSPACED_FUNCTION: Final = re.compile(
    "请问|告诉我|为什么|什么样|什么时候|什么|怎么样|怎么办|(?:怎么|怎样|如何)(?:才能?)?|为何|何时|何处|何地|哪里|哪儿|哪些|哪一?[个年位种天]"
    "|哪|谁|多少钱?|有?多[久大高长远重快]|有?几[个位年天次岁点根]|^给|有没有|是不是|能不能|可不可以|可以|应该|应当|需要|能够|能否|是否|主要"
    "|我们|你们|他们|她们|它们|[我你他她它]的?|这[个些种]?|那[个些种]|之间|(?<!目)的(?!士|确)|(?<!为)了(?!解)|吗|呢|吧"
    "|(?<!总)是|(?<![现存所])在|(?<![温总饱])和(?![平谐])|[与及把被]|有(?=$)|会(?=$)|做(?=$)"
    "|ですか|でしょうか|でしたか|てい(?:ますか|ましたか)|(?<=[ぁ-ん])の[はがを](?=$|なぜ)|ますか|ましたか|ませんか|とは|何年|何人|何時|何|いつ|どこ|どれ|どの|どう|なぜ|いくつ|いくら|誰|だれ"
    "|(?<=[一-鿿々ァ-ヺー])(?:から|まで|より|には|では|[はがをにでとのもへか])"
    "|(?<=[ぁ-ん])[はがをの](?=[一-鿿ァ-ヺ])"
    "|무엇|언제|어디|누구|누가|어느|어떻게|얼마나|몇|(?<=[가-힣])(?:해야|것은|곳은)|인가요|입니까|습니까|하나요|나요$"
)
"""Function words, and what questions begin and end with, of Chinese, Japanese and Korean."""


KOREAN_PARTICLES: Final = re.compile(
    "(?:은|는|이|가|을|를|의|에서?|에게서?|께서?|한테서?|이?랑|와|과|하고|으?로[서써]?|도|만|까지|부터|마다|처럼|같이|보다|조차|마저|이?나|밖에|뿐"
    "|대로|아|이?야|씨|님|들|이다|입니다|이에요|예요|이?라[고는]){1,4}(?![\\w\u1100-\u11ff])"
)
"""What Korean writes together with the noun before it, up to the end of the word."""

_HAS: Final = re.compile("(?<![所拥没还只])有$")


def content_runs(run: str) -> list[str]:
    """Return the parts of a run of a script without spaces that say something."""
    parts = (_HAS.sub("", part) for part in UNSPACED_FUNCTION.split(run))
    return [part for part in parts if len(part) > 1]


@cache
def function_words(language: str | None) -> frozenset[str]:
    """Return the function words of texts in a language, in lower case, as written and folded."""
    return FUNCTION_WORDS | _fold_all(_IN_ONE.get(language or "", ""))


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Drop the function words of the language that some words are in, unless nothing would be left."""
    folded = [*map(_fold_tones, words)]
    left_out = FUNCTION_WORDS.union(*map(function_words, _languages(folded)))
    return tuple(word for word, own in zip(words, folded, strict=True) if own not in left_out) or tuple(words)


def drop_function_words(words: Sequence[str], languages: Iterable[str], question: Sequence[str]) -> tuple[str, ...]:
    """Drop from words of a question that is not in English its function words, and those of some languages.

    Unless nothing would be left.
    """
    if _is_english(question):
        return tuple(words)
    left_out = frozenset[str]().union(*map(function_words, {*languages, *question_languages(question)}))
    return tuple(word for word in words if _fold_tones(word) not in left_out) or tuple(words)


def question_languages(question: Iterable[str]) -> list[str]:
    """Return the languages in which a question that is not in English may be, by its function words."""
    words = [*question]
    return [] if len(words) <= MIN_WORDS or _is_english(words) else _languages(map(_fold_tones, words), least=1)


def _is_english(words: Iterable[str]) -> bool:
    """Return whether one of some words is a function word of English alone."""
    return any(_languages_by_word().get(_fold_tones(word)) == ["english"] for word in words)


def _fold_tones(word: str) -> str:
    return word.casefold().translate(_WITHOUT_TONES)


def _languages(words: Iterable[str], least: int = MIN_WORDS) -> list[str]:
    found = spoken_languages(words, least)
    return [] if "english" in found else found


def spoken_languages(words: Iterable[str], least: int = 1) -> list[str]:
    """Return the languages that have the most of some folded words as function words; none if they have too few."""
    counts = Counter(chain.from_iterable(_languages_by_word().get(word, ()) for word in words))
    best = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == best] if best >= least else []


@cache
def _languages_by_word() -> dict[str, list[str]]:
    languages: dict[str, list[str]] = {}
    for language, text in _IN_ONE.items():
        for word in _fold_all(f"{text} {FREQUENT_WORDS.get(language, '')}"):
            languages.setdefault(word, []).append(language)
    return languages
