"""Counts in words."""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 note` or `2,000 notes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
