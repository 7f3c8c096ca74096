"""Words by which a sentence shows what it does: it sums up, gives an example, points elsewhere or goes on."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

_SUMMARY: Final = re.compile(
    r"\b(?:summary|abstract|synopsis|in (?:short|brief|a nutshell)|(?:key )?takeaways?|descri(?:ption|zione|pción|ção)"
    r"|riassunto|(?:in )?sintesi|in breve|résumé|en bref|synthèse|zusammenfassung|kurzfassung|beschreibung|resumen"
    r"|resumo|samenvatting|podsumowanie|streszczenie|sammanfattning|sammendrag|özet|резюме|кратко|описание)\b"
    r"|in (?:one|a) sentence|in una frase|en une phrase|in einem satz|en una frase|em uma frase|tl;?dr"
    "|摘要|总结|總結|概要|简介|簡介|要約|まとめ|요약|सारांश|ملخص|תקציר|סיכום|一句话|一句話|一言で|한 ?줄",
    re.IGNORECASE,
)
"""A heading, label or property below which an author sums up."""

_MAX_SUMMARY_CHARS: Final = 24
"""Characters of such a heading: a longer one has it as its subject."""

EXAMPLE: Final = (
    r"(?:\b(?:such as|including|(?:for|by way of) (?:example|instance)|e\.g\.|(?:ad|per) esempio|par exemple"
    r"|zum beispiel|z\. ?b\.|p(?:or|er) ejemplo|por exemplo|bijvoorbeeld|na przykład|например)"
    "|例如|比如|譬如|诸如|举例|例えば|たとえば|예를 들)"
)
"""What an example begins with."""

POINTS: Final = re.compile(
    r"\b(?:(?:see|listed|shown|table|list|image|figure|diagram) below|below (?:is|are)|as follows|the following"
    r"|qui sotto|qui sopra|di seguito|ci-dessous|a continuación|siehe unten|im folgenden|abaixo|hieronder|poniżej|ниже"
    r"|(?:libera|parziale) traduzione|(?:free|partial) translation)\b"
    r"|for (?:more|further) (?:information|details)|pour (?:plus d['’]informations|en savoir plus)"
    r"|weitere informationen|per (?:maggiori|ulteriori) \w+|para (?:más|mais) informa\w+|więcej informacji"
    r"|詳細(?:について)?は|を参照|このページでは|详见|参见|자세한 내용은"
    r"|下面|上面的|(?<![\d%％])以下(?!的?人)|如下|上图|下图|如图|下表|下記|다음과"
    rf"|^\W*{EXAMPLE}|{EXAMPLE}\W*$",
    re.IGNORECASE,
)
"""What points at something that a summary does not show, says that a text is translated, or is an example."""

DENIES: Final = re.compile(
    r"\W*(?:(?:however|but|però|ma|aber|jedoch|mais|pero|mas|maar|но)\b|但|不过|然而|しかし|でも|하지만)", re.IGNORECASE
)
"""A sentence that takes back what was said before it."""

GOES_ON: Final = re.compile(
    rf"{DENIES.pattern}|\W*(?:it|its|this|these|those|they|their|he|she|such|also|then|so|thus|therefore|moreover|instead"
    r"|quest[oaie]|quell[oaie]|ciò|ess[oaie]|tal[ei]|così|quindi|inoltre|invece|infatti|altrimenti|anche"
    r"|dies(?:e[rsmn]?)?|es|er|damit|dabei|daher|auch|ce(?:la|ci|tte|s)?|c['’]est|donc|ainsi"
    r"|est[eao]s?|es[eao]s?|ello|además|así|isso|isto|também|dit|deze|dus|ook|это|эт[аио]|он[аои]?)\b"
    r"|\W*(?:它|他|她|这|那|其|此|该|以上|而|所以|因此|另外|再者|同时|也|又|上述|これ|それ|この|その|また|이것|그)",
    re.IGNORECASE,
)
"""A sentence that begins with what was said before it."""

DEFINES: Final = re.compile(
    r"指(?![的出明定导向示引令挥])|[也又亦][称名叫]|(?:\A|[,，]\s?)(?P<subject>[^\s,，。；:：!?！？][^,，。；:：!?！？]{0,40}?)[,，]?\s?"
    r"(?:(?P<label>[:：])|就?(?<![但可总還还也于要只不])是|指|即|[也又亦][称名叫]|とは)"
)
"""A definition in scripts without spaces, with what it defines, or the beginning of one of what a note is called."""

CONJUNCTION: Final = re.compile("and|e|ed|und|et|y|i|en|och|og|oraz|és|ja|ve|și|и|і|و|or|o|oder|ou|&")
_JOINT: Final = re.compile(rf"\s+({CONJUNCTION.pattern})\s+|[、,/]|[与和]")
_JOINS_IN: Final = {
    "e": ("italian", "portuguese"),
    "y": ("spanish",),
    "i": ("polish", "catalan", "serbian"),
    "en": ("dutch",),
    "ja": ("finnish", "estonian"),
    "ve": ("turkish",),
    "o": ("italian", "spanish"),
    "ou": ("french", "portuguese"),
}
"""Conjunctions that are other words in other languages: an article, a pronoun or *in*."""


def is_summary(name: str) -> bool:
    """Return whether a heading, label or property says that what follows sums up."""
    return len(name) <= _MAX_SUMMARY_CHARS and _SUMMARY.search(name) is not None


def split_subjects(text: str, language: str | None) -> list[str]:
    """Return what a name or a focus joins, as in *flour and water*; itself if it joins nothing."""
    parts, start = list[str](), 0
    for joint in _JOINT.finditer(text):
        if language in _JOINS_IN.get(joint[1], (language,)):
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, text[start:]]


def read_cues(table: Path, fold: Callable[[str], str] = str) -> Mapping[str, re.Pattern[str]]:
    """Return by kind what says it in any case and language, from rows of a kind, languages and a pattern."""
    found = defaultdict[str, list[str]](list)
    for row in table.read_text(encoding="utf-8").splitlines():
        kind, _, pattern = row.split("\t")
        found[kind].append(fold(pattern))
    return {kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in found.items()}
