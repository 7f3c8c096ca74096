"""Notes joined by what they mean, with the real model."""

from pathlib import Path

import pytest

from tests.features.served import Served

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.model, pytest.mark.usefixtures("restored")]

KRAUT = "Ferments/Vegetables/Sauerkraut im Steintopf.md"


async def test_notes_close_in_meaning_are_joined_both_ways(sample: Served) -> None:
    near = (await sample.call("graph_neighbours", path=KRAUT, kinds=["similar"])).json["nodes"]
    assert near
    for node in near:
        assert node["kinds"] == ["similar"]
        back = (await sample.call("graph_neighbours", path=node["path"], kinds=["similar"])).json["nodes"]
        assert KRAUT in {other["path"] for other in back}


async def test_a_step_says_how_close_two_notes_are(sample: Served) -> None:
    (first, *_) = (await sample.call("graph_neighbours", path=KRAUT, kinds=["similar"])).json["nodes"]
    ends = {"source": KRAUT, "target": first["path"]}
    (path,) = (await sample.call("graph_path", **ends, kinds=["similar"], alternatives=1)).json["paths"]
    says = path["steps"][0]["text"]
    assert says.startswith("close in meaning (0.")
    assert 0.5 <= float(says[len("close in meaning (") : -1]) <= 1


async def test_an_edited_note_is_measured_anew(sample: Served) -> None:
    root: Path = sample.bridge.find(None).root
    before = (await sample.call("graph_insights", parts=["stubs"])).json["counts"]["notes"]
    (root / "Fresh.md").write_text("[[Sauerkraut im Steintopf]]\n")
    try:
        assert (await sample.call("wait_until_indexed", path="Fresh.md", what="links", timeout=300)).json["indexed"]
        assert (await sample.call("graph_insights", parts=["hubs"])).json["counts"]["notes"] == before + 1
        near = (await sample.call("graph_neighbours", path="Fresh.md")).json["nodes"]
        assert [node["path"] for node in near] == [KRAUT]
    finally:
        (root / "Fresh.md").unlink()
        await sample.call("report_changes", changes=[{"kind": "delete", "path": "Fresh.md"}])
