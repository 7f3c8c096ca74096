"""Parses queries as Obsidian does: words to rank by, and conditions that must hold.

No query is an error: what is not understood becomes a notice, and its words are searched as they are.
"""

import re
from functools import cached_property, partial

from bridge.markdown.tags import is_tag
from bridge.records import Record
from bridge.search.terms import (
    All,
    Either,
    HasName,
    HasPrefix,
    HasProperty,
    HasTag,
    HasText,
    Not,
    Term,
    Word,
    change_each,
    condition,
    leaves,
    require_words,
)
from bridge.text.fold import fold_word, normalize
from bridge.text.function_words import FUNCTION_WORDS, content_words
from bridge.text.invisible import strip_break_hints
from bridge.text.scripts import HEBREW_QUOTE
from bridge.text.stems import foreign_language
from bridge.text.words import SPACED_WORD, TOKEN, count_words, trim_word, words_of

MAX_CHARACTERS = 4_000
MAX_TERMS = 48
MAX_DEPTH = 16
MAX_WORD_CHARS = 256
"""Characters of the longest word, folded: no file has a longer name."""

MIN_PREFIX_CHARS = 2

MAX_TYPED_NAME_WORDS = 6
"""Longer queries are questions, not beginnings of a name."""

MIN_SENTENCE_WORDS = 3
"""Stop words from which a query counts as a sentence."""

