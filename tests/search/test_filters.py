from typing import Any

import pytest

from bridge.markdown.note import Value
from bridge.search.filters import filter_by_tag, filter_by_term, filter_notes, no_such_property, no_such_tag
from bridge.search.model import SearchRequest
from bridge.search.terms import HasProperty
from tests.search.notes import by_path, indexed

NOTES = by_path(
    indexed(
        "Garden/Fern.md", tags=("plant/shade", "watered"), properties={"Status": "Alive", "height": 40}, modified=10
    ),
    indexed(
        "Garden/Rose.md", tags=("Plant",), properties={"status": ["dead", "missed"], "height": "12.5"}, modified=20
    ),
    indexed("garden plan.canvas", kind="canvas", modified=30),
    indexed("Kitchen/Bread.md", tags=("planting",), properties={"status": None, "of": "[[Rye|rye]]", "done": True}),
)


def found(**filters: Any) -> list[str] | None:
    paths = filter_notes(NOTES, SearchRequest("", **filters))
    return None if paths is None else sorted(paths)


def test_without_filters_every_note_may_be_found() -> None:
    assert found() is None
    assert found(folder="/") is None


def test_a_folder_holds_what_is_below_it_and_not_what_begins_alike() -> None:
    assert found(folder="Garden") == ["Garden/Fern.md", "Garden/Rose.md"]
    assert found(folder="/Garden/") == ["Garden/Fern.md", "Garden/Rose.md"]
    assert found(folder="Gar") == []


def test_paths_are_notes_and_folders_and_any_will_do() -> None:
    assert found(paths=("Garden", "Kitchen/Bread.md")) == ["Garden/Fern.md", "Garden/Rose.md", "Kitchen/Bread.md"]
    assert found(paths=("Gar", "Bread.md")) == []
    assert found(paths=("Garden",), tags=("plant/shade",)) == ["Garden/Fern.md"]


def test_a_folder_is_found_in_another_case() -> None:
    assert found(folder="garden") == ["Garden/Fern.md", "Garden/Rose.md"]


def test_a_tag_matches_itself_and_what_is_nested_in_it_in_any_case() -> None:
    assert found(tags=("plant",)) == ["Garden/Fern.md", "Garden/Rose.md"]
    assert found(tags=("#Plant/Shade",)) == ["Garden/Fern.md"]


def test_a_tag_is_found_in_another_spelling_where_none_is_spelled_so() -> None:
    notes = by_path(
        *(indexed(f"{at}.md", tags=(tag,)) for at, tag in enumerate(("café/crème", "sınır", "sinir", "צה״ל", "ЁЖ")))
    )

    def tagged(tag: str) -> list[str]:
        return sorted(filter_notes(notes, SearchRequest("", tags=(tag,))) or ())

    assert tagged("cafe") == tagged("CAFÉ/creme") == tagged("#cafe\u0301") == ["0.md"]
    assert (tagged("sinir"), tagged("sınır"), tagged("SINIR")) == (["2.md"], ["1.md"], ["2.md"])
    assert (tagged("צהל"), tagged("еж"), tagged("caf")) == (["3.md"], ["4.md"], [])


def test_all_tags_must_be_there() -> None:
    assert found(tags=("plant", "watered")) == ["Garden/Fern.md"]


@pytest.mark.parametrize(
    ("properties", "paths"),
    [
        ({"status": "alive"}, ["Garden/Fern.md"]),
        ({"status": ["alive", "missed"]}, ["Garden/Fern.md", "Garden/Rose.md"]),
        ({"STATUS": "dead"}, ["Garden/Rose.md"]),
        ({"height": 40}, ["Garden/Fern.md"]),
        ({"height": "40"}, ["Garden/Fern.md"]),
        ({"height": 12.5}, ["Garden/Rose.md"]),
        ({"status": None}, ["Kitchen/Bread.md"]),
        ({"of": "Rye"}, ["Kitchen/Bread.md"]),
        ({"done": True}, ["Kitchen/Bread.md"]),
        ({"done": "true"}, ["Kitchen/Bread.md"]),
        ({"absent": "x"}, []),
        ({"status": "alive", "height": 12.5}, []),
    ],
)
def test_a_property_is_compared_by_its_meaning(properties: dict[str, Value], paths: list[str]) -> None:
    assert found(properties=properties) == paths


def test_times_include_their_beginning_and_not_their_end() -> None:
    assert found(modified_after=20) == ["Garden/Rose.md", "garden plan.canvas"]
    assert found(modified_after=10, modified_before=20) == ["Garden/Fern.md"]


def test_types_narrow_to_kinds_of_files() -> None:
    assert found(types=("canvas", "pdf")) == ["garden plan.canvas"]


@pytest.mark.parametrize(
    ("term", "paths"),
    [
        (HasProperty("status"), ["Garden/Fern.md", "Garden/Rose.md", "Kitchen/Bread.md"]),
        (HasProperty("status", "liv"), ["Garden/Fern.md"]),
        (HasProperty("status", "liv", exact=True), []),
        (HasProperty("of", "[[rye]]"), ["Kitchen/Bread.md"]),
        (HasProperty("height", ">20"), ["Garden/Fern.md"]),
        (HasProperty("height", "<20"), ["Garden/Rose.md"]),
        (HasProperty("status", "null"), ["Kitchen/Bread.md"]),
    ],
)
def test_a_property_in_the_query_is_contained_or_compared(term: HasProperty, paths: list[str]) -> None:
    assert sorted(note.path for note in filter_by_term(list(NOTES.values()), term)) == paths


def test_no_note_has_a_tag_that_nobody_wrote() -> None:
    assert filter_by_tag(list(NOTES.values()), "stone") == []
    assert filter_by_tag([], "plant") == []


def test_a_tag_that_no_note_has_is_told_with_the_closest() -> None:
    assert no_such_tag(NOTES, "plnat") == "There is no tag `plnat`; the closest is `plant`."
    assert no_such_tag(NOTES, "#plant/shad") == "There is no tag `plant/shad`; the closest is `plant/shade`."
    assert no_such_tag(NOTES, "zzzzzz") == "There is no tag `zzzzzz`."
    assert no_such_tag({}, "plant") == "There is no tag `plant`."


@pytest.mark.parametrize("tag", ["plant", "#Plant/", "plant/shade", "PLANTING"])
def test_a_tag_that_is_there_is_nothing_to_tell(tag: str) -> None:
    assert no_such_tag(NOTES, tag) is None


def test_a_property_that_no_note_has_is_told_with_the_closest() -> None:
    assert no_such_property(NOTES, "heigt") == "There is no property `heigt`; the closest is `height`."
    assert no_such_property(NOTES, "zzzzzz", "x") == "There is no property `zzzzzz`."


def test_a_value_that_no_note_has_is_told_with_the_closest() -> None:
    assert no_such_property(NOTES, "status", "alvie") == (
        "No note has the value `alvie` in `status`; the closest is `Alive`."
    )
    assert no_such_property(NOTES, "height", 41) == "No note has the value `41` in `height`."
    assert no_such_property(NOTES, "status", "x", "y") == "No note has the value `x` or `y` in `status`."


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("STATUS", ()),
        ("status", ("missed",)),
        ("status", (None,)),
        ("height", ("40",)),
        ("status", ("x", "dead")),
        ("of", ("Rye",)),
    ],
)
def test_a_property_that_is_there_is_nothing_to_tell(name: str, values: tuple[Value, ...]) -> None:
    assert no_such_property(NOTES, name, *values) is None
