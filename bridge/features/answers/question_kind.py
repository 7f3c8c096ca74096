"""What kind of answer a question asks for, by its words in many languages, and what may be one."""

import re
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final, Literal

from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_case, fold_word
from bridge.text.stems import language_of
from bridge.text.words import RUN, TOKEN, words_of

Kind = Literal["moment", "amount", "person", "place"]

_WORDS: Final[dict[Kind, str]] = {
    "moment": r"\b(?:when|since when|(?:what|which) (?:year|date|day|month|century|decade|time)|wann|seit wann"
    r"|welche[mns]? (?:jahr|tag|monat|datum)|quand|quelle année|cuándo|qué año|quando"
    r"|(?:che|quale) (?:anno|data|giorno|mese)|wanneer|welk jaar"
    r"|когда|в каком году|ne zaman|hangi yıl\w*|când|ce an|kiedy|kdy|när|når|hvornår)\b|किस (?:वर्ष|साल)|कब|什么时候"
    r"|何时|哪一?[年天]|几[月号](?:几[号日])?|何年|いつ|متى|מתי|πότε|언제|เมื่อไห?ร่?|วันไหน|khi nào|ngày nào",
    "amount": r"\b(?:how (?:many|much|long|old|far|often|tall|high|hot|big|large|fast|deep|heavy)|(?:what"
    r"|which) (?:percentage|percent|number|temperature|price|size|age)|wie (?:viel\w*|lange|alt|oft|hoch|groß"
    r"|weit|schnell|schwer|heiß)|combien|cuánt[oa]s?|quant[oaie]|hoeveel|сколько|kaç\w*|ne kadar|cât[eaiă]?|câți"
    r"|ile|kolik|hur (?:många|mycket)|hvor (?:mange|meget|mye))\b|कितन|多少"
    r"|(?<!哪)几[分集]?|多久|幾|いくつ|何人|كم|얼마나|몇",
    "person": r"\b(?:who|whose|whom|(?:what|which) (?:publisher|label|company|author|director|actor|actress|artist)"
    r"|wer|wem|wen|wessen|qui|quién(?:es)?|chi|quem|кто|кем|kim(?:in)?|cine|kto|kdo|vem|hvem)\b|किसने|कौन|谁|誰",
    "place": r"\b(?:where|(?:what|which) (?:city|country|place|town|state)|welche[mnrs]? (?:stadt|land|ort)"
    r"|(?:quale|che) (?:città|paese)|quelle ville|quel pays|qué (?:ciudad|país)|wo|où|dónde|dove|onde|waar|где|nerede"
    r"|unde|gdzie|kde|var|hvor)\b|कहाँ|哪里|在哪|哪[个座]?(?:城市|国家|地方)|どこ|أين",
}
"""In this order: `how old` before `who`."""

_OTHER_AMOUNTS: Final = (
    r"|\b(?:ilu|iloma|montako|kuinka (?:monta|paljon)|hány\w*|mennyi\w*|berapa|скільки|колко|колико|koliko"
    r"|πόσ[οαεηω]\w*|چند|چقدر|כמה)\b|bao nhiêu|เท่าไ[หร]|กี่"
)
"""How other languages ask for an amount."""

_ASKS: Final = {
    kind: re.compile(f"{words}{_OTHER_AMOUNTS if kind == 'amount' else ''}", re.IGNORECASE)
    for kind, words in _WORDS.items()
}