# Obsidian's operators that search inside a note in ways that the index does not support.
_COARSE = frozenset({"line", "section", "block", "task", "task-todo", "task-done", "match-case"})
_OPERATORS = _COARSE | {"path", "file", "tag", "content", "ignore-case", "title", "alias", "heading"}

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<minus>(?<![^\s(])-(?=[^\s\-)]))
    | (?P<bracket>[()])
    | (?P<quoted>"[^"]*")
    | (?P<property>(?<![^\s(-])\[(?!\[)(?:[^\[\]\n]|\[\[[^\[\]\n]+\]\])+\])
    | (?P<regex>(?<![^\s(:-])/(?:[^/\s\\]|\\.)+(?:\s(?:[^/\s\\]|\\.)+)*/(?![^\s)]))
    | (?P<operator>(?<![^\s(-])[A-Za-z-]+:(?=[^\s/:)]|/[^/]))
    | (?P<word>[^\s()"]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_FULL_WIDTH = {chr(ord(sign) + 0xFEE0): sign for sign in '()[]"#*+-:ADNORT'}
_SIGNS = str.maketrans(_FULL_WIDTH | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("\u2018\u2019", "'"))
"""Operators as other keyboards write them."""

_OR_TOKEN, _CLOSING_BRACKET = ("word", "OR"), ("bracket", ")")
_STOPS = (_OR_TOKEN, _CLOSING_BRACKET)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WILD = re.compile(r"\w\*\w|^\*\w|\w\?\w")
_REQUIRED_WORD = re.compile(r"\+([^\W\d_].*|[^\x00-\x7f].*)", re.DOTALL)
_AND_TOKEN = ("word", "AND")
_PROPERTY = re.compile(r'\s*("[^"]*"|[^:]*?)\s*(?::\s*(.*))?', re.DOTALL)
_UNQUOTED_OR = re.compile(r'\s+OR\s+(?=(?:[^"]*"[^"]*")*[^"]*$)')

_HEBREW_QUOTE = re.compile(HEBREW_QUOTE)


MAX_RUN_WORDS = 2
"""Counted words of a run of characters that may be one word, as of four ideographs."""


class Query(Record, dict=True):
    """A parsed query."""

    text: str = ""
    """The wanted words in the order typed, for the model and for names."""
    words: tuple[str, ...] = ()
    """Words that should occur, without punctuation at their ends."""
    phrases: tuple[str, ...] = ()
    """Quoted text, which must occur."""
    condition: Term | None = None
    """What must hold of a note, apart from ranking."""
    open_ended: bool = False
    """Whether the last word may be unfinished."""
    begun: str = ""
    """What was typed, if it ends in punctuation and may be the beginning of a name, such as `Book -`."""
    notices: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.phrases

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The words without function words, as typed."""
        return content_words(self.words)

    @property
    def is_word(self) -> bool:
        """Whether one word is searched for; without spaces, two are hardly a word more."""
        return len(self.content) == 1 and count_words(self.content[0]) <= MAX_RUN_WORDS

    @property
    def search_terms(self) -> tuple[str, ...]:
        """What notes are ranked by."""
        return (*self.content, *self.phrases)

    @cached_property
    def folded_words(self) -> tuple[str, ...]:
        """All words of the text, folded."""
        return tuple(words_of(self.text))

    @cached_property
    def folded_content(self) -> tuple[str, ...]:
        return content_words(self.folded_words)

    @cached_property
    def language(self) -> str | None:
        """That of a text which is clearly not English."""
        return foreign_language(self.text)

    @property
    def name(self) -> str:
        """The text if it may be a name or its beginning; a question is not."""
        return self.text if count_words(self.text) <= MAX_TYPED_NAME_WORDS else ""


def parse_query(raw: str) -> Query:
    """Parse a query; accepts any text."""
    notices: list[str] = []
    text = _HEBREW_QUOTE.sub("״", bound_query(raw, notices).translate(_SIGNS))
    if text.count('"') % 2:
        at = text.rindex('"')
        text = f"{text[:at]} {text[at + 1 :]}"
        notices.append("A quotation mark is not closed; what follows it was searched as words.")
    tree = _Parser(text, notices).parse()
    terms = tuple(leaves(tree))
    phrases = tuple(dict.fromkeys(leaf.text for leaf in terms if isinstance(leaf, HasText) and leaf.quoted))
    loose = [leaf.text for leaf in terms if not (isinstance(leaf, HasText) and leaf.quoted)]
    words = tuple(dict.fromkeys(clean for word in loose if (clean := trim_word(word))))
    # A whole sentence quotes a title or a saying and asks for the answer, which need not repeat it.
    is_sentence = sum(word.casefold() in FUNCTION_WORDS for word in words) >= MIN_SENTENCE_WORDS
    if phrases and is_sentence:
        notices.append("This reads like a sentence, so what is in quotation marks is preferred, not required.")
    return Query(
        text=" ".join(leaf.text for leaf in terms),
        words=words,
        phrases=phrases,
        condition=condition(tree, phrases=not is_sentence),
        open_ended=bool(terms) and trim_word(raw[-MAX_WORD_CHARS:])[-1:] == raw[-1:],
        begun=whole if trim_word(whole := text.strip()) != whole and len(words) == len(terms) else "",
        notices=tuple(dict.fromkeys(notices)),
    )


def bound_query(raw: str, notices: list[str]) -> str:
    """Return as much of a query as is worked on, and add notices on the rest: what it costs grows with its words."""
    text = normalize("NFC", raw[: 2 * MAX_CHARACTERS])
    text = strip_break_hints(_CONTROL.sub(" ", text))
    if len(raw) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rpartition(" ")[0] or text[:MAX_CHARACTERS]
        notices.append(f"The query is long; only its first {len(text):,} characters were used.")
    bounded = SPACED_WORD.sub(lambda word: " " if len(fold_word(word[0])) > MAX_WORD_CHARS else word[0], text)
    if bounded != text:
        notices.append(f"A word of over {MAX_WORD_CHARS} characters was left out.")
    return bounded


class _Parser:
    """Recursive descent over tokens: `OR` binds more loosely than adjacency, as in Obsidian."""

    def __init__(self, text: str, notices: list[str]) -> None:
        self._tokens = [(m.lastgroup or "other", m.group()) for m in _TOKEN.finditer(text)]
        self._tokens = [token for token in self._tokens if token[0] != "space"]
        self._at = 0
        self._terms = 0
        self._notices = notices

    def parse(self) -> Term:
        parts = [self._either(0)]
        while self._at < len(self._tokens):  # an extra closing bracket
            self._at += 1
            parts.append(self._either(0))
        return _join_terms(parts)

    def _either(self, depth: int) -> Term:
        options = [self._all(depth)]
        while self._peek() == _OR_TOKEN:
            self._at += 1
            options.append(self._all(depth))
        options = [option for option in options if option != All(())]
        return options[0] if len(options) == 1 else Either(tuple(options)) if options else All(())

    def _all(self, depth: int) -> Term:
        parts: list[Term] = []
        while (token := self._peek()) is not None and token not in _STOPS:
            if token == _AND_TOKEN and parts and self._joins():
                self._at += 1
                self._notices.append("`AND` is read as: what stands beside it must occur.")
                parts[-1] = require_words(parts[-1])
                if (term := self._one(depth)) is not None:
                    parts.append(require_words(term))
                continue
            if self._terms >= MAX_TERMS:
                self._at = len(self._tokens)
                self._notices.append(f"The query has many words; only the first {MAX_TERMS} were used.")
                break
            if (term := self._one(depth)) is not None:
                parts.append(term)
        return _join_terms(parts)

    def _one(self, depth: int) -> Term | None:  # noqa: PLR0911 - one kind of token, one line
        kind, text = self._tokens[self._at]
        self._at += 1
        match kind:
            case "minus":
                return self._parse_negated(depth)
            case "bracket":
                return self._group(depth) if text == "(" else None
            case "quoted":
                return self._phrase(text[1:-1])
            case "property":
                return self._property(text[1:-1])
            case "operator":
                return self._operator(text[:-1], depth)
            case "regex":
                self._notices.append("Regular expressions are not supported; their words were searched as they stand.")
                words = [self._word(word) for word in TOKEN.findall(text)]
                return _join_terms([word for word in words if word is not None])
            case "word" if text == "NOT" and self._excludes():
                return self._parse_excluded(depth)
            case "word":
                return self._special_word(text)
            case _:
                return self._word(text)

    def _special_word(self, text: str) -> Term | None:
        begun = text.rstrip(".,;:!")
        if begun[-1:] == "*" and len(begun) > MIN_PREFIX_CHARS and TOKEN.fullmatch(begun[:-1].replace("-", "")):
            self._terms += 1
            return HasPrefix(trim_word(begun[:-1]))
        if (required := _REQUIRED_WORD.fullmatch(text)) is not None:
            self._notices.append(f"`{text}` is read as: `{required[1]}` must occur.")
            word = self._word(required[1])
            return None if word is None else require_words(word)
        if text[0] == "#" and is_tag(tag := text[1:].rstrip(".,;:!?")) and TOKEN.search(tag):
            self._terms += 1
            self._notices.append(f"`#{tag}` is read as a tag: only notes that have it are hits.")
            return HasTag(tag.rstrip("/"))
        if _WILD.search(text):
            self._notices.append(f"`{text}` was searched as words: `*` is read only at the end of a word.")
        return self._word(text)

    def _joins(self) -> bool:
        """Return whether something follows the `AND` that comes next, so that it stands between terms."""
        after = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        return after is not None and after not in (*_STOPS, _AND_TOKEN)

    def _excludes(self) -> bool:
        token = self._peek()
        return token is not None and token not in _STOPS and token != ("word", "NOT")

    def _parse_excluded(self, depth: int) -> Term | None:
        kind, text = self._tokens[self._at]
        shown = text if kind in ("word", "quoted", "property") else f"{text}…"
        self._notices.append(f"`NOT {shown}` is read as `-{shown}`.")
        return self._parse_negated(depth)

    def _peek(self) -> tuple[str, str] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _parse_negated(self, depth: int) -> Term | None:
        if self._peek() is None or depth >= MAX_DEPTH:
            return None
        term = self._one(depth + 1)
        if isinstance(term, Word):
            self._notices.append(
                f"`-{term.text}` leaves out notes that say `{term.text}`; in quotation marks it is searched for."
            )
        return Not(term) if term is not None and term != All(()) else None

    def _group(self, depth: int) -> Term:
        if depth >= MAX_DEPTH:
            return All(())
        inner = self._either(depth + 1)
        if self._peek() == _CLOSING_BRACKET:
            self._at += 1
        elif inner != All(()):
            self._notices.append("A bracket is not closed; it was read as if it were closed at the end.")
        return inner

    def _word(self, text: str) -> Term | None:
        if not TOKEN.search(text):
            return None
        self._terms += 1
        return Word(text)

    def _phrase(self, text: str) -> Term | None:
        inner = " ".join(text.split())
        if not TOKEN.search(inner):
            if inner:
                self._notices.append(f"`{inner}` is only punctuation, which is not searched for.")
            return None
        self._terms += 1
        return HasText(inner, quoted=True)

    def _property(self, inner: str) -> Term | None:
        found = _PROPERTY.fullmatch(inner)
        name = found[1].strip('"') if found else ""
        if found is None or not name:
            return None
        self._terms += 1
        if not found[2]:
            return HasProperty(name)
        options = tuple(
            HasProperty(name, part.strip('"'), exact=part.startswith('"'))
            for raw in _UNQUOTED_OR.split(found[2])
            if (part := raw.strip())
        )
        return options[0] if len(options) == 1 else Either(options)

    def _operator(self, name: str, depth: int) -> Term | None:
        operator = name.lower()
        if operator not in _OPERATORS:
            self._notices.append(
                f"`{name}:` is no operator, so it was searched as a word; `[{name}:…]` is about a property."
            )
            return self._word(name)
        if self._peek() is None or depth >= MAX_DEPTH:
            return None
        if operator in _COARSE:
            self._notices.append(f"`{operator}:` is not supported; its words were searched anywhere in a note.")
        kind, text = self._tokens[self._at]
        if kind == "word":
            # The argument of an operator is neither a tag nor a `NOT`.
            self._at += 1
            self._terms += 1
            operand: Term | None = Word(text)
        else:
            operand = self._one(depth + 1)
        return None if operand is None else change_each(operand, partial(_apply_operator, operator))


def _apply_operator(operator: str, term: Term) -> Term:
    match operator, term:
        case "tag", Word(text) | HasText(text) | HasPrefix(text):
            return HasTag(text.lstrip("#").rstrip("/"))
        case ("title" | "alias" | "heading" | "path" | "file") as kind, Word(text) | HasText(text) | HasPrefix(text):
            return HasName(kind, text)
        case "content", Word(text):
            return HasText(text)
        case _:
            return term


def _join_terms(parts: list[Term]) -> Term:
    flat: list[Term] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, All) else (part,))
    return flat[0] if len(flat) == 1 else All(tuple(flat))
