"""Names files after titles."""

import re
from collections.abc import Callable
from itertools import count
from typing import Final

from bridge.text.invisible import one_line
from bridge.vault.paths import DEVICE, nfc

MAX_NAME_BYTES: Final = 180
"""Bytes of a name, so that a number and an extension fit in what disks allow."""

_REFUSED: Final = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f\x7f]+')
"""What some system or a link cannot have in a name."""


def file_name_for(title: str, is_taken: Callable[[str], bool], *, default: str) -> str:
    """Return a file name without extension that any system and any link takes, with a number if it is taken."""
    name = " ".join(_REFUSED.sub(" ", nfc(one_line(title))).split()).strip(". ")
    name = name.encode("utf-8", "ignore")[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip(". ") or default
    if DEVICE.match(name):
        name = f"{default} {name}"
    return next(one for number in count(1) if not is_taken(one := name if number == 1 else f"{name} {number}"))