_DATE: Final = re.compile(
    r"(?<!\d)\d{3,4}(?!\d)|['’]\d0(?!\d)|\b\d0(?:er|s)\b|\d{1,2}[./-]\d|\d\d:\d\d|[०-९٠-٩]{3,4}|\d ?[ヶか]?[年月日]"
    r"|\d(?:st|nd|rd|th)\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|\w+day)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|[०-९٠-٩]|[一二三四五六七八九十百千两半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|hundred|thousand|million|half|once|twice|every|daily|eins|einmal"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht"
    r"|neun|zehn|elf|zwölf|hundert|tausend|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|doi|două|trei|patru|cinci|șase|șapte"
    r"|opt|nouă|zece|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|dos"
    r"|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b|दो|तीन|चार|पांच|पाँच|छह|सात|आठ|नौ|दस"
    r"|\b(?:dw(?:a|ie|óch)|trz(?:y|ech)|czter(?:y|ech)|pięć|sześć|siedem|osiem|dziewięć|dziesięć|dv[aěe]|tř?i|čtyři"
    r"|štiri|pět|šest|sedm|osm|devět|devet|deset|дв[аеі]|три|чотири|четыре|четири|пять|пет|шесть|шест|семь|восемь"
    r"|десять|twee|drie|vier|vijf|zes|zeven|tien|två|tre|fyra|fem|sex|sju|åtta|tio|seks|syv|otte|åtte|dois|duas|três"
    r"|quatro|sete|oito|nove|kaksi|kolme|neljä|viisi|kuusi|kymmenen|két|kettő|három|négy|öt|hét|tíz|δύο|τρεις|τρία"
    r"|τέσσερα|πέντε|έξι|δέκα|dua|tiga|empat|lima|enam|sepuluh|bốn|สอง|สาม)\b"
    r"|다섯|여섯|일곱|여덟|아홉|스무|이틀|사흘|[한두세네열] ",
    re.IGNORECASE,
)
_UNITS: Final = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(shows, re.IGNORECASE))
    for asks, shows in {
        r"\b(?:price|costs?|paid|pay|spen[dt]|fee|salary|prezz[oi]|cost[aio]|costano|pag(?:o|are|ato)|spes[oa]|preise?"
        r"|kosten?|kostet|ausgegeben|gehalt|prix|coûte\w*|dépensé\w*|gastad[oa]|precios?|cuestan?|preço|custam?|prijs"
        r"|цена|стоит|fiyat\w*|preț\w*|costă)\b"
        r"|多少钱|价格|费用|いくら|値段|価格|얼마(?!나)|कीमत": (
            r"[$€£¥₹₽₩₺]|\b(?:usd|eur|gbp|chf|euros?|dollars?|dollari|cents?|pounds?|yen|yuan|rmb|rupees?|lei)\b"
            r"|[\d万千百] ?(?:元|块|美元|刀|円|원|руб)|免费|grati[st]\w*|kostenlos"
        ),
        r"\b(?:temperatur\w*|températures?|how (?:hot|cold|warm)|wie (?:heiß|kalt|warm)|quanti gradi)\b|温度|[几少]度"
        r"|気温|तापमान|온도": (r"\d ?(?:°|º|℃|℉|[CFK]\b|degrees?\b|grad)|\d ?度"),
        r"\b(?:percent\w*|prozent\w*|pourcentages?|porcentaje|yüzde\w*|procent\w*|процент\w*)\b|百分|प्रतिशत": (
            r"[%％]|\b(?:percent\w*|per cent|prozent|per cento|pour cent|por ciento|yüzde|procent\w*)\b|百分之|प्रतिशत"
        ),
        r"\b(?:how long|wie lange|combien de temps|cuánto tiempo|quanto (?:tempo|dura\w*)|hoe lang|hur länge)\b"
        r"|多[久长]|几(?:分钟|个?小时|个月|[天周年])|どのくらい": (
            r"\b(?:second|sec|minute?|min|hour|day|week|month|year|sekunde|stunde|tag|woche|monat|jahr|heure|jour"
            r"|semaine|hora|día|semana|año|dia|ano)(?:e?[sn])?\b|\b(?:minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]"
            r"|ann[oi]|mois|ans|short|long|forever|always)\b|[秒分天周月年]|小时|時間|日間"
        ),
        r"\b(?:how (?:tall|high|heavy|far|deep|wide)|wie (?:groß|hoch|schwer|weit|tief|breit)|quanto (?:pesa\w*"
        r"|dista\w*|è (?:alt|lung|grand)\w*))\b|多[高重远宽]": (
            r"\d ?(?:(?:mm|cm|km|m|kg|g|ft|lbs?|feet|foot|in|inch(?:es)?|miles?|met(?:er|re|ri)s?|pounds)\b|[米斤里克])"
        ),
    }.items()
)
"""How a question asks for money, heat, a share, time or a size, and what shows that a text says one."""

_THINGS: Final = {"moment": "date", "amount": "number", "person": "person", "place": "place"}
_UNIT_THINGS: Final = "price", "temperature", "percentage", "length of time", "measure"
"""What a notice calls what is asked for, in the order of the units."""

