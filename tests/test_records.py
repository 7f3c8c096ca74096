import copy
import dataclasses
import pickle
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec import Struct

from bridge.records import Record


class Point(Record):
    """A frozen record."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Counter:
    """A record that changes, and counts how often it was made."""

    number: int = 0
    doubled: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.doubled = 2 * self.number

    def __repr__(self) -> str:
        return "mine"


class Mark(Record, eq=False):
    """A record that equals only itself."""

    x: int = 1


class Place(Point):
    """A record with one more field than its base."""

    name: str = ""


class Hashed(Struct):
    """A record that changes and can be hashed all the same."""

    x: int = 1

    def __hash__(self) -> int:
        return 7


class Named(Record):  # noqa: PLW1641  # the decorator adds it
    """A frozen record that says itself what is equal."""

    x: int = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named)


class Mixed(Record):
    """A record with fields of every kind."""

    x: int
    fixed: int = 4
    made: list[int] = field(default_factory=list)
    y: int = 2
    z: list[int] = dataclasses.field(default_factory=lambda: [3])
    last: int = dataclasses.field(kw_only=True)
    self_: int = 5


def test_fields_are_set_as_by_the_standard_library() -> None:
    usual = dataclasses.make_dataclass(
        "Usual", [(field.name, field.type, copy.copy(field)) for field in dataclasses.fields(Mixed)], frozen=True
    )
    taken: list[tuple[Any, Any]] = [((1,), {"last": 7}), ((1, 3, [4], 8), {"last": 9}), ((), {"x": 1, "last": 2})]
    for given, named in taken:
        assert dataclasses.astuple(Mixed(*given, **named)) == dataclasses.astuple(usual(*given, **named))
    assert Mixed(1, last=1).made is not Mixed(1, last=1).made
    refused: list[tuple[Any, Any]] = [
        ((), {"last": 1}),
        ((1,), {}),
        ((1, 2, [], 4, 5), {"last": 1}),
        ((1,), {"made": []}),
    ]
    for given, named in refused:
        with pytest.raises(TypeError) as expected:
            usual(*given, **named)
        with pytest.raises(TypeError) as found:
            Mixed(*given, **named)
        assert str(found.value).replace("Mixed", "Usual") == str(expected.value)


def test_it_is_what_the_standard_library_makes() -> None:
    point = Point(1)
    assert (point, repr(point), hash(point)) == (Point(1, 2, ["other"]), "Point(x=1, y=2)", hash(Point(1)))
    assert point != Point(2)
    assert point.tags is not Point(1).tags
    assert dataclasses.replace(point, x=5) == Point(5)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "tags": []}
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert Place(1, name="here") != Place(1)
    assert repr(Place(1)) == "Place(x=1, y=2, name='')"
    assert Mark() != Mark()


def test_what_a_class_defines_itself_stays() -> None:
    counter = Counter(number=3)
    assert (counter.doubled, repr(counter), counter == Counter(number=3)) == (6, "mine", True)
    assert (hash(Hashed()), hash(Named()), Named(1) == Named(2)) == (7, hash((1,)), True)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)
    with pytest.raises(TypeError, match="positional"):
        Counter(3)  # type: ignore[call-arg]


def test_a_frozen_record_cannot_be_changed_but_copied() -> None:
    point = Point(1, tags=["a"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    for other in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert (other, other.tags) == (point, ["a"])


def test_a_missing_argument_is_told_as_usual() -> None:
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


def test_threads_may_be_first_at_once() -> None:
    class Fresh(Record):
        """A record that nobody has made yet."""

        x: int

    begin, made = threading.Barrier(8), list[Any]()

    def make(number: int) -> None:
        begin.wait()
        made.append(Fresh(number))

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each.x for each in made} == set(range(8))
