"""Shows what a change does to each file; its hunks are numbered here and nowhere else."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.errors import InvalidArguments
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.text.diff import Hunk, apply_hunks, decode_text, diff_hunks, encode_text, format_hunks
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

Snapshot = Callable[[Digest], bytes | None]
"""Returns the content with a digest; None when it is no longer kept."""

_BOM: Final = "\ufeff"


class Difference(Record):
    """One step of a change, for display."""

    step: Step
    diff: str = ""
    """A unified diff; empty for moves, folders and files that are not text."""
    hunks: tuple[Hunk, ...] = ()
    sizes: tuple[int | None, int | None] = (None, None)
    """Bytes of the file before and after; None when there is no file, or when its content is not kept."""
    remarks: tuple[str, ...] = ()
    """What the diff does not show, or not clearly."""


def differences(steps: Iterable[Step], snapshot: Snapshot) -> Iterator[Difference]:
    """Yield what each step of a change does, in order."""
    first = 1
    for step in steps:
        found = _difference(step, snapshot, first)
        first += len(found.hunks)
        yield found


def fold_moves(steps: Iterable[Step]) -> Sequence[Step]:
    """Return steps for display: what is made and then moved is made where it comes to lie."""
    found: list[Step] = []
    made: set[VaultPath] = set()
    for step in steps:
        if step.kind == "move" and step.to is not None and step.path in made:
            found = [replace(one, path=step.to) if one.path == step.path else one for one in found]
            made = made - {step.path} | {step.to}
            continue
        if step.kind == "put" and step.before is None:
            made.add(step.path)
        found.append(step)
    return found


def hunk_positions(steps: Sequence[Step], snapshot: Snapshot, chosen: Collection[int]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (at, number)
        for at, found in enumerate(differences(steps, snapshot))
        for number, hunk in enumerate(found.hunks)
        if hunk.number in chosen
    )


def select_hunks(
    steps: Sequence[Step], snapshot: Snapshot, chosen: Collection[int], *, last: bool, others: bool = False
) -> tuple[list[Step | None], Snapshot]:
    """Return the steps of a change reduced to some of its hunks, None for a dropped step, and their contents."""
    made: dict[Digest, bytes] = {}
    left: list[Step | None] = []
    all_numbers: set[int] = set()
    for found in differences(steps, snapshot):
        numbers = {hunk.number for hunk in found.hunks}
        all_numbers |= numbers
        some = numbers.intersection(chosen)
        if not some or some == numbers:
            left.append(found.step if some or (others and not numbers) else None)
            continue
        before, after = (
            decode_text(_data(digest, snapshot) or b"") or "" for digest in (found.step.before, found.step.after)
        )
        data = encode_text(apply_hunks(before, after, numbers - some if last else some, first=min(numbers)))
        digest = digest_of(data)
        made[digest] = data
        left.append(replace(found.step, before=digest) if last else replace(found.step, after=digest))
    if wrong := sorted(set(chosen) - all_numbers):
        has = f"its hunks are 1 to {len(all_numbers)}" if all_numbers else "it has none"
        raise InvalidArguments(f"The change has no hunk {wrong[0]}: {has}.", hint="`show_change` numbers them.")
    return left, lambda digest: made[digest] if digest in made else snapshot(digest)


def _difference(step: Step, snapshot: Snapshot, first: int) -> Difference:
    if step.kind not in ("put", "remove"):
        return Difference(step)
    before, after = _data(step.before, snapshot), _data(step.after, snapshot)
    sizes = (None if before is None else len(before), None if after is None else len(after))
    if (before is None) > (step.before is None) or (after is None) > (step.after is None):
        return Difference(step, sizes=sizes, remarks=("The file's earlier content is no longer stored.",))
    old, new = (None if data is None else decode_text(data) for data in (before, after))
    if (old is None) > (before is None) or (new is None) > (after is None):
        return Difference(step, sizes=sizes, remarks=("The file is not text.",))
    found = diff_hunks(old or "", new or "", first=first)
    return Difference(
        step,
        format_hunks(found, step.path, made=old is None, gone=new is None),
        found,
        sizes,
        () if old is None or new is None else tuple(_remarks(old, new)),
    )


def _data(digest: Digest | None, snapshot: Snapshot) -> bytes | None:
    return None if digest is None else snapshot(digest)


def _remarks(old: str, new: str) -> Iterator[str]:
    if old.startswith(_BOM) != new.startswith(_BOM):
        yield "The file loses its byte order mark." if old.startswith(_BOM) else "The file gets a byte order mark."
    before, after = ("\r\n" in text and text.count("\r\n") == text.count("\n") for text in (old, new))
    if before != after and "\n" in old and "\n" in new:
        yield "Its lines end in LF now, not in CRLF." if before else "Its lines end in CRLF now, not in LF."