_NAMED_THINGS: Final = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "year": "year|jahr|anno|année|año|yıl|jaar|年|साल|वर्ष",
        "city": "city|stadt|città|ville|ciudad|城市",
        "country": "country|land|paese|pays|país|国家",
        "publisher": "publisher",
        "label": "label",
    }.items()
}

_COUNT_WORDS: Final = re.compile(
    r"\b(?:how many|wie ?viele?|combien d[e’']|cuánt[oa]s|quant(?:[iea]|[oa]s)|hoeveel|сколько|kaç|cât[eai]|câți"
    r"|il[eu]|kolik|hur många|hvor mange)\b\s*((?:[^\W\d_]+[ '’]?){1,2})"
    r"|(?:多少|几)[个位种本条件款部首只]?([一-鿿]{1,2})|([一-鿿]{2})(?:数?有|是)?(?:多少|几)(?![个位种条款])",
    re.IGNORECASE,
)
"""What a question asks the number of."""

_MEASURE: Final = re.compile(r"(?:多少|(?<!哪)几)([一-鿿])")
"""The character that follows the number of what is counted."""

_CHOICE: Final = re.compile(
    r"\b(?:which|quale?|welche[mnrs]?|quelle?|cuál|welke?|как(?:ой|ая|ое))\s+([^\W\d_]+)", re.IGNORECASE
)
"""Of what one is asked for, which has a name."""

_MAX_WORDS_BETWEEN: Final = 3
"""Words between a number or name and what it counts or names."""

