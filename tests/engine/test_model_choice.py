"""Which model embeds a vault."""

from pathlib import Path

import pytest

from bridge.engine.model_pool import Embedders
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL, find_in_catalogue
from bridge.models.choice import ModelChoice
from bridge.models.folder import record_model, weights_path
from bridge.settings.schema import Settings
from bridge.types import Digest

ENGLISH, OTHERS = ModelChoice(DEFAULT_MODEL, "all English"), ModelChoice(MULTILINGUAL_MODEL, "few English")
BGE = "bge-small-en-v1.5"


@pytest.mark.parametrize(
    ("named", "installed", "choice", "used", "reason"),
    [
        ("", (DEFAULT_MODEL, MULTILINGUAL_MODEL), ENGLISH, DEFAULT_MODEL, "all English"),
        ("", (DEFAULT_MODEL, MULTILINGUAL_MODEL), OTHERS, MULTILINGUAL_MODEL, "few English"),
        (
            "",
            (DEFAULT_MODEL,),
            OTHERS,
            DEFAULT_MODEL,
            f"few English; {MULTILINGUAL_MODEL} would be used if it were installed",
        ),
        (
            "",
            (MULTILINGUAL_MODEL,),
            ENGLISH,
            MULTILINGUAL_MODEL,
            f"all English; {DEFAULT_MODEL} would be used if it were installed",
        ),
        (BGE, (DEFAULT_MODEL, BGE), OTHERS, BGE, "the settings name it"),
        (BGE, (DEFAULT_MODEL, BGE), None, BGE, "the settings name it"),
    ],
)
async def test_the_settings_come_first_then_what_fits_then_what_is_there(
    tmp_path: Path, named: str, installed: tuple[str, ...], choice: ModelChoice | None, used: str, reason: str
) -> None:
    for id_ in installed:
        weights_path(tmp_path, id_).write_bytes(b"GGUF")
        record_model(tmp_path, find_in_catalogue(id_), Digest("0" * 64), "a test")
    embedders = Embedders(tmp_path, Settings(model=named))
    model = await embedders.current(choice)
    assert model is not None
    assert (model.model.spec.id, embedders.reason(used, choice)) == (used, reason)
    assert embedders.trouble is None


@pytest.mark.parametrize(("named", "choice", "missing"), [("", OTHERS, MULTILINGUAL_MODEL), (BGE, OTHERS, BGE)])
async def test_a_missing_model_is_named_with_the_command_that_installs_it(
    tmp_path: Path, named: str, choice: ModelChoice, missing: str
) -> None:
    embedders = Embedders(tmp_path, Settings(model=named))
    assert await embedders.current(choice) is None
    assert embedders.trouble is not None
    assert embedders.trouble.hint == f"Run `vaultside models install {missing}`."


async def test_nothing_is_missing_before_the_notes_were_read(tmp_path: Path) -> None:
    embedders = Embedders(tmp_path, Settings())
    assert (await embedders.current(None), embedders.trouble) == (None, None)
