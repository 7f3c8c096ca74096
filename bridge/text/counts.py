"""Counts in words."""

from collections.abc import Sequence


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 note` or `2,000 notes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count_shown(shown: int, total: int, noun: str) -> str:
    return count_of(total, noun) if shown == total else f"{shown:,} of {count_of(total, noun)}"


def more_pages(shown: int, total: int, offset: int, noun: str) -> str:
    """Say which entries of a list are shown and how to get more; nothing if all are."""
    if shown == total:
        return ""
    end = offset + shown
    which = f"{offset + 1}-{end} of {count_of(total, noun)}" if shown else f"`offset` is behind the last of {total:,}"
    return which + (f"; `offset: {end}` shows more" if shown and end < total else "")


def join_some(words: Sequence[str], most: int) -> str:
    """Return the first words of a list, and how many more there are."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
