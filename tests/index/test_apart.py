"""The two sides of a vault follow each write as if they were divided anew."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.index.apart import Apart, HiddenRows, KeptFolder
from bridge.index.catalogue import NoteEntry, NoteTable
from bridge.types import VaultPath
from tests.index.made import prepared

MARK = VaultPath("Kept/About.md")
PATHS = [MARK, *map(VaultPath, ("Kept/a.md", "Kept/Deep/b.md", "Keptsake.md", "c.md", "Other/Kept/d.md"))]
writes = st.tuples(st.sets(st.sampled_from(PATHS)), st.sets(st.sampled_from(PATHS)), st.booleans())


def numbers(rows: HiddenRows | None) -> list[int]:
    return [] if rows is None else rows.numbers.tolist()


def state_of(apart: Apart) -> list[object]:
    sides = [apart.side("notes"), apart.side("agents"), apart.side("all")]
    return [(dict(side.notes), numbers(side.hidden_keys), numbers(side.hidden_seqs)) for side in sides]


@given(st.lists(writes, max_size=8))
def test_sides_that_follow_writes_are_those_divided_anew(
    drawn: list[tuple[set[VaultPath], set[VaultPath], bool]],
) -> None:
    table = NoteTable()
    apart, folder = Apart(table), KeptFolder("Kept", MARK)
    apart.use(folder)
    for leaving, coming, looks in drawn:
        entries = [NoteEntry(prepared(path, f"{table.last}").note, table.next(), table.next(), "") for path in coming]
        table.replace([*leaving, *coming], entries)
        if looks:
            anew = Apart(table)
            anew.use(folder)
            assert state_of(apart) == state_of(anew)
            others = {
                entry.seq: entry.key for entry in table.entries() if entry.note.path not in apart.side("notes").notes
            }
            hidden = apart.side("notes")
            assert numbers(hidden.hidden_seqs) == sorted(others.keys())
            assert numbers(hidden.hidden_keys) == sorted(others.values())


def test_rows_of_notes_that_no_write_concerned_are_numbered_once() -> None:
    table = NoteTable()
    table.replace((), [NoteEntry(prepared(path, "").note, at, at, "") for at, path in enumerate(PATHS, 1)])
    apart = Apart(table)
    apart.use(KeptFolder("Kept", MARK))
    before = apart.side("agents").hidden_keys
    table.replace((PATHS[1],), ())
    assert PATHS[1] not in apart.side("agents").notes
    assert apart.side("agents").hidden_keys is before
