"""Finds the wanted words in a text: as typed, inflected, as prefixes, or inside scripts without spaces."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import field

from bridge.records import Record
from bridge.text.fold import fold_word, fold_words, places_in
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.stems import TWO_SCRIPTS, has_prefixes, stem_words
from bridge.text.words import RUN, TOKEN, character_pairs, is_mark
from bridge.types import Span

_ROOT_CHARS = 2
_CHARS_BEFORE = frozenset({"", " ", "$", "{", "}", "(", "[", "^", "_", "=", "+", "-"})
"""What precedes a LaTeX command; the folders of a path follow names and colons."""
_MIN_PREFIX_CHARS = 3
_SIGNS = re.compile(r"[$%@&=<>^|\\/+#€]|(?<=\s)[.-](?=$)")
"""What is typed in a phrase and must stand in the text, unlike the punctuation of sentences and of Markdown."""

_PARTS = re.compile("[^'’ʻʼ׳]+")
_JOINTS = re.compile("['’ʻʼ׳\u200c]")
_GAP_CHARS = 3
"""Characters around a phrase in which its outer signs must stand."""


class Match(Record):
    """An occurrence of a wanted word or phrase."""

    span: Span
    word: str
    """The wanted word, as typed."""


class _Phrase(Record):
    """A phrase: its folded tokens, and the signs that must stand before each of them and after the last."""

    parts: tuple[str, ...]
    signs: tuple[str, ...]
    typed: str

    @property
    def sought(self) -> str:
        """What a text that has it contains, once its words are joined as `_join_words` does."""
        start, end = ("" if RUN.match(part) else _BREAK for part in (self.parts[0], self.parts[-1]))
        return f"{start}{_join_words(self.parts)}{end}"

    def find(self, text: str, tokens: Sequence[tuple[int, str]], plain: Sequence[str], at: int) -> Iterable[Span]:
        """Yield where it occurs in a text from one of its tokens on, of which the folded ones are given."""
        parts, last = self.parts, at + len(self.parts) - 1
        if last >= len(tokens) or any(part != own for part, own in zip(parts[1:-1], plain[at + 1 : last], strict=True)):
            return
        first_run, last_run = RUN.match(parts[0]) is not None, RUN.match(parts[-1]) is not None
        if at == last and first_run:
            spans = [found.span() for found in re.finditer(re.escape(parts[0]), plain[at])]
        elif (plain[at].endswith(parts[0]) if first_run else plain[at] == parts[0]) and (
            plain[last].startswith(parts[-1]) if last_run else plain[last] == parts[-1]
        ):
            spans = [(len(plain[at]) - len(parts[0]), len(parts[-1]))]
        else:
            return
        for own_start, own_end in spans:
            start = tokens[at][0] + _place_in(tokens[at][1], plain[at], own_start)
            end = tokens[last][0] + _place_in(tokens[last][1], plain[last], own_end)
            gaps = [text[max(0, start - _GAP_CHARS) : start]]
            gaps += [text[tokens[i][0] + len(tokens[i][1]) : tokens[i + 1][0]] for i in range(at, last)]
            gaps.append(text[end : end + _GAP_CHARS])
            if all(sign in gap for sign, gap in zip(self.signs, gaps, strict=True)):
                yield start, end


_BREAK = "\n"


def _join_words(folded: Iterable[str]) -> str:
    """Join folded words, parted as the index does."""
    return _BREAK.join(folded).replace("'", _BREAK)


def _place_in(word: str, plain: str, at: int) -> int:
    if len(plain) == len(word):
        return at
    places = places_in(word)
    return places[at] if len(places) == len(plain) + 1 else len(word) * (at == len(plain))


class Matcher(Record, eq=False):
    """Compiled words and phrases; `find` returns their occurrences."""

    exact: dict[str, str]
    stems: dict[str, dict[str, str]]
    """By language: the stems of the words, with the words."""
    grams: frozenset[str]
    phrases: tuple[_Phrase, ...]
    prefix: str | None
    roots: frozenset[str]
    """Prefixes of the words; none where forms of them may begin with other letters."""
    known: dict[str, str | None] = field(default_factory=dict)
    """Words seen so far, with the query word that each matches: the hits of an answer share most of theirs."""

    def find(self, text: str) -> tuple[Match, ...]:
        """Find every match, in order and without overlaps; phrases take precedence over words."""
        return self.find_each([text])[0]

    def find_each(self, texts: Sequence[str]) -> list[tuple[Match, ...]]:
        """Find every match in each of several texts, as `find` does; stemming their words at once is faster."""
        words = [TOKEN.findall(text) for text in texts]
        if self.exact:
            self._learn(set(chain.from_iterable(words)))
        return [self._matches_in(text, own) for text, own in zip(texts, words, strict=True)]

    def _matches_in(self, text: str, words: Sequence[str]) -> tuple[Match, ...]:
        said = f"{_BREAK}{_join_words(fold_words(words))}{_BREAK}" if self.phrases else ""
        phrases = [phrase for phrase in self.phrases if phrase.sought in said]
        if not (phrases or self.grams or any(map(self.known.get, words))):
            return ()
        if not phrases:
            return tuple(self._words_in(text, _locate(words, text)))
        tokens = list(_locate(words, text))
        found = list(_phrases_in(text, tokens, phrases))
        taken = bytearray(len(text))
        for match in found:
            taken[match.span[0] : match.span[1]] = b"\1" * (match.span[1] - match.span[0])
        found += [match for match in self._words_in(text, tokens) if not any(taken[slice(*match.span)])]
        return tuple(sorted(found, key=lambda match: match.span))

    def _learn(self, words: set[str]) -> None:
        unseen = [word for word in words if word not in self.known]
        self.known.update(dict.fromkeys(unseen))
        inflected: list[str] = []
        for word, folded in zip(unseen, fold_words(unseen), strict=True):
            if "'" in folded or "\u200c" in word:
                # What is elided or joined before or after it, as in `l'eau`.
                parts = filter(None, fold_words(_JOINTS.split(word)))
                self.known[word] = next((self.exact[part] for part in parts if part in self.exact), None)
                if self.known[word] is not None:
                    continue
            # In few languages does inflection change the start of a word.
            if self.roots and folded[:_ROOT_CHARS] not in self.roots and (folded.isascii() or not has_prefixes(folded)):
                continue
            is_begun = self.prefix is not None and folded.startswith(self.prefix)
            # A word that completes a prefix is reported as itself.
            self.known[word] = self.exact.get(folded) or (folded if is_begun else None)
            # A stop word is not a form of another word: English `notes` has the stem of German `not`.
            if self.known[word] is None and folded not in FUNCTION_WORDS:
                inflected.append(word)
        if not self.stems or not inflected:
            return
        plain = fold_words(inflected)
        for language, wanted in self.stems.items():
            for word, stem in zip(inflected, stem_words(language, plain), strict=True):
                if stem in wanted and self.known[word] is None:
                    self.known[word] = wanted[stem]

    def _words_in(self, text: str, tokens: Iterable[tuple[int, str]]) -> Iterable[Match]:
        known, grams = self.known, self.grams
        for start, word in tokens:
            if (typed := known.get(word)) is not None and not _is_command(text, start, word):
                yield Match((start, start + len(word)), typed)
            elif grams and RUN.match(word):
                yield from self._grams_in(start, word)

    def _grams_in(self, offset: int, run: str) -> Iterable[Match]:
        plain = fold_word(run)
        covered = bytearray(len(plain))
        for width in (1, 2):
            for at in range(len(plain) - width + 1):
                if plain[at : at + width] in self.grams:
                    covered[at : at + width] = b"\1" * width
        for m in re.finditer(rb"\x01+", bytes(covered)):
            start, end = _place_in(run, plain, m.start()), _place_in(run, plain, m.end())
            while start > 0 and is_mark(run[start]):
                start -= 1
            while end < len(run) and is_mark(run[end]):
                end += 1
            yield Match((offset + start, offset + end), run[start:end])


def _phrases_in(text: str, tokens: Iterable[tuple[int, str]], phrases: Iterable[_Phrase]) -> Iterable[Match]:
    tokens = [*_part_at_apostrophes(tokens)]
    plain = fold_words([word for _, word in tokens])
    end = 0
    for at in range(len(tokens)):
        for phrase in phrases:
            for span in phrase.find(text, tokens, plain, at):
                if span[0] >= end:
                    end = span[1]
                    yield Match(span, phrase.typed)


def compile_matcher(
    words: Iterable[str],
    phrases: Iterable[str] = (),
    *,
    languages: Iterable[str] = (),
    open_ended: bool = False,
) -> Matcher:
    exact: dict[str, str] = {}
    stems: dict[str, dict[str, str]] = {}
    grams: set[str] = set()
    last = ""
    for word in words:
        for m in TOKEN.finditer(word):
            token = m.group()
            last = ""
            if RUN.match(token):
                grams.update(character_pairs(fold_word(token)))
                continue
            last = fold_word(token)
            exact.setdefault(last, token)
    codes = tuple(languages) or ("english",)
    for typed in list(exact):
        if len(typed) >= _MIN_PREFIX_CHARS and not typed.isdigit():
            for language in codes:
                stems.setdefault(language, {}).setdefault(stem_words(language, [typed])[0], exact[typed])
    compiled = tuple(filter(None, map(_compile_phrase, phrases)))
    prefix = last if open_ended and len(last) >= _MIN_PREFIX_CHARS else None
    roots = frozenset(word[:_ROOT_CHARS] for word in exact if TWO_SCRIPTS not in codes)
    return Matcher(exact, stems, frozenset(grams), compiled, prefix, roots)


def _compile_phrase(phrase: str) -> _Phrase | None:
    tokens = [*_part_at_apostrophes((token.start(), token[0]) for token in TOKEN.finditer(phrase))]
    ends = [0, *(at for start, word in tokens for at in (start, start + len(word))), len(phrase)]
    # A sign at the start is one as behind a blank.
    spaced = f" {phrase}"
    gaps = (spaced[start + (start > 0) : end + 1] for start, end in zip(ends[::2], ends[1::2], strict=True))
    signs = ["".join(_SIGNS.findall(gap)) for gap in gaps]
    parts = fold_words([word for _, word in tokens])
    return _Phrase(tuple(parts), tuple(signs), phrase) if parts else None


def _part_at_apostrophes(tokens: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """Part words as the index does, so that `"Istanbul"` is found in `Istanbul'da`."""
    for start, word in tokens:
        yield from ((start + part.start(), part[0]) for part in _PARTS.finditer(word))


def _locate(words: Iterable[str], text: str) -> Iterable[tuple[int, str]]:
    """Return the tokens of a text with their places, which costs a third of what the matches of `TOKEN` do.

    Between two tokens is no character that a token can begin with, so the next occurrence is the token itself.
    """
    at = 0
    for word in words:
        start = text.index(word, at)
        yield start, word
        at = start + len(word)


def _is_command(text: str, at: int, word: str) -> bool:
    return at > 0 and text[at - 1] == "\\" and word.islower() and text[at - 2 : at - 1] in _CHARS_BEFORE
