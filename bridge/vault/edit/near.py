"""What a text may have been meant for that is not in a note."""

import re
import unicodedata
from typing import Final

from bridge.errors import TextNotFound
from bridge.vault.edit.draft import Draft

_ALIKE: Final = 75.0
_LONGEST: Final = 1_000
_SHOWN: Final = 3
_QUOTES: Final = str.maketrans("‘’‚‛“”„‟–—‑", "''''\"\"\"\"---")


def nearest(draft: Draft, wanted: str) -> TextNotFound:
    """Say that a text is not in a note, and in which lines something like it is."""
    lines = draft.text.split("\n")
    first = next((line for line in wanted.split("\n") if line.strip()), "")
    if same := [at for at, line in enumerate(lines, 1) if first and folded(first) in folded(line)]:
        # The lines that agree but for what one does not see are named; their text would be a guess.
        told = (
            f"Line {same[0]} differs from it in spaces, quotes or letters"
            if "\n" not in wanted
            else (f"Line {same[0]} starts like it, but it goes on differently")
        )
        return TextNotFound(f"The text is not in {draft.path}. {told}.", count=0, near=same[:_SHOWN])
    near = alike(lines, first)
    rest = f" Most like it: line {', '.join(map(str, near))}." if near else ""
    return TextNotFound(f"The text is not in {draft.path}.{rest}", count=0, near=near)


def alike(lines: list[str], wanted: str) -> list[int]:
    """Return the lines most like a text, the likest first."""
    from rapidfuzz import fuzz, process

    found = process.extract(
        wanted[:_LONGEST],
        [line[:_LONGEST] for line in lines],
        scorer=fuzz.partial_ratio if len(wanted) < 40 else fuzz.ratio,
        score_cutoff=_ALIKE,
        limit=_SHOWN,
    )
    return [at + 1 for line, _, at in found if line.strip()]


def folded(text: str) -> str:
    """Return a text without what one hardly sees: case, kinds of spaces, quotes and dashes, Unicode forms."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return re.sub(r"\s+", " ", text).strip().casefold()
