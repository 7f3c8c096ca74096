"""Requests made up from the description of the API: whatever is sent, the answer is as described."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from requests import Session
from schemathesis import Case, CheckContext, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from bridge.api.arguments import VAULT
from bridge.errors import BridgeError
from bridge.export.openapi import openapi
from bridge.features import get_operation
from tests.system.sidecar import Sidecar, serving

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"
MAX_WAIT_S = 600.0


@schemathesis.check
def rejection(context: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    """What the description does not allow is refused, unless it can mean one thing only, as `"limit": "5"` does."""
    sent = response.request.body
    if isinstance(sent, bytes | str) and not sent.strip():
        # No arguments, whatever else the description asks for.
        return None
    if not isinstance(case.body, dict):
        return negative_data_rejection(context, response, case)
    try:
        # Such as of `/api/pair`, which is no operation.
        operation = get_operation(case.path.rpartition("/")[2])
        operation.bind({name: value for name, value in case.body.items() if name != VAULT})
    except BridgeError:
        return negative_data_rejection(context, response, case)
    return None


CHECKED = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    rejection,
]


def uniform(schema: Any) -> Any:
    """Write pairs as lists of two: the fuzzer takes `prefixItems` for a list of another version of JSON Schema."""
    match schema:
        case {"prefixItems": [first, *_], **rest}:
            return {**uniform(rest), "items": first}
        case dict():
            return {name: uniform(part) for name, part in schema.items()}
        case list():
            return [uniform(part) for part in schema]
        case _:
            return schema


API = schemathesis.openapi.from_dict(uniform(openapi()))
ENDLESS = {"/api/events"}


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    folder = tmp_path_factory.mktemp("fuzzed")
    shutil.copytree(SAMPLE, folder / "sample")
    with serving(folder / "sample", data_dir=folder / "data", models_dir=folder / "none") as running:
        running.wait_indexed(vectors=False)
        yield running
        running.wait_indexed(vectors=False)
        assert "Traceback" not in running.errors()


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """One connection for all requests, without looking for a proxy before each."""
    with Session() as session:
        session.trust_env = False
        yield session


@pytest.mark.parametrize("path", [path for path in API if path not in ENDLESS])
def test_the_answer_is_as_described(bridge: Sidecar, session: Session, path: str) -> None:
    # Made here: what the library's own `parametrize` makes of all paths takes a gigabyte and as long as calling them.
    described = API.include(path=path)
    cases = st.one_of(*(described.as_strategy(mode) for mode in GenerationMode))

    @settings(max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(cases)
    def answered(case: Case[Any]) -> None:
        # The token of the runtime file changes no settings; what waits for long is not waited for.
        seconds = case.body.get("timeout") if isinstance(case.body, dict) else None
        if isinstance(case.body, dict) and isinstance(seconds, int | float) and 1 < seconds <= MAX_WAIT_S:
            case.body = {**case.body, "timeout": 0.01}
        headers = {"Authorization": f"Bearer {bridge.ready['token']}"}
        case.call_and_validate(base_url=bridge.ready["url"], headers=headers, checks=CHECKED, session=session)

    answered()
