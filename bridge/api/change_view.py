"""The text view of a change that was made, proposed or previewed."""

import re
from collections.abc import Iterable
from typing import Literal

from msgspec.structs import asdict

from bridge.api.markup import Diff, Element, Line, Segment, aside, notice, notices, path_of
from bridge.api.write import ChangedFile, Written
from bridge.changes.forecast import CountForecast, Forecast
from bridge.text.counts import count_of
from bridge.text.invisible import inline, quote_path
from bridge.types import SHORT_DIGEST

SHORT_DIFF_LINES, ECHOED_LINES, ECHOED_CHARS = 12, 6, 120
"""Diff lines after a change: a short diff completely, else its start, since the model knows what it wrote."""

MAX_FILES = 5
"""Maximum files of a change that are listed for a model."""

MAX_BROKEN_LINKS = 20

RENAMES = re.compile(r"^rename (?:from|to) .*\n", re.MULTILINE)
"""The lines of a diff that name moved files, which the lines before the diff do as well."""

MAX_LINES_OF_A_KIND = 100
"""Lines of a kind above which a person, too, is shown only those that a model reads."""

MANY_DIFF_LINES = 40
"""Lines of the diff of so many files that a person is shown."""

ChangeState = Literal["applied", "proposed"]


def written_view(made: Written) -> Iterable[Element]:
    """Show the result of a write: first its state, then what it changed."""
    files, tried = made.changed, made.dry_run
    state = change_state(made.change_id, made.state, dry_run=tried)
    if tried and made.would:
        yield notice(f"Dry run, nothing is written. The call would {inline(made.would)}.")
    elif len(files) == 1 and made.change_id:
        done = "Deleted" if files[0].deleted else "Moved" if files[0].moved_from else "Written"
        outcome = done if made.state == "applied" else state
        change = f" · change {made.change_id}{_line_counts(files[0])}"
        yield notice(f"{outcome}: ", Segment(_moved_path(files[0]), "path"), change)
    else:
        what = path_of(made.path) if len(files) <= 1 else count_of(made.files, "file")
        yield notice(f"{state}: ", what, f" · change {made.change_id}" * bool(made.change_id))
    if why := made.confirmation:
        why = why.removeprefix(f"This would {made.would}. It must be confirmed: ")
        yield notice(f"The call itself must be confirmed with `confirm`: {inline(why)}")
    if made.digest and len(files) <= (MAX_FILES if tried else 1):
        yield notice(f"digest {_digest_subject(made) * tried}{made.digest[:SHORT_DIGEST]}")
    yield from _consequences(made)
    yield from notices(made.warnings, "note: ")
    many = made.files > MAX_LINES_OF_A_KIND
    diff = RENAMES.sub("", made.diff)
    if many:
        diff = "".join(diff.splitlines(keepends=True)[:MANY_DIFF_LINES])
    if tried or not made.change_id:
        yield Diff(diff, SHORT_DIFF_LINES, ECHOED_CHARS) if len(files) > MAX_FILES else Diff(diff)
    elif len(files) <= MAX_FILES or many:
        yield beginning_of(diff)
    if many:
        yield notice(aside(_way_to_all(made)))
    if id_ := made.preview:
        yield notice(Segment("", short=f"`change_set` with the preview `{id_}` makes exactly this."))
    yield from way_back(made.change_id, made.state)


def beginning_of(diff: str) -> Diff:
    """Show the start of the diff of a change that its reader asked for, or all of a short one."""
    return Diff(diff, SHORT_DIFF_LINES if diff.count("\n") <= SHORT_DIFF_LINES else ECHOED_LINES, ECHOED_CHARS)


def _way_to_all(made: Written) -> str:
    if id_ := made.change_id:
        return f"`show_change {id_}` shows all {made.files:,} files."
    return f"`--json` shows all of the diff of {made.files:,} files."


def way_back(change: str | None, state: ChangeState) -> Iterable[Line]:
    if change:
        applied = state == "applied"
        yield notice(aside(f"`undo_change {change}` undoes it." if applied else f"`decide {change} accept` makes it."))


def change_state(change: str | None, state: ChangeState, *, dry_run: bool) -> str:
    if dry_run:
        return "Dry run, nothing is written"
    if not change:
        return "Nothing was written"
    return "Written" if state == "applied" else "Proposed; it waits until the user accepts it"


def _digest_subject(made: Written) -> str:
    if len(made.changed) <= 1:
        return "as it is now: "
    path = next((file.moved_from for file in made.changed if file.path == made.path), None) or made.path
    return f"of {quote_path(path)} as it is now: "


def _consequences(made: Written) -> Iterable[Line]:
    several = [*map(_changed_file, made.changed)]
    if len(several) > 1:
        yield from _limit(several, MAX_FILES, "files", made.files)
    if made.links_rewritten:
        yield notice(f"links in other places rewritten: {made.links_rewritten:,}")
    broken = [
        notice("broken link: ", path_of(lost.path, f":{lost.line}"), f" [[{inline(lost.text)}]]")
        for lost in made.links_broken
    ]
    yield from _limit(broken, MAX_BROKEN_LINKS, "broken links")


def _limit(found: list[Line], most: int, what: str, total: int = 0) -> Iterable[Line]:
    """Return notices of which a model, and of many also a person, reads the first, and the number of the others."""
    yield from found[:most]
    if len(found) > MAX_LINES_OF_A_KIND:
        yield notice(f"… and {max(total, len(found)) - most:,} more {what}")
        return
    yield from (notice(*(aside(one.text, one.role) for one in rest.segments)) for rest in found[most:])
    if len(found) > most:
        yield notice(Segment("", short=f"… and {len(found) - most:,} more {what}"))


def _changed_file(file: ChangedFile) -> Line:
    deleted = " · deleted" * file.deleted
    digest = f" · digest {file.digest[:SHORT_DIGEST]}" if file.digest else ""
    return notice("- ", Segment(_moved_path(file), "path"), f"{deleted}{_line_counts(file)}{digest}")


def _moved_path(file: ChangedFile) -> str:
    before, after = (file.moved_from, file.path) if file.moved_from else (file.path, file.trash)
    return f"{quote_path(before)} → {quote_path(after)}" if after else quote_path(before)


def _line_counts(file: ChangedFile) -> str:
    """Say how many lines a file gains and loses; nothing for one that was only moved, or deleted."""
    some = (file.added or file.removed) and not file.deleted
    return f" · +{file.added} -{file.removed}" if some else ""


def describe_forecast(forecast: Forecast | None) -> tuple[CountForecast, ...]:
    if forecast is None:
        return ()
    before, after = asdict(forecast.before), asdict(forecast.after)
    return (
        *(CountForecast(name, before[name], after[name]) for name in before if before[name] != after[name]),
        *forecast.tags,
        *forecast.properties,
    )


def forecast_lines(counts: Iterable[CountForecast], when: str = "") -> Iterable[Line]:
    words = " · ".join(f"{inline(one.name)} {one.before:,} → {one.after:,}" for one in counts)
    if words:
        yield notice(f"{when}{words}")
