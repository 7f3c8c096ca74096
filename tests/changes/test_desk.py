"""The vault as it will be, tried against a vault that really changes."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.changes.draft import Draft
from bridge.errors import BridgeError, NoteExists, NoteNotFound
from bridge.markdown.decode import digest_of
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.changes.trial import files_after


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
    draft = desk_of(files)
    for kind, path, what in deeds:
        try:
            match kind, what:
                case "create", bytes():
                    draft.create(path, what)
                case "replace", bytes():
                    draft.replace(path, what)
                case "remove", _:
                    draft.take(Plan((Step("remove", path, before=digest_of(draft.read(path))),)))
                case "move", str() if (
                    draft.has(path)
                    and not draft.has(what)
                    and not what.startswith(f"{path}/")
                    and not any(draft.is_file(VaultPath(what[:at])) for at, c in enumerate(what) if c == "/")
                ):
                    draft.take(Plan((Step("move", path, to=what),)))
        except BridgeError:
            continue
    after = carried_out(files, draft.plan)
    assert set(files_after(draft, files)) == after.keys()
    for path in [VaultPath(p) for p in ("a.md", "b.md", "F/a.md", "F/b.md", "G/a.md", "G/F/c.md")]:
        assert draft.is_file(path) == (path in after)
        if path in after:
            assert draft.read(path) == after[path]


def test_two_edits_of_a_note_are_one_step() -> None:
    draft = desk_of({VaultPath("a.md"): b"one"})
    draft.replace(VaultPath("a.md"), b"two")
    draft.replace(VaultPath("a.md"), b"three")
    assert draft.plan.steps == (Step("put", VaultPath("a.md"), before=digest_of(b"one"), after=digest_of(b"three")),)


def test_an_edit_that_changes_nothing_is_no_step() -> None:
    draft = desk_of({VaultPath("a.md"): b"one"})
    draft.replace(VaultPath("a.md"), b"one")
    assert draft.plan.steps == ()


def test_no_file_is_made_over_another() -> None:
    draft = desk_of({VaultPath("a.md"): b"one"})
    with pytest.raises(NoteExists):
        draft.create(VaultPath("a.md"), b"two")


def test_a_file_is_read_once() -> None:
    reads = [b"one", b"two"]
    draft = Draft(lambda _: reads.pop(0), lambda _: True)
    assert draft.read(VaultPath("a.md")) == draft.read(VaultPath("a.md")) == b"one"


def test_what_a_file_was_in_turn_is_known_wherever_it_was() -> None:
    a, b, c = (VaultPath(f"{name}.md") for name in "abc")
    draft = desk_of({a: b"1", b: b"other"})
    draft.replace(a, b"2")
    draft.take(Plan((Step("move", a, to=c, before=digest_of(b"2")),)))
    draft.replace(c, b"3")
    draft.create(a, b"new")
    assert draft.states(c) == tuple(map(digest_of, (b"1", b"2", b"3")))
    assert draft.states(a) == (digest_of(b"new"),)
    assert draft.states(b) == (digest_of(b"other"),)
    assert (draft.origin(c), draft.origin(a), draft.origin(b)) == (a, None, b)
    draft.take(Plan((Step("remove", b, before=digest_of(b"other")),)))
    assert draft.states(b)[-1] == digest_of(b"other")
    assert draft.origin(b) == b
