"""What of a passage a model should read: the words without markup, addresses and program blocks."""

import re

PROGRAMS = frozenset({"dataview", "dataviewjs", "tasks", "query", "button", "buttons", "base", "meta-bind", "tracker"})
"""Languages of code blocks that a plugin runs: their text is not what the reader sees."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)[^\n]*$", re.MULTILINE)
_STEPS: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (signs, re.compile(pattern, flags), by)
    for signs, pattern, flags, by in (
        ("%", r"%%.*?%%", re.DOTALL, " "),
        ("<", r"<!--.*?-->", re.DOTALL, " "),
        ("[", r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]", 0, r"\1"),
        (
            "[",
            r"!?\[([^\[\]\n]*)\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)",
            0,
            r"\1",
        ),
        ("<", r"<(?:https?|mailto)[^>\s]*>", 0, " "),
        ("/", r"\bhttps?://(?:www\.)?([^\s/?#<>)\]]{1,80})[^\s<>)\]]*", 0, r"\1"),
        ("<", r"</?[A-Za-z][^<>\n]{0,400}>", 0, " "),
        ("&", r"&nbsp;", 0, " "),
        ("|", r"^[ \t]*>?[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+$", re.MULTILINE, ""),
        ("-*_", r"^[ \t]*(?:[-*_][ \t]*){3,}$", re.MULTILINE, ""),
        (">", r"^[ \t]*(?:>[ \t]?)+(?:\[![\w|-]+\][+-]?)?", re.MULTILINE, ""),
        ("#-*+.)", r"^[ \t]*(?:#{1,6}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[.\])?)[ \t]+", re.MULTILINE, ""),
        ("^", r"[ \t]\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE, ""),
        ("[", r"\[\^[^\]\s]+\]:?", 0, ""),
        ("*", r"\*{1,3}", 0, ""),
        ("`", r"`+", 0, ""),
        ("_", r"(?<!\w)_{1,3}|_{1,3}(?!\w)", 0, ""),
        ("~", r"~~", 0, ""),
        ("=", r"==", 0, ""),
        ("|", r"[ \t]*\|[ \t]*", 0, " "),
        ("/=+_#&%.-", r"(?<![!-~])[!-~]{120,}", 0, " "),
        ("\t\r\f\v\u00a0", r"[\t\r\f\v\u00a0]", 0, " "),
        ("  ", r" {2,}", 0, " "),
        ("\n", r" ?\n\s*", 0, "\n"),
    )
)
"""What is taken away, in order: characters without any of which it is not there (two blanks mean both together), the
pattern, and what takes its place."""


def reduced(text: str) -> str:
    """Return the words of a stretch of Markdown."""
    for signs, pattern, by in _STEPS:
        if signs in text or (signs != "  " and any(map(text.__contains__, signs))):
            text = pattern.sub(by, text)
    return text.strip()


def without_programs(text: str) -> tuple[str, list[str]]:
    """Drop the code blocks that a plugin would run.

    Returns:
        The rest, and what each dropped block was.
    """
    if "```" not in text and "~~~" not in text:
        return text, []
    kept: list[str] = []
    dropped: list[str] = []
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
            continue
        if fence[1].startswith(opening[1]) and not fence[2]:
            if opening[2].casefold() in PROGRAMS:
                kept.append(text[at : opening.start()])
                dropped.append(f"a `{opening[2].casefold()}` block")
                at = fence.end()
            opening = None
    if opening is not None and opening[2].casefold() in PROGRAMS:
        kept.append(text[at : opening.start()])
        dropped.append(f"a `{opening[2].casefold()}` block")
        at = len(text)
    kept.append(text[at:])
    return "".join(kept), dropped
