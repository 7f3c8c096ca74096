"""What the bridge and an embedding worker say to each other over pipes: a small JSON head and raw bytes."""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SIZES = struct.Struct("<II")
SIZES = _SIZES.size
"""Bytes before a frame that tell how long its head and its body are."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: named values, and bytes that would be costly as JSON."""

    head: Mapping[str, Any]
    body: bytes = b""

    def packed(self) -> bytes:
        """Return the message as it goes through a pipe."""
        head = json.dumps(self.head).encode()
        return _SIZES.pack(len(head), len(self.body)) + head + self.body


def lengths(sizes: bytes) -> tuple[int, int]:
    """Read how long the head and the body of the coming frame are."""
    head, body = _SIZES.unpack(sizes)
    return head, body


def unpacked(stream: bytes) -> list[Frame]:
    """Read all whole frames of what a worker wrote in its life; a torn last one is left out."""
    frames, at = [], 0
    while at + SIZES <= len(stream):
        head, body = lengths(stream[at : at + SIZES])
        start, at = at + SIZES, at + SIZES + head + body
        if at > len(stream):
            break
        frames.append(Frame(json.loads(stream[start : start + head]), stream[start + head : at]))
    return frames


def request(texts: Sequence[str]) -> Frame:
    """Ask for the vectors of some texts."""
    raw = [text.encode("utf-8", "replace") for text in texts]
    return Frame({"lengths": [len(text) for text in raw]}, b"".join(raw))


def texts_of(frame: Frame) -> list[bytes]:
    """Return the texts of a request, as valid UTF-8."""
    texts, at = [], 0
    for length in frame.head["lengths"]:
        texts.append(frame.body[at : at + length])
        at += length
    return texts
