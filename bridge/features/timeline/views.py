"""Text view of how a subject came up over time."""

from collections.abc import Iterable

from bridge.api.markup import Answer, Element, Line, notice, notices, path_of
from bridge.text.counts import count_of
from bridge.text.invisible import inline


def entity_course_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    if len(answer["periods"]) < answer["total"]:
        yield notice(f"{len(answer['periods'])} of {count_of(answer['total'], 'period')}")
    for period in answer["periods"]:
        yield Line(f"{period['period']} · {count_of(period['total'], 'note')}")
        for path in period["notes"]:
            yield Line("  ", path_of(path))
        for path in period["neighbours"]:
            yield Line("  new: ", path_of(path))
        for one in period["sentences"]:
            yield Line("  ", path_of(one["path"], f":{one['line']}"), f" · {inline(one['text'])}")
