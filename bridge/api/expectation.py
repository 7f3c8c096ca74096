"""The effect that a caller expects of a change; a change with any other effect is refused."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

from annotated_types import Interval

from bridge.records import dataclass

Count = Annotated[int, Interval(ge=0)]


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected effect of a change; null fields are not checked.

    Attributes:
        files: Files written, moved or removed.
        links_rewritten: Links updated in other places.
        links_broken: Links to files, headings and blocks that are gone afterwards.
    """

    files: Count | None = None
    links_rewritten: Count | None = None
    links_broken: Count | None = None


def expected_counts(expect: Expectation | None) -> Mapping[str, int]:
    return {} if expect is None else {name: count for name, count in asdict(expect).items() if count is not None}
