import re

import pytest

from bridge.errors import ModelMissing
from bridge.models.catalogue import (
    DEFAULT_MODEL,
    ModernBertSource,
    WheelSource,
    catalogue,
    find_in_catalogue,
    related_spec,
)


def test_the_default_model_comes_first_and_needs_no_hub() -> None:
    first = catalogue()[0]
    assert (first.id, first.source, first.url) == (DEFAULT_MODEL, "wheel", None)


def test_what_comes_from_wheels_is_pinned() -> None:
    sources = {spec.id: spec.made_from for spec in catalogue() if spec.source == "wheel"}
    assert set(sources) == {DEFAULT_MODEL, "multilingual-e5-small"}
    for source in sources.values():
        assert isinstance(source, WheelSource)
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", source.package)
        assert re.fullmatch("[0-9a-f]{64}", source.sha256)
        assert re.fullmatch("[0-9a-f]{64}", source.weights_sha256)


def test_every_model_has_its_own_name_and_a_home() -> None:
    specs = catalogue()
    assert len({spec.id for spec in specs}) == len(specs)
    others = [spec for spec in specs if spec.source != "wheel"]
    homes = [
        spec.made_from.weights.url if isinstance(spec.made_from, ModernBertSource) else spec.url for spec in others
    ]
    assert all(str(home).startswith("https://") for home in homes)


def test_the_models_that_want_prefixes_have_them() -> None:
    embedding = [spec for spec in catalogue() if spec.purpose == "embed"]
    assert {spec.id: (spec.query_prefix, spec.passage_prefix) for spec in embedding} == {
        "all-minilm-l6-v2": ("", ""),
        "bge-small-en-v1.5": ("Represent this sentence for searching relevant passages: ", ""),
        "granite-embedding-97m-multilingual-r2": ("", ""),
        "multilingual-e5-small": ("query: ", "passage: "),
        "nomic-embed-text-v1.5": ("search_query: ", "search_document: "),
        "embeddinggemma-300m": ("task: search result | query: ", "title: none | text: "),
    }


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ModelMissing, match="no model 'gpt-2'") as missing:
        find_in_catalogue("gpt-2")
    assert "nomic-embed-text-v1.5" in missing.value.hint


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("nomic-embed-text-v1.5.Q4_K_M", "nomic-embed-text-v1.5"),
        ("Multilingual_E5_Small-F16", "multilingual-e5-small"),
        ("embeddinggemma-300M-Q8_0", "embeddinggemma-300m"),
        ("snowflake-arctic-embed-xs", None),
        ("", None),
    ],
)
def test_a_foreign_file_is_recognised_by_its_name(name: str, id_: str | None) -> None:
    relative = related_spec(name)
    assert (relative.id if relative else None) == id_