_OF_A_DATE: Final = re.compile(
    r"(?<=\d\s)\w+|(?<=\d\.\s)\w+|(?<=\d(?:st|nd|rd|th)\s)\w+|\b\w++(?=\s\d{1,2}(?!\d))"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
"""The word for a month or a day, by the number of the day beside it, or in English."""

_CASED_LETTER: Final = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_NAME: Final = re.compile(r"(?:(?<=\w\s)|(?<=[,:]\s)|(?<=[A-Z]\.\s))[A-Z\u00c0-\u00de\u0410-\u042f][\w'’-]+")
"""A word with a capital that does not begin a sentence."""


_PROPERTIES: Final[dict[Kind, str]] = {
    "moment": "date start end begin born died year released published datepublished datum data fecha jahr année",
    "amount": "price cost rating score count number preis preço prezzo precio prix",
    "person": "author authors by creator director artist people person with editor founder cast host guest maker"
    " autor autore auteur",
    "place": "loc location place venue city country address where ort lugar luogo lieu",
}
"""Names of properties that answer such questions."""


_SENSES: Final = tuple(
    (frozenset(names.split()), re.compile(words, re.IGNORECASE))
    for names, words in {
        "tracklist": (
            r"曲目|歌单|\b(?:setlist|track ?list\w*|songs?|tracks?|scaletta|brani|canzoni|what did .* play)\b"
        ),
        "director": r"导演|監督|\b(?:direct(?:ed|ors?)|regist\w*|regiss\w*|regia|réalis\w*|dirig\w*|diretto)\b",
        "actor actors cast": (
            r"主演|演员|\b(?:act(?:ors?|ress\w*)|cast|starr?(?:ed|ing|s)|attor\w*|schauspiel\w*|acteurs?)\b"
        ),
        "score rating 评价": r"评[分价]|評価|\b(?:rat(?:ed|ings?)|vot[oi]|bewert\w*|puntuación)\b",
        "datepublished released published year date": (
            r"上映|出版|发行|发布|\b(?:publish(?:ed)?|releas\w+|c[ao]me out|appear\w*|out(?=\W*$)|written|usci\w*"
            r"|pubblic\w*|erschien\w*|veröffentlich\w*|publié\w*|paru|publicad\w*|lanzad\w*)\b"
        ),
        "publisher": r"出版社|\b(?:publishers?|editore|verlag|éditeur)\b",
        "author authors autor autore auteur 作者": (
            r"作者|写|書|\b(?:wr(?:ote|itte?n)|authors?|aut(?:or[ei]?|eur)|schr(?:ieb|eef)|geschrieben|écrit|escri(?:bi|to)"
            r"|scritt\w*|escreveu|написал)\b"
        ),
        "time duration length runtime 片长": (
            r"片长|时长|\b(?:dur(?:at\w*|ata|are|ano?)|dauer\w*|lasts?(?=\W*$)|length|runtime|\d+ ?(?:min\w*|分钟))\b"
        ),
        "location venue loc": (
            r"演出|\b(?:play(?:ed)?|perform\w*|concerts?|gigs?|suon\w+|esibi\w*|gespielt|spielte\w*"
            r"|auftr\w+|concert[oi]|joué\w*|tocaron)\b"
        ),
        "born birthday birth": (
            r"出生|生日|诞生|\b(?:born|birth\w*|nat[oaie]|nacque|nascita|geboren\w*|geburt\w*|née?|naissance|nacid[oa]"
            r"|nacimiento)\b"
        ),
        "inventor": (
            r"发明|首创|提出|创立|\b(?:invent\w*|introdu(?:ced|tto|cido)|coined|propos(?:ed|to)|ideat\w*|formulat\w*"
            r"|erfund\w*|erfand\w*|entwickelt\w*|inventé\w*)\b"
        ),
        "price cost": (
            r"多少钱|价格|\b(?:costs?|price[sd]?|paid|sp(?:ent|end)|spes[oai]|cost[aio]|prezz[oi]|pagat\w*|kost\w+|preis\w*"
            r"|prix|coût\w*|precios?|[$€£]|euros?)"
        ),
        "": r"分成|分为|包括|包含|组成|\b(?:consist\w*|divid\w*|suddivi\w*|besteh\w*|compris\w*|includ\w*)\b",
    }.items()
)
"""Words of one sense in questions and notes, and properties that say what is asked by them."""


def asked_senses(question: str) -> list[tuple[str, frozenset[str], re.Pattern[str]]]:
    """Return words of a question with the properties that may answer it, and what says the same in other words."""
    senses: list[tuple[str, frozenset[str], re.Pattern[str]]] = []
    for names, words in _SENSES:
        if (found := words.search(question)) and not any(found[0] in word for word, *_ in senses):
            senses.append((found[0], names, words))
    return senses


_SEVERAL_WORDS: Final = re.compile(
    r"\b(?:which|what) (?!(?:is|was|does|has)\b)(?:\w+ )??\w+[^s\W]s\b"
    r"|\b(?:what are|welche|quali|quel(?:le)?s|cuáles|quais|welke)\b|哪[些几]|有什么|[?？؟].+[?？؟]",
    re.IGNORECASE,
)


_OPEN_WORDS: Final = re.compile(
    r"\b(?:what|which|why|how|che|cosa|qual[ei]?|come|perché|was|welche\w*|wie|warum|que|quoi|quel\w*|comment|pourquoi|qué"
    r"|cuál\w*|cómo|wat|welke?|hoe|waarom|co|jak\w*|dlaczego|что|как\w*|почему|ne|neyi?|nasıl|neden|hangi|τι|πώς"
    r"|ποι[αο]\w*|vad|hva[dr]?|gì|sao|מה|ما|ماذا)\b|什么|哪|怎|为何|何|どう|무엇|뭐|क्या|อะไร",
    re.IGNORECASE,
)
"""Words that ask for more than yes or no, and for no kind of answer."""


_COMPARES: Final = re.compile(
    r"\b(?:less|more|cheaper|meno|più|weniger|mehr|billiger|günstiger|teurer|moins|plus|menos|más|mais|mniej|więcej|taniej"
    r"|minder|meer|goedkoper|меньше|больше|дешевле)\b.*\b(?:or|than|o|che|di|oder|als|ou|que|czy|niż|of|dan|или|чем)\b"
    r"|更.+还是|比.+[便贵]",
    re.IGNORECASE,
)
"""What asks which of two things costs less, not how much."""


def asks_whether(question: str) -> bool:
    return kind_of(question) is None and _OPEN_WORDS.search(question) is None


def asks_for_several(question: str) -> bool:
    return _SEVERAL_WORDS.search(question) is not None


def kind_of(question: str) -> Kind | None:
    kind = next((kind for kind, words in _ASKS.items() if words.search(question)), None)
    is_amount = kind is None and not _COMPARES.search(question) and any(one.search(question) for one, _ in _UNITS)
    return "amount" if is_amount else kind


def kind_words(kind: Kind, question: str) -> list[str]:
    """Return the words by which a question asks for its kind of answer: what is of that kind need not say them."""
    return words_of(" ".join(kind_phrases(kind, question)))


def kind_phrases(kind: Kind | None, question: str) -> list[str]:
    """Return how a question asks for its kind of answer, and for an amount of something such as its price."""
    patterns = (*([_ASKS[kind]] if kind else ()), *(asks for asks, _ in _UNITS if kind in (None, "amount")))
    return [found[0].lower() for one in patterns if (found := one.search(question))]


def name_asked(question: str) -> dict[str, str]:
    """Return what the thing is called that a question asks for, such as a city, by how it asks for it."""
    kind = kind_of(question)
    units = {
        found[0].lower(): name
        for (asks, _), name in zip(_UNITS, _UNIT_THINGS, strict=True)
        if (found := asks.search(question))
    }
    return {
        phrase: units.get(phrase)
        or next((name for name, words in _NAMED_THINGS.items() if words.search(phrase)), _THINGS[kind])
        for phrase in kind_phrases(kind, question)
        if kind
    }


def can_answer(kind: Kind, text: str, question: str, above: str = "") -> bool:
    """Return whether a text, below what is above it, has what such a question asks for; also where no script tells."""
    if kind == "moment":
        return _DATE.search(text) is not None
    if kind == "amount":
        if _NUMBER.search(text) is None:
            return False
        units = [unit for asks, unit in _UNITS if asks.search(question)]
        if units:
            return any(unit.search(text) for unit in units)
        counted = _COUNT_WORDS.search(question)
        return counted is None or counts_asked(question, text) or _counts(counted, text, above)
    return bool(_find_names(text, question)) if _CASED_LETTER.search(text) else any(map(str.isalpha, text))


def _counts(counted: re.Match[str], text: str, above: str) -> bool:
    """Return whether a number in a text is that of what is counted: it stands beside it, or below its name."""
    language = language_of(f"{counted.string} {text}")
    what = {*terms_of(" ".join(filter(None, counted.groups())), language)}
    if not what or not what.isdisjoint(terms_of(above, language)):
        return True
    if any(map(RUN.fullmatch, TOKEN.findall(text))):
        return not what.isdisjoint(terms_of(text, language))
    return _stands_near(what, text, language, {*filter(_NUMBER.search, TOKEN.findall(text))}) is True


def counts_asked(question: str, text: str) -> bool:
    """Return whether a text has a number of what a question without spaces asks the number of, as in `共6集`."""
    counted = _MEASURE.search(question)
    return counted is not None and re.search(rf"(?:\d|[一二三四五六七八九十百千两]) ?{counted[1]}", text) is not None


def _stands_near(what: set[str], text: str, language: str | None, answers: Collection[str]) -> bool | None:
    """Return whether an answer stands beside what is asked about; None where a text does not say that."""
    words = TOKEN.findall(text)
    places = [at for at, word in enumerate(words) if not what.isdisjoint(terms_of(word, language))]
    found = [at for at, word in enumerate(words) if word in answers]
    return any(abs(at - place) <= _MAX_WORDS_BETWEEN for at in found for place in places) if places else None


def ask_of_choice(question: str, texts: Sequence[str]) -> str:
    """Return how a question asks which of some things, such as `which bank`, if texts say these but name none."""
    if (found := _CHOICE.search(question)) is None:
        return ""
    language = language_of(" ".join([question, *texts]))
    what = {*terms_of(found[1], language)}
    named = []
    for text in texts:
        names = {*chain.from_iterable(map(TOKEN.findall, _find_names(text, question)))}
        others = (word for word in TOKEN.findall(text) if _NUMBER.search(word) or word[1:].lower() != word[1:])
        named.append(_stands_near(what, text, language, names.union(others)))
    return found[0].lower() if False in named and True not in named else ""


def is_of_another_kind(kind: Kind, text: str, question: str) -> bool:
    """Return whether a text says only when where or who is asked for, or only where or who when when is."""
    if not _CASED_LETTER.search(text):
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
