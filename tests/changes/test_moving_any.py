"""Moves in vaults made up at random: no link breaks or leads elsewhere, and nothing else changes."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.changes.requests.move_note import move
from bridge.errors import InvalidArguments, NoteExists
from bridge.markdown.documents import read_document
from bridge.markdown.link_spans import read_link_spans
from bridge.markdown.names import Names
from bridge.types import VaultPath
from tests.changes.random_moves import Tally, compare
from tests.changes.vaults import Paper

STEMS = ("Rye", "rye", "Old rye", "a.b", "é", "麦 芽", "خبز", "x (y)", "x(y", "50% of", "A & B", "it's", "&amp;", "_z_")
FOLDERS = ("", "A", "a b", "A/B", "A/B/C", "AB", "ب", "50%")
ENDINGS = (".md", ".md", ".md", ".png", ".canvas", ".excalidraw.md", "")

stems, folders = st.sampled_from(STEMS), st.sampled_from(FOLDERS)
paths = st.builds(
    lambda folder, stem, ending: VaultPath(f"{folder}/{stem}{ending}".lstrip("/")),
    folders,
    stems,
    st.sampled_from(ENDINGS),
)
places = st.sampled_from(("", "#Top", "#Top#Sub", "#^b1", "^b1"))


def apart(name: str) -> str:
    return unicodedata.normalize("NFD", name)


@st.composite
def asked(draw: st.DrawFn) -> str:
    """How somebody may call a file: by its name, the end of its path, from the root, from where they are."""
    path = draw(paths)
    parts = path.split("/")
    way = "/".join(parts[draw(st.integers(0, len(parts) - 1)) :])
    way = draw(st.sampled_from((way, way.removesuffix(".md"), way.upper(), apart(way))))
    return draw(st.sampled_from(("", "", "", "./", "../", "/"))) + way


def percent(text: str, which: str) -> str:
    return "".join(f"%{byte:02X}" if chr(byte) in which or byte > 127 else chr(byte) for byte in text.encode())


@st.composite
def link(draw: st.DrawFn) -> str:
    """A link of some style."""
    way, place = draw(asked()), draw(places)
    shown = draw(st.sampled_from(("", "|x", f"|{way.rpartition('/')[2]}", "|200", "|")))
    bare = percent(way, " %<>()&")
    escaped = shown.replace("|", "\\|")
    styles = (
        f"[[{way}{place}{shown}]]",
        f"[[{way}{place}{shown}]]",
        f"![[{way}{place}{shown}]]",
        f"[x]({bare}{place.replace(' ', '%20')})",
        f"![{way.rpartition('/')[2]}](<{way.replace('%', '%25')}{place}> 'title')",
        f"\n\n| a |\n|---|\n| [[{way}{place}{escaped}]] |\n\n",
        f"\n\n[r{len(way)}]: {bare}{place}\n\n",
        f"`[[{way}]]` %% [[{way}]] %%",
    )
    return draw(st.sampled_from(styles))


@st.composite
def note(draw: st.DrawFn) -> bytes:
    links = draw(st.lists(link(), max_size=5))
    front = ""
    if draw(st.booleans()):
        values = [one for one in links if "\n" not in one and "\\" not in one]
        quoted = [
            "'" + one.replace("'", "''") + "'" if draw(st.booleans()) else f'"{one}"'
            for one in values
            if '"' not in one
        ]
        front = "---\nup:\n" + "".join(f"  - {one} # c\n" for one in quoted) + "---\n"
    text = front + "# Top\n" + " and ".join(links) + "\n## Sub\nb ^b1\n"
    newline = draw(st.sampled_from(("\n", "\r\n")))
    mark = draw(st.sampled_from(("", "\ufeff")))
    return (mark + text.replace("\n", newline)).encode()


@st.composite
def canvas(draw: st.DrawFn) -> bytes:
    from json import dumps

    nodes = [
        {"id": "1", "type": "text", "text": " ".join(draw(st.lists(link(), max_size=3))), "x": 0, "y": 0},
        {"id": "2", "type": "file", "file": draw(paths), "subpath": "#Top", "x": 0, "y": 9},
    ]
    return dumps(
        {"nodes": nodes, "edges": []}, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from((None, 1)))
    ).encode()


@st.composite
def vaults(draw: st.DrawFn) -> Paper:
    paper = Paper({})
    for path in draw(st.lists(paths, min_size=2, max_size=9, unique=True)):
        if path.endswith(".canvas"):
            paper.put(path, draw(canvas()))
        elif path.endswith(".md"):
            paper.put(path, draw(note()))
        else:
            paper.put(path, b"\x89")
    return paper


@st.composite
def moves(draw: st.DrawFn, paper: Paper) -> tuple[VaultPath, VaultPath]:
    files = sorted(paper.files)
    old = draw(st.sampled_from(files))
    above = old.rpartition("/")[0]
    if above and draw(st.integers(0, 3)) == 0:
        return VaultPath(above), draw(
            st.sampled_from([VaultPath(one) for one in ("New", "A/New", "ab/C", "B", above.lower())])
        )
    folder, stem = draw(folders), draw(st.one_of(stems, st.just(old.rpartition("/")[2].partition(".")[0])))
    name = old.rpartition("/")[2]
    ending = next((each for each in (".excalidraw.md", ".md", ".png", ".canvas") if name.endswith(each)), "")
    return old, VaultPath(f"{folder}/{stem}{ending}".lstrip("/"))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_link_breaks_or_leads_elsewhere(data: st.DataObject) -> None:
    paper = data.draw(vaults())
    old, new = data.draw(moves(paper))
    try:
        planned = move(old, new, paper.view())
    except NoteExists:
        return
    except InvalidArguments as error:
        if "link" in error.message:
            raise
        return
    after = paper.carry_out(planned)
    tally = Tally()
    compare(paper, after, planned, tally)
    assert (tally.broken, tally.changed) == ([], [])
    untouched(paper, after, set(planned.effect.files))
    assert len(planned.effect.rewritten) == planned.effect.links_rewritten


def untouched(before: Paper, after: Paper, changed: set[VaultPath]) -> None:
    """Files keep every byte but those of the links that were written anew."""
    contents = sorted(data for path, data in after.files.items() if path not in changed)
    for data in contents:
        assert data in before.files.values()
    for path in changed:
        assert skeleton(path, after.files[path]) in {skeleton(path, data) for data in before.files.values()}


def skeleton(path: VaultPath, data: bytes) -> str:
    """Return a file with nothing where its links name files and show words."""
    spots = read_link_spans(path, data)
    cuts = sorted(slot.span for spot in spots.links for slot in (spot.file, spot.shown) if slot is not None)
    ends = [0, *(end for _, end in cuts)]
    starts = [*(start for start, _ in cuts), len(spots.text)]
    return "".join(spots.text[end:start] for end, start in zip(ends, starts, strict=True))


@given(st.one_of(note(), canvas()))
@settings(max_examples=200, deadline=None)
def test_every_link_that_is_read_has_its_place(data: bytes) -> None:
    for path in (VaultPath("N.md"), VaultPath("N.canvas"), VaultPath("N.excalidraw.md")):
        counted = [spot for spot in read_link_spans(path, data).links if spot.counted]
        links = read_document(path, data).links
        assert sorted((spot.target, spot.kind) for spot in counted) == sorted((one.target, one.kind) for one in links)


def test_names_are_given_back_as_they_were() -> None:
    paper = Paper.of({"A/Rye.md": "[[Oat|x]]", "Oat.md": "[[A/Rye]] [[Rye]]"})
    there = paper.carry_out(move(VaultPath("Oat.md"), VaultPath("B/Barley.md"), paper.view()))
    back = there.carry_out(move(VaultPath("B/Barley.md"), VaultPath("Oat.md"), there.view()))
    assert back.files == paper.files
    assert isinstance(back.view().names, Names)
