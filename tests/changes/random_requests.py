"""Random vaults and random sets of requests, whose forecast is compared with counts from scratch."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.changes.draft import Draft, follow_step
from bridge.changes.forecast import (
    CountedVault,
    Forecast,
    VaultCounts,
    affected_by,
    compare_counts,
)
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import ChangeValues, RenameHeading, RenameProperty, RenameTag
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.changes.requests.split_note import SplitNote
from bridge.engine.apply_requests import apply_requests, request_context
from bridge.errors import BridgeError
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import AddItem, Append, ReplaceText
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.vault import Vault
from tests.changes.vaults import Paper

NAMES = ("Rye", "rye", "Old name", "麦", "v1.2", "Index", "Dough", "plan.png", "A & B")
FOLDERS = ("", "Bread/", "Bread/Old/", "麦/")
TAGS = ("grain", "Grain", "grain/rye", "to-do", "麦")
PROPERTIES = ("status", "Status", "rating", "up")


def random_files(dice: random.Random) -> dict[str, str]:
    """Write a vault."""
    files = {f"{dice.choice(FOLDERS)}{dice.choice(NAMES)}.md": random_text(dice) for _ in range(dice.randint(3, 12))}
    files["plan.png"] = "no note"
    if dice.random() < 0.3:
        card = {"id": "1", "type": "file", "file": dice.choice(sorted(files)), "x": 0, "y": 0, "width": 1, "height": 1}
        files["map.canvas"] = json.dumps({"nodes": [card], "edges": []})
    return files


def random_text(dice: random.Random) -> str:
    """Write a note."""
    lines = [
        f"{name}: {dice.randint(1, 3)}" for name in dice.sample(PROPERTIES[:1] + PROPERTIES[2:3], dice.randint(0, 2))
    ]
    if dice.random() < 0.3:
        lines.append(f'up: "[[{dice.choice(NAMES)}]]"')
    if dice.random() < 0.3:
        lines.append(f"tags: [{dice.choice(TAGS)}]")
    head = "---\n" + "\n".join(lines) + "\n---\n" if lines else ""
    return head + "".join(random_line(dice) for _ in range(dice.randint(0, 4)))


def random_line(dice: random.Random) -> str:
    """Write a line, with links, tags or a heading."""
    name, folder = dice.choice(NAMES), dice.choice(FOLDERS)
    return dice.choice(
        (
            f"See [[{name}]].\n",
            f"See [[{folder}{name}|there]] and [[{dice.choice(NAMES)}#Part]].\n",
            f"![[{name}]]\n",
            f"[x](<{folder}{name}.md>) and [out](https://example.org)\n",
            f"Words #{dice.choice(TAGS)} here.\n",
            f"\n## Part {dice.randint(1, 2)}\n\nText of it.\n",
            "Plain words.\n",
        )
    )


def random_edit(dice: random.Random) -> AddItem | ReplaceText:
    """Choose an edit as plans make them."""
    heading, link = dice.choice((None, "Part 1", "Part 2")), f"[[{dice.choice(NAMES)}]]"
    words = dice.choice(("Words", "Text of it.", "See [[Rye]]"))
    return dice.choice((AddItem(text=link, heading=heading), ReplaceText(old=words, new=link, all=True)))


def random_request(dice: random.Random, files: Mapping[str, str]) -> Request:
    """Choose a request, which may be refused."""
    notes = sorted(path for path in files if path.endswith(".md"))
    path, other = VaultPath(dice.choice(notes)), VaultPath(dice.choice(notes))
    new = VaultPath(f"{dice.choice(FOLDERS)}{dice.choice((*NAMES, 'New', 'Next'))}.md")
    digest = digest_of(files[path].encode())
    return dice.choice(
        (
            lambda: CreateNote(path=new, text=random_text(dice)),
            lambda: EditNote(path=path, edits=(Append(text=random_line(dice)),)),
            lambda: SetProperties(path=path, properties={dice.choice(PROPERTIES): dice.choice((1, "[[Rye]]", "x"))}),
            lambda: EditNote(path=path, edits=(random_edit(dice),)),
            lambda: SetProperties(path=path, properties={"topics": [f"[[{dice.choice(NAMES)}]]", dice.choice(NAMES)]}),
            lambda: SetProperties(path=path, remove=(dice.choice(PROPERTIES),)),
            lambda: MoveNote(path=path, to=new),
            lambda: MoveNote(path=VaultPath("Bread"), to=VaultPath(dice.choice(("Loaf", "麦/Bread")))),
            lambda: DeleteNote(path=path, digest=digest),
            lambda: MergeNotes(path=path, into=other, keep=dice.choice(("both", "into")), digest=digest),
            lambda: RenameTag(path=path, tag=dice.choice(TAGS), to=dice.choice((*TAGS, "new/tag"))),
            lambda: RenameProperty(path=path, name=dice.choice(PROPERTIES), to="state", on_clash="merge"),
            lambda: ChangeValues(path=path, name="status", old=1, to=dice.choice((2, "[[Dough]]"))),
            lambda: RenameHeading(path=path, heading="Part 1", to="Piece"),
            lambda: SplitNote(path=path, heading="Part 1", to=new),
        )
    )()


@dataclass
class ForecastTally:
    """What became of a run of plans."""

    plans: int = 0
    refused: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def counted_from_scratch(paper: Paper) -> tuple[VaultCounts, Mapping[str, int], Mapping[str, int]]:
    """Count a vault note by note."""
    counted = CountedVault.over(paper.notes, Names(paper.files))
    return counted.total, counted.tags, counted.properties


def paper_after(draft: Draft, paper: Paper) -> Paper:
    """Return the vault that a draft leads to."""
    names = Names(paper.files)
    for step in draft.plan.steps:
        follow_step(names, step)
    after = Paper({})
    for path in names:
        after.put(path, draft.read(path))
    return after


def forecast_of(root: Path, files: Mapping[str, str], requests: Sequence[Request]) -> tuple[Forecast, Paper, Paper]:
    """Forecast requests, and return the vault before and after them, too."""
    paper = Paper.of(files)
    for path, data in paper.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    vault, names = Vault(root, paper.rules), Names(paper.files)
    draft = Draft(lambda path: vault.read(path)[0], vault.has)
    apply_requests(requests, draft, request_context(vault, names, paper.notes, lambda _: None))
    counted = CountedVault.over(paper.notes, names)
    affected = affected_by(draft, counted)
    return compare_counts(affected.before, affected.after), paper, paper_after(draft, paper)


def differing(forecast: Forecast, before: Paper, after: Paper) -> list[str]:
    """Return where a forecast differs from the counts of the whole vaults."""
    (old, old_tags, old_names), (new, new_tags, new_names) = counted_from_scratch(before), counted_from_scratch(after)
    found = [] if forecast.before == old else [f"before: {forecast.before}, not {old}"]
    found += [] if forecast.after == new else [f"after: {forecast.after}, not {new}"]
    for told, one, other in ((forecast.tags, old_tags, new_tags), (forecast.properties, old_names, new_names)):
        wanted = {name: (one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}
        wanted = {name: pair for name, pair in wanted.items() if pair[0] != pair[1]}
        if {each.name.partition(" ")[2]: (each.before, each.after) for each in told} != wanted:
            found.append(f"{told}, not {wanted}")
    return found


def try_forecasts(folder: Path, plans: int, seed: int) -> ForecastTally:
    """Forecast random plans, each on a vault of its own."""
    dice, tally = random.Random(seed), ForecastTally()
    while tally.plans < plans:
        files = random_files(dice)
        requests = [random_request(dice, files) for _ in range(dice.randint(1, 4))]
        try:
            forecast, before, after = forecast_of(folder / f"{tally.plans}-{tally.refused}", files, requests)
        except BridgeError:
            tally.refused += 1
            continue
        tally.plans += 1
        for request in requests:
            tally.kinds[request.op] = tally.kinds.get(request.op, 0) + 1
        tally.wrong += [f"{seed} {tally.plans} {requests}: {wrong}" for wrong in differing(forecast, before, after)]
    return tally
