"""Regular expressions of expressions, which RE2 matches; how long that may take is known before."""

import re
from functools import lru_cache
from typing import Any, Final

from bridge.bases.values import RegExp, check_items, check_length, size_of
from bridge.errors import InvalidArguments

LONGEST_WORK: Final = 100_000_000
"""States that one call may visit at worst: some seconds, in which it cannot be stopped."""

_STATES_OF_A_STEP: Final = 20
_STEPS_OF_A_CALL: Final = 20
_FEW_STATES: Final = 20
"""States of an expression up to which RE2 needs no more than one look at each character."""

_COUNT: Final = re.compile(r"(\)?)\{(\d{1,4})(?:,(\d{0,4}))?\}")
_WIDE: Final = re.compile(r"\\[pP]|\[\[:")
_LOOK_AROUND: Final = re.compile(r"\(\?<?[=!]")
_GROUP_AGAIN: Final = re.compile(r"\\[1-9k]|\(\?P(?!<)")
_MOST_REPETITIONS: Final = 1_000
"""The limit of RE2, for counts inside each other as well."""


def match_pattern(text: str, pattern: RegExp) -> bool:
    _check_work(text, pattern)
    return bool(_with_re2("match_substring_regex", text, pattern))


def replace_pattern(text: str, pattern: RegExp, new: str) -> str:
    """Replace what a regular expression matches: the first time, or with the flag `g` each time."""
    everywhere = "g" in pattern.flags
    _check_work(text, pattern, everywhere=everywhere)
    groups = len(re.findall(r"\$\d", new))
    times = len(text) + 1 if everywhere else 1
    if everywhere and times * len(new) > len(text):
        times = min(times, int(_with_re2("count_substring_regex", text, pattern)) + 1)
    # No two matches share a character, so a group has all of the text at most.
    check_length(len(text) * (1 + groups) + times * len(new))
    escaped = re.sub(r"\$(\d)", r"\\\1", new.replace("\\", "\\\\"))
    most = -1 if everywhere else 1
    return str(_with_re2("replace_substring_regex", text, pattern, escaped, max_replacements=most))


def split_pattern(text: str, pattern: RegExp) -> list[str]:
    """Split a text where a regular expression matches; one that matches nothing stands between all characters."""
    # Arrow's own function never ends where an expression matches no character.
    mark = next(one for one in map(chr, range(0xE000, 0xF900)) if one not in text)
    marked = replace_pattern(text, RegExp(pattern.pattern, f"{pattern.flags}g"), mark)
    check_items(marked.count(mark) + 1)
    parts = marked.split(mark)
    if len(parts) > 1 and match_pattern("", pattern):
        return parts[not parts[0] : len(parts) - (not parts[-1])]
    return parts


def work_of_pattern(text: str, pattern: RegExp, *, everywhere: bool) -> int:
    """Return the steps that a regular expression takes, as long as it is no extraordinary one."""
    states, length = _states_of(pattern.pattern), size_of(text) + 20
    again = length * length // (100 * _STATES_OF_A_STEP) if everywhere else 0
    return _STEPS_OF_A_CALL + states * length // _STATES_OF_A_STEP + again


def _check_work(text: str, pattern: RegExp, *, everywhere: bool = False) -> None:
    states, length = _states_of(pattern.pattern), size_of(text)
    # After each match, RE2 may look at the whole rest of the text to find the next one.
    times = length if everywhere else 1
    if length * times * (states if states > _FEW_STATES or not everywhere else 1) > LONGEST_WORK:
        raise InvalidArguments(
            f"The regular expression `/{pattern.pattern[:100]}/` might take too long on a text of this length.",
            hint="Use a shorter one, smaller counts, or a part of the text.",
        )


@lru_cache(maxsize=256)
def _states_of(pattern: str) -> int:
    each = 500 if _WIDE.search(pattern) else 10 if "." in pattern or "[" in pattern else 2
    single, grouped = 0, 1
    for closing, least, most in _COUNT.findall(pattern):
        count = max(int(least), int(most or 0)) + 1
        if closing:
            grouped = min(_MOST_REPETITIONS, grouped * count)
        else:
            single += count * each
    return (len(pattern) + pattern.count("\\p") * 500 + single) * grouped


def _with_re2(function: str, text: str, pattern: RegExp, *arguments: Any, **options: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    flags = "".join(flag for flag in "ims" if flag in pattern.flags)
    try:
        found = getattr(pc, function)(
            [text], f"(?{flags}){pattern.pattern}" if flags else pattern.pattern, *arguments, **options
        )
    except pa.ArrowInvalid as error:
        why = str(error).partition(": ")[2].splitlines()[0]
        hint = "Correct it; the syntax is that of RE2."
        if around := _LOOK_AROUND.search(why):
            why = f"`{around[0]}` looks ahead or behind, which might take too long"
            hint = "Test each part by itself, such as `/a/.matches(title) && !/ab/.matches(title)`; to replace, take"
            hint += ' what is around into groups: `title.replace(/(a)b/, "$1")`.'
        elif group := _GROUP_AGAIN.search(why):
            why = f"`{group[0]}` stands for what a group matched, which might take too long"
            hint = "Write out what it may be, such as `aa|bb`."
        raise InvalidArguments(
            f"The regular expression `/{pattern.pattern[:100]}/` cannot be used: {why}.", hint=hint
        ) from None
    return found[0].as_py()
