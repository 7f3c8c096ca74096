"""The text view of a change that was made, proposed or previewed."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import asdict

from bridge.api.markup import Answer, Diff, Element, Line, Segment, aside, notice, notices, path_of
from bridge.changes.forecast import CountForecast, Forecast
from bridge.text.counts import count_of
from bridge.text.invisible import inline, quote_path
from bridge.types import SHORT_DIGEST

ECHO, ECHO_LINES, ECHO_WIDTH = 12, 6, 120
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


def written_view(answer: Answer) -> Iterable[Element]:
    """Show the result of a write: first its state, then what it changed."""
    files = answer.get("changed", ())
    tried = answer.get("dry_run", False)
    if tried and answer.get("would"):
        yield notice(f"Dry run, nothing is written. The call would {inline(answer['would'])}.")
    elif len(files) == 1 and answer["change_id"]:
        done = "Deleted" if files[0]["deleted"] else "Moved" if files[0]["moved_from"] else "Written"
        outcome = done if answer["state"] == "applied" else change_state(answer)
        made = f" · change {answer['change_id']}{_line_counts(files[0])}"
        yield notice(f"{outcome}: ", Segment(_moved_path(files[0]), "path"), made)
    else:
        what = path_of(answer["path"]) if len(files) <= 1 else count_of(answer["files"], "file")
        yield notice(f"{change_state(answer)}: ", what, f" · change {answer['change_id']}" * bool(answer["change_id"]))
    if why := answer.get("confirmation"):
        why = why.removeprefix(f"This would {answer.get('would')}. It must be confirmed: ")
        yield notice(f"The call itself must be confirmed with `confirm`: {inline(why)}")
    digest = answer.get("before", answer["digest"]) if tried else answer["digest"]
    if digest and len(files) <= (MAX_FILES if tried else 1):
        yield notice(f"digest {_digest_subject(answer) * tried}{digest[:SHORT_DIGEST]}")
    yield from _consequences(answer, files)
    yield from notices(answer["warnings"], "note: ")
    many = answer.get("files", 0) > MAX_LINES_OF_A_KIND
    diff = RENAMES.sub("", answer["diff"])
    if many:
        diff = "".join(diff.splitlines(keepends=True)[:MANY_DIFF_LINES])
    if tried or not answer["change_id"]:
        yield Diff(diff, ECHO, ECHO_WIDTH) if len(files) > MAX_FILES else Diff(diff)
    elif len(files) <= MAX_FILES or many:
        # The start of the diff of a change that its reader asked for, or all of a short one.
        yield Diff(diff, ECHO if diff.count("\n") <= ECHO else ECHO_LINES, ECHO_WIDTH)
    if many:
        yield notice(aside(_way_to_all(answer)))
    if id_ := answer.get("preview"):
        yield notice(Segment("", short=f"`change_set` with the preview `{id_}` makes exactly this."))
    yield from way_back(answer)


def _way_to_all(answer: Answer) -> str:
    if id_ := answer["change_id"]:
        return f"`show_change {id_}` shows all {answer['files']:,} files."
    return f"`--json` shows all of the diff of {answer['files']:,} files."


def way_back(answer: Answer) -> Iterable[Line]:
    if id_ := answer["change_id"]:
        applied = answer["state"] == "applied"
        yield notice(aside(f"`undo_change {id_}` undoes it." if applied else f"`decide {id_} accept` makes it."))


def change_state(answer: Answer) -> str:
    if answer.get("dry_run"):
        return "Dry run, nothing is written"
    if not answer["change_id"]:
        return "Nothing was written"
    return "Written" if answer["state"] == "applied" else "Proposed; it waits until the user accepts it"


def _digest_subject(answer: Answer) -> str:
    files = answer.get("changed", ())
    if len(files) <= 1:
        return "as it is now: "
    path = next((file["moved_from"] for file in files if file["path"] == answer["path"]), None) or answer["path"]
    return f"of {quote_path(path)} as it is now: "


def _consequences(answer: Answer, files: Iterable[Mapping[str, Any]]) -> Iterable[Line]:
    several = [*map(_changed_file, files)]
    if len(several) > 1:
        yield from _limit(several, MAX_FILES, "files", answer.get("files", 0))
    if rewritten := answer.get("links_rewritten"):
        yield notice(f"links in other places rewritten: {rewritten:,}")
    broken = [
        notice("broken link: ", path_of(lost["path"], f":{lost['line']}"), f" [[{inline(lost['text'])}]]")
        for lost in answer.get("links_broken", ())
    ]
    yield from _limit(broken, MAX_BROKEN_LINKS, "broken links")
    for left in answer.get("refused", ()):
        yield notice("not linked: ", path_of(left["target"]), f" in line {left['line']}: {inline(left['why'])}")


def _limit(found: list[Line], most: int, what: str, total: int = 0) -> Iterable[Line]:
    """Return notices of which a model, and of many also a person, reads the first, and the number of the others."""
    yield from found[:most]
    if len(found) > MAX_LINES_OF_A_KIND:
        yield notice(f"… and {max(total, len(found)) - most:,} more {what}")
        return
    yield from (notice(*(aside(one.text, one.role) for one in rest.segments)) for rest in found[most:])
    if len(found) > most:
        yield notice(Segment("", short=f"… and {len(found) - most:,} more {what}"))


def _changed_file(file: Mapping[str, Any]) -> Line:
    deleted = " · deleted" * file["deleted"]
    digest = f" · digest {file['digest'][:SHORT_DIGEST]}" if file["digest"] else ""
    return notice("- ", Segment(_moved_path(file), "path"), f"{deleted}{_line_counts(file)}{digest}")


def _moved_path(file: Mapping[str, Any]) -> str:
    before, after = (file["moved_from"], file["path"]) if file["moved_from"] else (file["path"], file["trash"])
    return f"{quote_path(before)} → {quote_path(after)}" if after else quote_path(before)


def _line_counts(file: Mapping[str, Any]) -> str:
    """Say how many lines a file gains and loses; nothing for one that was only moved, or deleted."""
    some = (file.get("added") or file.get("removed")) and not file["deleted"]
    return f" · +{file['added']} -{file['removed']}" if some else ""


def describe_forecast(forecast: Forecast | None) -> tuple[CountForecast, ...]:
    if forecast is None:
        return ()
    before, after = asdict(forecast.before), asdict(forecast.after)
    return (
        *(CountForecast(name, before[name], after[name]) for name in before if before[name] != after[name]),
        *forecast.tags,
        *forecast.properties,
    )


def forecast_lines(counts: Iterable[Answer]) -> Iterable[Line]:
    words = " · ".join(f"{inline(one['name'])} {one['before']:,} → {one['after']:,}" for one in counts)
    if words:
        yield notice(words)
