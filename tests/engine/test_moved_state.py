"""What is kept about a note follows it when the bridge moves it, whatever its content is by then."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.host import Host
from bridge.engine.moves import trace_moves
from bridge.state.dismissals import Dismissal
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step
from tests.engine.conftest import Opened
from tests.engine.test_writing import AGENT, BEANS, RYE, SOURDOUGH, digest, make, ready

HASH = Digest("0" * 64)


def move(path: str, to: str, *, folder: bool = False) -> Step:
    return Step("move", VaultPath(path), VaultPath(to), before=None if folder else HASH)


@pytest.mark.parametrize(
    ("steps", "moved"),
    [
        ([move("a.md", "b.md")], {"a.md": "b.md"}),
        ([move("a.md", "b.md"), move("b.md", "c.md")], {"a.md": "c.md"}),
        ([move("a.md", "b.md"), move("b.md", "a.md")], {}),
        ([move("a.md", ".t"), move("F/x.md", "a.md"), move(".t", "F/x.md")], {"a.md": "F/x.md", "F/x.md": "a.md"}),
        ([move("F", "G", folder=True)], {"F/x.md": "G/x.md", "F/y.md": "G/y.md"}),
        ([move("F/x.md", "z.md"), move("F", "G", folder=True)], {"F/x.md": "z.md", "F/y.md": "G/y.md"}),
        ([move("a.md", "F/a.md"), move("F", "G", folder=True), move("G/x.md", "F/x.md")],
         {"a.md": "G/a.md", "F/y.md": "G/y.md"}),
        ([move("a.md", "b.md"), Step("remove", VaultPath("b.md"), before=HASH)], {}),
        ([Step("remove", VaultPath("F/x.md"), before=HASH), move("F", "G", folder=True)], {"F/y.md": "G/y.md"}),
        ([Step("remove", VaultPath("F/x.md"), before=HASH), move("a.md", "F/x.md")], {"a.md": "F/x.md"}),
        ([Step("put", VaultPath("n.md"), after=HASH), move("n.md", "m.md")], {}),
    ],
)  # fmt: skip
def test_steps_tell_where_notes_went(steps: Sequence[Step], moved: dict[str, str]) -> None:
    assert trace_moves(steps, [VaultPath(path) for path in ("a.md", "F/x.md", "F/y.md")]) == moved


def dismiss(host: Host, path: VaultPath, name: str) -> None:
    host.vault.store.dismissals.add([Dismissal("finding", frozenset([path]), name)], by_user=True)


def dismissed(host: Host) -> dict[str, str]:
    """Return the path of each row, by its name."""
    return {one.name: path for one in host.vault.store.dismissals.of("finding") for path in one.paths}


async def test_a_note_edited_right_before_it_is_moved_keeps_its_rows(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        dismiss(host, RYE, "rye")
        (vault / RYE).write_text("Edited by another program, and not read yet.\n")
        to = VaultPath("Grain/Roggen.md")
        made = await make(host, MoveNote(RYE, to))
        assert dismissed(host) == {"rye": to}
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert dismissed(host) == {"rye": RYE}


async def test_a_note_whose_own_links_are_rewritten_keeps_its_rows(vault: Path, opened: Opened) -> None:
    (vault / RYE).write_text("[Beans](../Garden/Beans.md) and ![[../Garden/Beans]]\n")
    async with opened(vault) as bridge:
        host = await ready(bridge)
        dismiss(host, RYE, "rye")
        to = VaultPath("A/B/Rye.md")
        await make(host, MoveNote(RYE, to))
        assert "(../../Garden/Beans.md)" in (vault / to).read_text()
        assert dismissed(host) == {"rye": to}


async def test_notes_that_swap_their_paths_swap_their_rows_once(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        dismiss(host, RYE, "rye")
        dismiss(host, BEANS, "beans")
        between = VaultPath("Between.md")
        said, other = digest(vault / RYE), digest(vault / BEANS)
        made = await make(
            host, MoveNote(RYE, between, said), MoveNote(BEANS, RYE, other), MoveNote(between, BEANS, said)
        )
        # What the watcher tells of it later changes nothing.
        await host.vault.indexer.look_at([RYE, BEANS, between])
        assert dismissed(host) == {"rye": BEANS, "beans": RYE}
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert dismissed(host) == {"rye": RYE, "beans": BEANS}


async def test_a_folder_takes_the_rows_of_its_notes_along(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        dismiss(host, RYE, "rye")
        dismiss(host, SOURDOUGH, "sourdough")
        (vault / RYE).write_text("Edited.\n")
        await make(
            host, DeleteNote(BEANS, digest(vault / BEANS)), MoveNote(VaultPath("Bread"), VaultPath("Baking/Loaves"))
        )
        assert dismissed(host) == {"rye": "Baking/Loaves/Rye.md", "sourdough": "Baking/Loaves/Sourdough.md"}


async def test_the_history_of_a_moved_note_follows_it_once(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        between = VaultPath("Between.md")
        said, other = digest(vault / RYE), digest(vault / BEANS)
        made = await make(
            host, MoveNote(RYE, between, said), MoveNote(BEANS, RYE, other), MoveNote(between, BEANS, said)
        )
        edited = await make(host, MoveNote(BEANS, VaultPath("Rye again.md")))
        assert made.change is not None
        assert edited.change is not None
        before = {path: (vault / path).read_bytes() for path in (RYE, "Rye again.md")}
        await host.vault.review.undo([edited.change.id], AGENT)
        await host.vault.review.undo([made.change.id], AGENT)
        assert (vault / BEANS).read_bytes() == before[RYE]
        assert (vault / RYE).read_bytes() == before["Rye again.md"]
