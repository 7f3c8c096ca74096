"""The messages between the bridge and its worker processes: named values, and bytes."""

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

from bridge.records import Record

_SIZES = struct.Struct("<II")
SIZES = _SIZES.size
"""Bytes before a frame that give the lengths of its head and its body."""


class Frame(Record):
    """One message: named values, and bytes that would be expensive as JSON."""

    head: Mapping[str, Any]
    body: bytes = b""

    def pack(self) -> bytes:
        head = json.dumps(self.head).encode()
        return _SIZES.pack(len(head), len(self.body)) + head + self.body


def frame_lengths(sizes: bytes) -> tuple[int, int]:
    head, body = _SIZES.unpack(sizes)
    return head, body


def unpack_frames(stream: bytes) -> list[Frame]:
    """Return all complete frames in a worker's output; a truncated last one is dropped."""
    frames, at = [], 0
    while at + SIZES <= len(stream):
        head, body = frame_lengths(stream[at : at + SIZES])
        start, at = at + SIZES, at + SIZES + head + body
        if at > len(stream):
            break
        frames.append(Frame(json.loads(stream[start : start + head]), stream[start + head : at]))
    return frames


def read_frame(stream: BinaryIO) -> Frame | None:
    sizes = stream.read(SIZES)
    if len(sizes) < SIZES:
        return None
    head, body = frame_lengths(sizes)
    whole = stream.read(head + body)
    return Frame(json.loads(whole[:head]), whole[head:]) if len(whole) == head + body else None


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    stream.write(frame.pack())
    stream.flush()
