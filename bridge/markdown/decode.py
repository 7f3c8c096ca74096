"""A file's bytes as text, and the text's ASCII shadow for the Markdown parser."""

import re
from hashlib import sha256

from bridge.records import Record
from bridge.types import Digest

BOM = b"\xef\xbb\xbf"
_CONTINUATION = bytes(range(0x80, 0xC0))
# CommonMark treats DEL as neither letter, space nor punctuation, like most letters of other scripts.
_SHADOW = bytes(range(0x80)) + b"\x7f" * 0x80


class DecodedText(Record):
    """A file's text without BOM, and the problems found in its bytes."""

    text: str
    digest: Digest
    problems: tuple[str, ...]


def digest_of(data: bytes) -> Digest:
    return Digest(sha256(data).hexdigest())


def decode(data: bytes) -> DecodedText:
    """Decode bytes as UTF-8; never raises."""
    body = data.removeprefix(BOM)
    try:
        return DecodedText(body.decode("utf-8"), digest_of(data), ())
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        problem = f"Line {line} contains bytes that are not UTF-8; they are shown as \N{REPLACEMENT CHARACTER}."
        return DecodedText(body.decode("utf-8", "replace"), digest_of(data), (problem,))


def encode_like(data: bytes, text: str) -> bytes:
    """Encode a changed text, with the byte order mark that its file has; lone surrogates become the bytes of before."""
    return (BOM if data.startswith(BOM) else b"") + text.encode("utf-8", "surrogateescape")


def shadow_of(text: str) -> str:
    """Replace every non-ASCII character, so that the parser's byte offsets are character offsets."""
    if text.isascii():
        return text
    return text.encode("utf-8").translate(_SHADOW, _CONTINUATION).decode("ascii")


def blank(text: str, start: int, end: int) -> str:
    """Return as many spaces as the range has characters, keeping its line breaks."""
    return re.sub(r"[^\r\n]+", lambda found: " " * (found.end() - found.start()), text[start:end])
