"""The vault as it will be, tried against a vault that really changes."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.changes.draft import Draft, digest_of
from bridge.errors import BridgeError, NoteExists, NoteNotFound
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step


def desk_of(files: dict[VaultPath, bytes]) -> Draft:
    def read(path: VaultPath) -> bytes:
        if path not in files:
            raise NoteNotFound(path)
        return files[path]

    return Draft(read, lambda path: path in files or any(name.startswith(f"{path}/") for name in files))


def carried_out(files: dict[VaultPath, bytes], plan: Plan) -> dict[VaultPath, bytes]:
    """Do what a plan says, as plainly as can be."""
    files = dict(files)
    for step in plan.steps:
        match step.kind:
            case "put":
                assert (digest_of(files[step.path]) if step.path in files else None) == step.before
                assert step.after is not None
                files[step.path] = plan.blobs[step.after]
            case "remove":
                assert digest_of(files.pop(step.path)) == step.before
            case "move":
                assert step.to is not None
                moving = [path for path in files if path == step.path or path.startswith(f"{step.path}/")]
                for path in moving:
                    files[VaultPath(step.to + path[len(step.path) :])] = files.pop(path)
    return files


PATHS = st.sampled_from([VaultPath(p) for p in ("a.md", "b.md", "F/a.md", "F/b.md", "G/a.md", "G/F/c.md")])
FOLDERS = st.sampled_from([VaultPath(p) for p in ("F", "G", "G/F", "H")])
WORDS = st.sampled_from([b"", b"one", b"two", b"three"])
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), PATHS, WORDS),
        st.tuples(st.just("replace"), PATHS, WORDS),
        st.tuples(st.just("move"), PATHS | FOLDERS, PATHS | FOLDERS),
        st.tuples(st.just("remove"), PATHS, WORDS),
    ),
    max_size=12,
)


@given(st.dictionaries(PATHS, WORDS), DEEDS)
def test_the_desk_shows_what_the_plan_leaves(
    files: dict[VaultPath, bytes], deeds: Iterable[tuple[str, VaultPath, VaultPath | bytes]]
) -> None:
    desk = desk_of(files)
    for kind, path, what in deeds:
        try:
            match kind, what:
                case "create", bytes():
                    desk.create(path, what)
                case "replace", bytes():
                    desk.replace(path, what)
                case "remove", _:
                    desk.take(Plan((Step("remove", path, before=digest_of(desk.read(path))),)))
                case "move", str() if (
                    desk.has(path)
                    and not desk.has(what)
                    and not what.startswith(f"{path}/")
                    and not any(desk.is_file(VaultPath(what[:at])) for at, c in enumerate(what) if c == "/")
                ):
                    desk.take(Plan((Step("move", path, to=what),)))
        except BridgeError:
            continue
    after = carried_out(files, desk.plan)
    assert set(desk.paths(files)) == after.keys()
    for path in [VaultPath(p) for p in ("a.md", "b.md", "F/a.md", "F/b.md", "G/a.md", "G/F/c.md")]:
        assert desk.is_file(path) == (path in after)
        if path in after:
            assert desk.read(path) == after[path]


def test_two_edits_of_a_note_are_one_step() -> None:
    desk = desk_of({VaultPath("a.md"): b"one"})
    desk.replace(VaultPath("a.md"), b"two")
    desk.replace(VaultPath("a.md"), b"three")
    assert desk.plan.steps == (Step("put", VaultPath("a.md"), before=digest_of(b"one"), after=digest_of(b"three")),)


def test_an_edit_that_changes_nothing_is_no_step() -> None:
    desk = desk_of({VaultPath("a.md"): b"one"})
    desk.replace(VaultPath("a.md"), b"one")
    assert desk.plan.steps == ()


def test_no_file_is_made_over_another() -> None:
    desk = desk_of({VaultPath("a.md"): b"one"})
    with pytest.raises(NoteExists):
        desk.create(VaultPath("a.md"), b"two")


def test_a_file_is_read_once() -> None:
    reads = [b"one", b"two"]
    desk = Draft(lambda _: reads.pop(0), lambda _: True)
    assert desk.read(VaultPath("a.md")) == desk.read(VaultPath("a.md")) == b"one"


def test_what_a_file_was_in_turn_is_known_wherever_it_was() -> None:
    a, b, c = (VaultPath(f"{name}.md") for name in "abc")
    desk = desk_of({a: b"1", b: b"other"})
    desk.replace(a, b"2")
    desk.take(Plan((Step("move", a, to=c, before=digest_of(b"2")),)))
    desk.replace(c, b"3")
    desk.create(a, b"new")
    assert desk.states(c) == tuple(map(digest_of, (b"1", b"2", b"3")))
    assert desk.states(a) == (digest_of(b"new"),)
    assert desk.states(b) == (digest_of(b"other"),)
    assert (desk.origin(c), desk.origin(a), desk.origin(b)) == (a, None, b)
    desk.take(Plan((Step("remove", b, before=digest_of(b"other")),)))
    assert desk.states(b)[-1] == digest_of(b"other")
    assert desk.origin(b) == b
