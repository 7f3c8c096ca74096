"""Texts that repeat one pattern, each of any length."""

from collections.abc import Callable, Mapping
from math import isqrt

REPEATED: Mapping[str, str] = {
    "comment lines": "%%\n",
    "comments never closed": "%% x\n\n",
    "comments over lines": "%%\na\n",
    "comments on a line": "%%a%%\n",
    "comments with tags": "%% #a %%\n",
    "comments in a paragraph": "a %% b\n\n",
    "headings": "# a\n",
    "underlined headings": "a\n===\n",
    "rules": "***\n",
    "stars": "*a ",
    "double stars": "**a **",
    "tasks": "- [ ] task #a [[b]] \N{CALENDAR} 2026-01-31\n",
    "empty tasks": "- [ ]\n",
    "tasks with ids": "- [ ] x ^a\n\n",
    "quotes": ">",
    "callouts": "> [!note]- T\n> x\n\n",
    "items on a line": "- ",
    "ticks": "`a ",
    "fences": "```\n",
    "queries": "```dataview\nlist\n```\n",
    "math": "$$a",
    "tags of HTML": "<div>\n",
    "angles": "<a ",
    "HTML comments never closed": "<!--\n",
    "HTML comments in a paragraph": "a <!-- b. ",
    "HTML comments closed": "a <!-- b --> c. ",
    "links": "[[a]] ",
    "links never closed": "[[a b ",
    "brackets": "[",
    "images": "![",
    "Markdown links": "[a](b.md) ",
    "Markdown links never closed": "[a](",
    "definitions": "a\n\n[r]: b\n\n",
    "footnotes": "[^1]: x\n\n",
    "footnotes never closed": "[^",
    "tags": "#a ",
    "fields": "key:: value\n",
    "fields in brackets": "[k:: v] ",
    "fields never closed": "[k::",
    "rows": "| a | b |\n",
    "block ids": "^b\n\n",
    "backslashes": "\\",
    "spaces": " ",
    "line breaks": "\n",
    "words": "word ",
    "one word": "a",
    "sentences": "A b. ",
    "Han": "\u6f22",
    "Hangul": "\ud55c",
    "addresses": "http://x.y ",
    "mail": "a@",
    "marks": "==a ",
    "dashes": "-",
    "links to an open bracket": "[a](b(",
    "quoted lines without text": ">\n",
    "lists in quotes": "> - \n",
    "paths": "a/",
    "names": "Abc Def ",
    "quotation marks": "\u201cab",
    "prose": "The loaf [[Rye|is]] in the oven, said the #baker.\n\n- [ ] turn it\n  - [x] twice\n\n## Later\n\n",
}


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: unit * (length // len(unit))


def _ticks(length: int) -> str:
    return "".join("`" * count + " " for count in range(1, isqrt(2 * length))) + "%%a%%"


def _long_heading(length: int) -> str:
    return "# " + "a" * (length // 2) + "\n" + "## b\n\nc\n" * (length // 40) + "word " * (length // 20)


HOSTILE: Mapping[str, Callable[[int], str]] = {
    **{name: _repeated(unit) for name, unit in REPEATED.items()},
    "nested items": lambda length: "".join("  " * depth + "- x\n" for depth in range(isqrt(length))),
    "nested tasks": lambda length: "".join("\t" * depth + "- [ ] x\n" for depth in range(isqrt(2 * length))),
    "nested images": lambda length: "![a" * (length // 6) + "](x)" * (length // 6),
    "ticks of every length": _ticks,
    "a wide table": lambda length: "|a" * isqrt(length) + "\n" + "|-" * isqrt(length) + "\n" + "x\n" * (length // 2),
    "a long table": lambda length: "| a | b |\n|--|--|\n" + "| x | y |\n" * (length // 10),
    "a long heading": _long_heading,
    "joined addresses": lambda length: "https://a" * (length // 9) + " x",
    "joined tags": lambda length: "#a" * (length // 2) + " x",
    "footnotes": lambda length: "".join(f"x[^{at}]\n\n[^{at}]: y\n\n" for at in range(length // 20)),
    "properties": lambda length: "---\n" + "a: b\n" * (length // 5) + "---\n",
    "properties of lists": lambda length: "---\ntags:\n" + "  - b\n" * (length // 6) + "---\n",
    "properties nested": lambda length: "---\na: " + "[" * length + "\n---\n",
    "properties never closed": lambda length: "---\n" + "aliases: [x]\n" * (length // 13),
}
"""Generates a text of about so many characters, by the repeated pattern."""
