"""Of several requests those are applied that can be, and after which no link leads nowhere."""

from pathlib import Path

from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.apply_requests import ChangeLimits
from bridge.engine.transactions import Author
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import Append, ReplaceText
from bridge.types import VaultPath
from tests.engine.conftest import Opened
from tests.engine.test_writing import ready

PERSON = Author("test", confirmed=True)
PLOT, LOG = VaultPath("Plot.md"), VaultPath("Log.md")
NOTES = {
    PLOT: "# Soil\n\n## Clay #garden\n\nHeavy. ^heavy\n\n## Sand\n\nLight. ^light\n",
    LOG: "[[Plot#Soil]] [[Plot#Clay garden]] [[Plot#^heavy]] [[Plot#Nowhere]] [[Rake]]\n",
    VaultPath("Rake.md"): "",
    VaultPath("Old plan.md"): "[[Plot#Sand]] ![[Plot#^light]]\n",
}


def replaced(old: str, new: str) -> EditNote:
    return EditNote(path=PLOT, edits=(ReplaceText(old=old, new=new),), digest=digest_of(NOTES[PLOT].encode()))


BREAKING: dict[str, Request] = {
    "`[[Plot#Soil]]` in `Log.md:1`": replaced("# Soil\n", "# Earth\n"),
    "`[[Plot#^heavy]]` in `Log.md:1`": replaced(" ^heavy", ""),
    "`[[Plot#Clay garden]]` in `Log.md:1`": replaced("## Clay", "## Loam"),
    "`[[Rake]]` in `Log.md:1`": DeleteNote(path=VaultPath("Rake.md"), digest=digest_of(b"")),
}
SOUND: list[Request] = [
    replaced("# Sand", "# Gravel"),
    replaced(" ^light", ""),
    EditNote(path=LOG, edits=(Append(text="[[Plot#Nothing yet]]"),)),
    replaced("Heavy.", "Heavy and wet."),
]


async def test_what_breaks_links_is_refused_and_the_rest_is_done(vault: Path, opened: Opened) -> None:
    for path, text in NOTES.items():
        (vault / path).write_text(text)
    async with opened(vault) as bridge:
        executor = (await ready(bridge)).vault.executor
        touched: list[VaultPath] = []

        def may_touch(path: VaultPath) -> bool:
            touched.append(path)
            return True

        limits = ChangeLimits(may_touch, lambda path: path == "Old plan.md")
        _, made = await executor.execute_each([*SOUND[:2], *BREAKING.values(), *SOUND[2:]], PERSON, limits=limits)
    assert sorted(made.refused) == sorted(made.breaking) == [2, 3, 4, 5], made.refused
    # One that is refused does not have all earlier ones planned again.
    assert len(touched) == len([*SOUND, *BREAKING])
    for why, part in zip((made.refused[number] for number in range(2, 6)), BREAKING, strict=True):
        assert why.startswith(f"{part} would lead nowhere")
    now = (vault / PLOT).read_text()
    assert now == "# Soil\n\n## Clay #garden\n\nHeavy and wet. ^heavy\n\n## Gravel\n\nLight.\n"
    assert (vault / LOG).read_text().rstrip().endswith("[[Plot#Nothing yet]]")
    assert (vault / "Rake.md").exists()


async def test_what_would_change_a_read_only_file_is_refused_and_the_rest_is_done(vault: Path, opened: Opened) -> None:
    for path in (PLOT, LOG):
        (vault / path).write_text(NOTES[path])
    (vault / LOG).chmod(0o444)
    rename = MoveNote(path=PLOT, to=VaultPath("Garden.md"), digest=digest_of(NOTES[PLOT].encode()))
    async with opened(vault) as bridge:
        executor = (await ready(bridge)).vault.executor
        limits = ChangeLimits(lambda _: True, lambda _: True)
        _, made = await executor.execute_each([rename, SOUND[3]], PERSON, limits=limits)
    assert dict(made.locked) == {0: LOG}
    assert made.refused == {0: "`Log.md` would have to change, and is read-only."}
    assert "Heavy and wet." in (vault / PLOT).read_text()
    assert (vault / LOG).read_text() == NOTES[LOG]


async def test_requests_for_which_no_time_is_left_are_not_tried(vault: Path, opened: Opened) -> None:
    (vault / PLOT).write_text(NOTES[PLOT])
    async with opened(vault) as bridge:
        executor = (await ready(bridge)).vault.executor
        limits = ChangeLimits(lambda _: True, lambda _: True, seconds=0)
        _, made = await executor.execute_each(SOUND[:2], PERSON, limits=limits)
    assert (sorted(made.refused), sorted(made.untried), made.breaking) == ([0, 1], [0, 1], set())
    assert (vault / PLOT).read_text() == NOTES[PLOT]


async def test_a_link_that_an_earlier_request_writes_counts(vault: Path, opened: Opened) -> None:
    (vault / PLOT).write_text(NOTES[PLOT])
    (vault / LOG).write_text("A day.\n")
    async with opened(vault) as bridge:
        executor = (await ready(bridge)).vault.executor
        limits = ChangeLimits(lambda _: True, lambda _: False)
        requests = [
            replaced("Light.", "Light, see [[#Clay garden]]."),
            replaced("## Clay #garden\n", "## Loam\n"),
        ]
        _, made = await executor.execute_each(requests, PERSON, limits=limits)
    assert list(made.refused) == [1]
    assert "## Clay" in (vault / PLOT).read_text()
