"""Rows of digests follow a dictionary through any changes."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.index.digests import DIGEST_BYTES, NO_DIGEST, NO_ROW, DigestRows, TextDigests, digests_of

# Many with the same first number.
NAMES = [bytes([first]) * 8 + bytes([last]) * 24 for first in range(1, 5) for last in range(1, 7)]
CHANGES = st.lists(st.tuples(st.sampled_from(["add", "pop", "extend", "look"]), st.lists(st.sampled_from(NAMES))))


@pytest.mark.parametrize("recent", [0, 3, 1_000])
@given(changes=CHANGES)
def test_rows_are_those_of_a_dictionary(recent: int, changes: list[tuple[str, list[bytes]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bridge.index.digests.MIN_RECENT", recent)
        rows, known, used = DigestRows(), dict[bytes, int](), 0
        for action, names in changes:
            fresh = [name for name in dict.fromkeys(names) if name not in known]
            match action:
                case "add":
                    for name in fresh:
                        rows.add(name, used)
                        known[name], used = used, used + 1
                case "extend":
                    # Equal ones: a table may hold a text twice.
                    rows.extend(digests_of(b"".join(fresh * 2)), used)
                    known |= {name: used + at for at, name in enumerate(fresh)}
                    used += 2 * len(fresh)
                case "pop":
                    assert [rows.pop(name) for name in names] == [known.pop(name, None) for name in names]
                case "look":
                    assert [rows.get(name) for name in NAMES] == [known.get(name) for name in NAMES]
        every = [*NAMES, NO_DIGEST]
        assert rows.find(digests_of(b"".join(every))).tolist() == [known.get(name, NO_ROW) for name in every]
        assert [name in rows for name in every] == [name in known for name in every]
        assert len(rows) == len(known)
        assert sorted(rows.without(NAMES[::2])) == sorted(known.keys() - set(NAMES[::2]))


def test_a_million_digests_take_little_more_than_their_bytes() -> None:
    count, rows = 200_000, DigestRows()
    names = np.frombuffer(random.Random(1).randbytes(count * DIGEST_BYTES), np.uint64).reshape(count, -1)
    rows.extend(names, 0)
    assert (rows.find(names) == np.arange(count)).all()
    assert rows._names.nbytes + rows._firsts.nbytes + rows._rows.nbytes < 1.5 * names.nbytes


@given(st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES), st.lists(st.none() | st.sampled_from(NAMES)))
def test_digests_of_texts_are_unpacked_as_they_were_packed(title: bytes, passages: list[bytes | None]) -> None:
    digests = TextDigests.of(title, passages)
    assert (digests.title, list(digests.passages), len(digests)) == (title, passages, len(passages))
    assert [digests.passage(at) for at in range(len(passages))] == passages
    assert digests.texts == {title, *passages} - {None}
