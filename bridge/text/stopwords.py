"""Function words, which are useless for search."""

from collections.abc import Sequence

# Only words that are not content words in any of the languages: no "die", "war", "man", "son", "sin" or "comment".
_WORDS = """
a an and are as at be been being but by can could did do does doing for from had has have having he her hers him his
how i if in into is it its itself let me more most my no nor not of on or our ours own same she should so some such
than that the their theirs them then there these they this those through to too under until up very was we were what
when where which while who whom whose why with would you your yours about shall us am
der das dem eine einer eines einem einen und oder ist sind waren wird werden wurde wurden wer wie wo wann warum welche
welcher welches welchen welchem wem wen wessen im am auf aus bei nach seit vom zu zum zur für durch über unter um ihr
sein seine haben hatte hatten nicht auch dass sich wenn worum wohin woher womit wodurch wofür woran wobei worin wonach
le la les et des est une dans que pour pas qui au aux avec ce ces cette il elle sont ont ne nous vous quel quelle quels
quelles où quand pourquoi
el los las y en una con del se su lo al qué cuál cuáles quién cuándo dónde cómo es
di che del della dei gli uno per è
o os da dos um uma não no na ao
de het een van dat niet op met voor zijn aan er hoe wat wie waar
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по кто где когда почему какой какая
какие какое сколько зачем который которая которое которые
welk welke waarom wanneer hoeveel vad vilken vilket vilka varför när vem hvad hvilken hvilket hvorfor hvornår hvem hva
jaki jaka jakie który która które gdzie kiedy dlaczego jaký jaká jaké který která které kdo kde kdy proč kolik
hogyan milyen mikor miért melyik hány mikä mitä missä kuka milloin miksi kuinka minkä millainen
nedir nelerdir kimdir nerede neden niçin hangi hangisi kaç nasıl kimin neler ve bir için ile olarak hangileri
cine unde când câți câte care pentru este sunt apakah siapa bagaimana mengapa berapa kapan dimana
ποιος ποια ποιο ποιες πότε πού γιατί πώς πόσο πόσα τι και το η ο οι τα της του
ماذا متى أين كيف لماذا هل كم في من على إلى ما هو هي
क्या कौन कहाँ कब क्यों कैसे कितने कितना किस किसने किसका में के की का को से है हैं था थी थे और ने
מה מי איפה מתי למה איך כמה של את על
""".split()  # noqa: SIM905 - a list of words reads best as text

STOP_WORDS = frozenset(_WORDS)


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Drop stop words, unless nothing would be left."""
    content = tuple(word for word in words if word.casefold() not in STOP_WORDS)
    return content or tuple(words)
