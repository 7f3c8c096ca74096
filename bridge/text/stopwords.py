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
sein seine haben hatte hatten nicht auch dass sich wenn
le la les et des est une dans que pour pas qui au aux avec ce ces cette il elle sont ont ne nous vous quel quelle quels
quelles où quand pourquoi
el los las y en una con del se su lo al qué cuál cuáles quién cuándo dónde cómo es
di che del della dei gli uno per è
o os da dos um uma não no na ao
de het een van dat niet op met voor zijn aan er hoe wat wie waar
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по кто где когда почему какой какая
""".split()  # noqa: SIM905 - a list of words reads best as text

STOP_WORDS = frozenset(_WORDS)


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Drop stop words, unless nothing would be left."""
    content = tuple(word for word in words if word.casefold() not in STOP_WORDS)
    return content or tuple(words)
