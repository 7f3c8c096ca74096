"""What was read lately is known; what was not read for long is not."""

from bridge.engine.read_cache import LARGEST, ROOM, ReadCache
from bridge.types import Digest


def test_what_was_read_last_is_held_and_the_rest_goes() -> None:
    recent, size = ReadCache(), 1_000_000
    for number in range(ROOM // size + 5):
        recent.keep(Digest(str(number)), b"x" * size)
        recent.keep(Digest("0"), b"x" * size)
    assert recent.get(Digest("0")) == b"x" * size
    assert recent.get(Digest("1")) is None
    assert recent.get(Digest(str(ROOM // size + 4))) is not None


def test_a_huge_file_pushes_nothing_out() -> None:
    recent = ReadCache()
    recent.keep(Digest("a"), b"small")
    recent.keep(Digest("b"), b"x" * (LARGEST + 1))
    assert (recent.get(Digest("a")), recent.get(Digest("b"))) == (b"small", None)
