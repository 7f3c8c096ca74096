"""Fewer steps lead to the same files."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bridge.changes.draft import path_after_move, squash_steps
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

PATHS = [VaultPath(path) for path in ("a", "b", "F/a", "F/G/a", "G/a")]
FOLDERS = [VaultPath(path) for path in ("F", "G", "F/G", "H")]

Files = dict[VaultPath, Digest | None]
"""Every file with what is in it, and every folder."""


def done(files: Files, steps: tuple[Step, ...]) -> Files:
    """Do steps, each of which must fit; folders that are needed are made."""
    files = dict(files)
    for step in steps:
        assert files.get(step.path) == step.before
        place = step.path if step.to is None else step.to
        folders = [place[:at] for at, letter in enumerate(place) if letter == "/"] if step.kind != "remove" else []
        assert all(files.get(VaultPath(folder)) is None for folder in folders)
        files |= {VaultPath(folder): None for folder in folders}
        if step.kind == "make_folder":
            files[step.path] = None
        elif step.kind == "put" and step.after is not None:
            files[step.path] = step.after
        elif step.kind == "remove":
            del files[step.path]
        elif step.kind == "move":
            assert step.path in files
            assert place not in files
            assert not place.startswith(f"{step.path}/")
            files = {path_after_move(path, step.path, place) or path: held for path, held in files.items()}
    return files


@st.composite
def courses(draw: st.DrawFn) -> tuple[Files, tuple[Step, ...]]:
    """Files, and steps that fit them."""
    files: Files = {}
    for path in draw(st.sets(st.sampled_from(PATHS))):
        files = done(files, (Step("put", path, after=Digest(draw(st.sampled_from("xyz")))),))
    now, steps = dict(files), list[Step]()
    for _ in range(draw(st.integers(0, 10))):
        path, to = draw(st.sampled_from(PATHS)), draw(st.sampled_from(PATHS))
        kind = draw(st.sampled_from(["put", "put", "remove", "move", "move", "folder"]))
        if kind == "folder":
            path, to = draw(st.sampled_from(FOLDERS)), draw(st.sampled_from(FOLDERS))
            if path not in now or to in now or to.startswith(f"{path}/"):
                continue
            steps.append(Step("move", path, to=to))
        elif kind == "put":
            steps.append(Step("put", path, before=now.get(path), after=Digest(draw(st.sampled_from("xyz")))))
        elif kind == "remove" and path in now:
            steps.append(Step("remove", path, before=now[path]))
        elif kind == "move" and path in now and to not in now:
            steps.append(Step("move", path, to=to, before=now[path]))
        else:
            continue
        now = done(now, (steps[-1],))
    return files, tuple(steps)


@given(courses())
def test_the_same_files_come_of_it(course: tuple[Files, tuple[Step, ...]]) -> None:
    files, steps = course
    assert done(files, squash_steps(steps)) == done(files, steps)


def test_only_the_last_of_what_is_written_is_written() -> None:
    a, b = PATHS[:2]
    x, y, z = map(Digest, "xyz")
    steps = [Step("put", a, before=x, after=y), Step("put", b, after=x), Step("put", a, before=y, after=z)]
    assert squash_steps(steps) == (Step("put", a, before=x, after=z), Step("put", b, after=x))
    assert squash_steps([*steps, Step("put", a, before=z, after=x), Step("remove", b, before=x)]) == ()
    assert squash_steps([steps[0], Step("remove", a, before=y)]) == (Step("remove", a, before=x),)


def test_what_is_written_before_a_move_stays_before_it() -> None:
    a, b = PATHS[:2]
    x, y, z = map(Digest, "xyz")
    steps = (Step("put", a, before=x, after=y), Step("move", a, to=b, before=y), Step("put", a, after=z))
    assert squash_steps(steps) == steps


def test_what_goes_there_and_back_stays() -> None:
    a, b, c = PATHS[:3]
    x, y, z = map(Digest, "xyz")
    there, back = Step("move", a, to=b, before=x), Step("move", b, to=a, before=y)
    assert squash_steps([there, Step("put", b, before=x, after=y), back]) == (Step("put", a, before=x, after=y),)
    edits = Step("put", a, before=x, after=y), Step("put", c, before=y, after=x)
    assert squash_steps([edits[0], replace(there, before=y), Step("move", b, to=c, before=y), edits[1]]) == (
        Step("move", a, to=c, before=x),
    )
    assert squash_steps([there, Step("remove", b, before=x)]) == (Step("remove", a, before=x),)
    circle = there, Step("move", c, to=a, before=z), Step("move", b, to=c, before=x)
    assert squash_steps(circle) == circle


def test_a_move_parts_nothing_that_it_does_not_concern() -> None:
    a, b, c = PATHS[:3]
    x, y, z = map(Digest, "xyz")
    move = Step("move", a, to=c, before=x)
    steps = (Step("put", b, before=x, after=y), move, Step("put", b, before=y, after=z))
    assert squash_steps(steps) == (Step("put", b, before=x, after=z), move)
