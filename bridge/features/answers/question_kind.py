"""What kind of answer a question asks for, by its words in many languages, and what may be one."""

import re
from typing import Final, Literal

from bridge.text.fold import fold_case, fold_word
from bridge.text.stems import language_of

Kind = Literal["moment", "amount", "person", "place"]

_ASKS: Final[dict[Kind, re.Pattern[str]]] = {
    "moment": re.compile(
        r"\b(?:when|since when|(?:what|which) (?:year|date|day|month|century|decade|time)|wann|seit wann"
        r"|welche[mns]? (?:jahr|tag|monat|datum)"
        r"|quand|quelle année|cuándo|qué año|quando|che anno|wanneer|welk jaar"
        r"|когда|в каком году|ne zaman|hangi yıl\w*|când|ce an|kiedy|kdy|när|når|hvornår)\b"
        r"|किस (?:वर्ष|साल)|कब|什么时候|何时|哪一?年|何年|いつ|متى",
        re.IGNORECASE,
    ),
    "amount": re.compile(
        r"\b(?:how (?:many|much|long|old|far|often|tall|high|hot|big|large|fast|deep|heavy)"
        r"|(?:what|which) (?:percentage|percent|number|temperature|price|size|age)"
        r"|wie (?:viel\w*|lange|alt|oft|hoch|groß"
        r"|weit|schnell|schwer|heiß)|combien|cuánt[oa]s?|quant[oaie]|hoeveel|сколько|kaç\w*|ne kadar|cât[eaiă]?|câți"
        r"|ile|kolik|hur (?:många|mycket)|hvor (?:mange|meget|mye))\b"
        r"|कितन|多少|几|多久|幾|いくつ|何人|كم",
        re.IGNORECASE,
    ),
    "person": re.compile(
        r"\b(?:who|whose|whom|wer|wem|wen|wessen|qui|quién(?:es)?|chi|quem|кто|кем|kim(?:in)?|cine|kto|kdo|vem|hvem)\b"
        r"|किसने|कौन|谁|誰",
        re.IGNORECASE,
    ),
    "place": re.compile(
        r"\b(?:where|(?:what|which) (?:city|country|place|town|state)|wo|où|dónde|dove|onde|waar|где|nerede|unde|gdzie"
        r"|kde|var|hvor)\b|कहाँ|哪里|在哪|どこ|أين",
        re.IGNORECASE,
    ),
}
"""In this order: `how old` before `who`."""

_DATE: Final = re.compile(
    r"(?<!\d)\d{3,4}(?!\d)|\d{1,2}[./-]\d|\d\d:\d\d|[०-९٠-٩]{3,4}|\d ?[年月日]|\d(?:st|nd|rd|th)\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|\w+day)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|[०-९٠-٩]|[一二三四五六七八九十百千两半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|hundred|thousand|million|half|once|twice|every|daily|ein\w*"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht"
    r"|neun|zehn|elf|zwölf|hundert|tausend|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on|doi|două|trei|patru|cinci|șase|șapte"
    r"|opt|nouă|zece|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|dos"
    r"|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b|दो|तीन|चार|पांच|पाँच|छह|सात|आठ|नौ|दस",
    re.IGNORECASE,
)
_OF_A_DATE: Final = re.compile(
    r"(?<=\d\s)\w+|(?<=\d\.\s)\w+|(?<=\d(?:st|nd|rd|th)\s)\w+|\b\w++(?=\s\d{1,2}(?!\d))"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
"""The word for a month or a day, by the number of the day beside it, or in English."""

_CASED: Final = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_NAME: Final = re.compile(r"(?:(?<=\w\s)|(?<=[,:]\s)|(?<=[A-Z]\.\s))[A-Z\u00c0-\u00de\u0410-\u042f][\w'’-]+")
"""A word with a capital that does not begin a sentence."""


_PROPERTIES: Final[dict[Kind, str]] = {
    "moment": "date start end begin born died year released published datum data fecha jahr année",
    "amount": "price cost rating score count number preis preço prezzo precio prix",
    "person": "author authors by creator director artist people person with editor founder autor autore auteur",
    "place": "loc location place venue city country address where ort lugar luogo lieu",
}
"""Names of properties that answer such questions."""


def kind_of(question: str) -> Kind | None:
    return next((kind for kind, words in _ASKS.items() if words.search(question)), None)


def can_answer(kind: Kind, text: str, question: str) -> bool:
    """Return whether a text has what such a question asks for; also where that cannot be told by its script."""
    if kind == "moment":
        return _DATE.search(text) is not None
    if kind == "amount":
        return _NUMBER.search(text) is not None
    return bool(_find_names(text, question)) if _CASED.search(text) else any(map(str.isalpha, text))


def is_of_another_kind(kind: Kind, text: str, question: str) -> bool:
    """Return whether a text says only when where or who is asked for, or only where or who when when is."""
    if not _CASED.search(text):
        return False
    if kind == "moment":
        # In German, any noun has a capital.
        names = set() if language_of(f"{question} {text}") == "german" else _find_names(text, question)
        return bool(names) and not (_DATE.search(text) or _NUMBER.search(text))
    names = _find_names(text, question) - set(_OF_A_DATE.findall(text))
    return kind in ("person", "place") and not names and _DATE.search(text) is not None


def _find_names(text: str, question: str) -> set[str]:
    asked = {fold_word(word) for word in re.findall(r"\w+", question)}
    return {name for name in _NAME.findall(text) if fold_word(name) not in asked}


def names_answer(kind: Kind, name: str) -> bool:
    """Return whether a property of this name says what such a question asks for."""
    return not set(fold_case(name).split()).isdisjoint(_PROPERTIES[kind].split())
