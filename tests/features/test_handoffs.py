"""Handoffs: a claim must be true when it is written, and is checked again when it is read."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec import convert

from bridge.access.tokens import Tokens
from bridge.features.handoffs.handoff_note import Proof, find_gap
from bridge.features.handoffs.operations import TakenHandoff
from bridge.mcp.text import format_result
from bridge.settings.file import save_settings
from bridge.text.budget import estimate_tokens
from bridge.types import VaultPath
from tests.features.served import PATIENCE_S, Answer, Served, serving, write_vault
from tests.mcp.client import connected, text_of

NOTES = {
    "Parser.md": "---\nstatus: draft\nsteps: [one, two]\n---\n# Parser\n\n## Footnotes\n\n"
    "The chunker has 249 lines.\n\n- [ ] Write the property test\n- [x] Read the grammar\n\nSee [[Dates]].\n",
    "Dates.md": "# Dates\n\nDates are parsed once.\n",
    "Secret.md": "# Secret\n\nThe klepthorn.\n",
    "data.bin": "bytes",
}
BASE = {"goal": "Parse the footnotes", "state": "The grammar is read.", "next_action": "Write the property test."}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await served.call("set_up_memory", templates=False)
        yield served


@pytest.fixture(autouse=True)
def _written_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly a change is written, let it be known whose it is."""
    monkeypatch.setattr("bridge.features.handoffs.operations.WRITTEN_WITHIN_S", 30.0)


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def hand_over(served: Served, *proofs: dict[str, Any] | None, **arguments: Any) -> Answer:
    claims = [{"text": f"Claim {at}{said(proof)}", "proof": proof} for at, proof in enumerate(proofs, start=1)]
    return await served.call("hand_over", **{**BASE, "claims": claims, **arguments})


def said(proof: Any) -> str:
    """Return what a claim says of a quote or heading."""
    quoted = proof and (proof.get("quote") or proof.get("heading"))
    return f": {' '.join(quoted.split())}" if quoted else ""


async def take_over(served: Served, **arguments: Any) -> Any:
    return await served.result("take_over", **arguments)


async def grow(served: Served) -> None:
    """Make a quoted line of the note untrue."""
    digest = (await served.call("read_note", path="Parser.md")).json["digest"]
    edits = [{"op": "replace_text", "old": "249", "new": "261"}]
    assert (await served.call("edit_note", path="Parser.md", edits=edits, digest=digest)).status == 200


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


TRUE: tuple[dict[str, Any], ...] = (
    {"path": "Parser.md", "quote": "The chunker has\n249 lines."},
    {"path": "[[Parser]]", "digest": sha256(NOTES["Parser.md"])[:12]},
    {"path": "Parser.md", "heading": "Parser > Footnotes"},
    {"path": "Parser.md", "property": "Status", "value": "draft"},
    {"path": "Parser.md", "property": "steps", "value": ["one", "two"]},
    {"path": "Parser.md", "property": "owner"},
    {"task": "Parser.md:11 Write the property test", "status": "open"},
    {"task": "Parser.md:12", "status": "x"},
    {"link": "Parser.md → Dates.md"},
    {"file": "data.bin", "sha256": sha256("bytes")},
)

FALSE: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"path": "Parser.md", "quote": "The chunker has 261 lines."},
        "it lacks the quote; the nearest line is 9: “The chunker has 249 lines.”",
    ),
    ({"path": "Parser.md", "digest": "0" * 12}, f"its digest is {sha256(NOTES['Parser.md'])[:12]}"),
    ({"path": "Parser.md", "heading": "Endnotes"}, "its headings are `Parser`, `Parser > Footnotes`."),
    ({"path": "Parser.md", "property": "status", "value": "done"}, "`status` is draft"),
    ({"path": "Parser.md", "property": "owner", "value": "me"}, "it has no property `owner`"),
    ({"task": "Parser.md:11 Write the property test", "status": "done"}, "its box is [ ], in line 11"),
    ({"task": "Parser.md:11 Bake bread", "status": "open"}, "there is no such task in the note"),
    ({"task": "Bake bread"}, "a task is named as `path:line text`"),
    ({"link": "Dates.md -> Parser.md"}, "it links there no longer"),
    ({"file": "data.bin", "sha256": sha256("other")}, f"its SHA-256 is {sha256('bytes')[:12]}…"),
    ({"path": "Nowhere.md", "quote": "x"}, "there is no `Nowhere.md`"),
    ({"change_id": "1", "state": "applied"}, "the change is not known"),
)


async def test_a_claim_without_a_proof_is_written_without_a_box(served: Served) -> None:
    made = await hand_over(served, {}, None)
    assert made.status == 200, made.body
    assert "- Claim 1\n- Claim 2\n" in (root(served) / made.json["path"]).read_text(encoding="utf-8")
    found = await take_over(served, peek=True)
    assert [(one["verdict"], one["why"]) for one in found["claims"]] == [("unchecked", "no proof was given")] * 2


@pytest.mark.parametrize(
    ("proof", "form"),
    [
        ({"path": "Parser.md"}, "`{path, quote}`"),
        ({"path": "Parser.md", "task": "Read the grammar", "status": "done"}, "`path:line text`"),
        ({"path": "Parser.md", "link": "Dates"}, "`path → path`"),
        ({"link": "Dates"}, "`path → path`"),
        ({"path": "Parser.md", "quote": "249", "heading": "Parser"}, "`{path, quote}`"),
        ({"status": "open"}, "`{task, status}`"),
        ({"quote": "249"}, "`{path, quote}`"),
        ({"url": "https://example.org", "result": "ok"}, "`{url}`"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
async def test_a_proof_of_no_form_is_refused_with_the_form(
    served: Served, proof: dict[str, Any], form: str, *, dry_run: bool
) -> None:
    refused = await hand_over(served, TRUE[0], proof, dry_run=dry_run)
    assert (refused.code, refused.json["error"]["claims"]) == ("invalid_arguments", [2])
    assert form in refused.json["error"]["message"]


@pytest.mark.parametrize(
    ("claim", "quote", "gap"),
    [
        ("Il canone è di 1200 euro", "Il canone sarà di 900 euro", "its proof says 900, not 1200"),
        ("The rent is 1,200 euros", "The rent is 900 euros", "its proof says 900, not 1200"),
        ("Die Miete beträgt 1.200 Euro", "Die Miete beträgt 1200 Euro", None),
        ("房租是1200元", "房租是900元", "its proof says 900, not 1200"),
        ("The exam is on 4 May", "Exam: 2026-05-03", "its proof says 2026-05-03, not 4"),
        ("The exam is on 3 May", "Exam: 2026-05-03", None),
        ("L'examen est le 3 mai 2026", "Examen : 03/05/2026", None),
        ("The theme is by Kepano", "The theme is by Steph Ango", "its proof says “The theme is by Steph Ango”"),
        ("Le thème est de Kepano", "Le thème est de Kepano", None),
        ("Der Vertrag endet im Januar", "Der Vertrag endet im Februar", "says “Der Vertrag endet im Februar”"),
        ("Тему написав Кепано", "Тему написав Анго", "its proof says “Тему написав Анго”"),
        ("Il gatto dorme", "Il canone sarà di 900 euro", "says none of its words"),
        ("La casa è al mare", "Il canone sarà di 900 euro", "says none of its words"),
        ("Un chat dort", "Un loyer cher", "says none of its words"),
        ("De kat slaapt", "De huur is hoog", "says none of its words"),
        ("Der Kater schläft", "Der Mietzins steigt", "says none of its words"),
        ("The rent is paid", "Il canone è stato pagato", None),
        ("The rent is 1200", "Il canone è di 900", "its proof says 900, not 1200"),
        ("The notes are translated", "Нотатки перекладено", None),
        ("The chapter is finished", "Chapter 3: the end", None),
    ],
)
def test_a_quote_shows_its_claim_in_any_language(claim: str, quote: str, gap: str | None) -> None:
    found = find_gap(claim, Proof(path=VaultPath("a.md"), quote=quote))
    assert (found is None) == (gap is None)
    assert (gap or "") in (found or "")


def test_a_value_shows_the_number_of_its_claim() -> None:
    rent = Proof(path=VaultPath("a.md"), property="rent", value=900)
    assert find_gap("The rent is 1200 euros", rent) == "its proof says 900, not 1200"
    assert find_gap("The rent is 900 euros", rent) is None


async def test_true_claims_are_written_and_still_hold(served: Served) -> None:
    made = await hand_over(
        served, *TRUE, {"command": "make test", "result": "ok"}, {"url": "https://example.org"}, None
    )
    assert made.status == 200, made.body
    note = (root(served) / made.json["path"]).read_text(encoding="utf-8")
    assert (note.count("- [x] Claim"), note.count("- Claim")) == (len(TRUE), 3)
    assert "> Write the property test." in note
    found = await take_over(served, peek=True, budget=8_000)
    assert [one["verdict"] for one in found["claims"]] == ["still_true"] * len(TRUE) + ["unchecked"] * 3
    assert (found["goal"], found["state"], found["next_action"]) == tuple(BASE.values())


@pytest.mark.parametrize(("proof", "why"), FALSE)
async def test_a_false_claim_is_refused_with_what_is_true(served: Served, proof: dict[str, Any], why: str) -> None:
    refused = await hand_over(served, TRUE[0], proof)
    assert (refused.status, refused.code) == (400, "invalid_arguments")
    assert refused.json["error"]["message"].startswith(f"Claim 2, “Claim 2{said(proof)}”, is not true: ")
    assert why in refused.json["error"]["message"]
    assert not list((root(served) / "Agents").rglob("Handoffs/*"))


async def test_every_false_claim_is_named(served: Served) -> None:
    (first, _), (second, why) = FALSE[:2]
    refused = await hand_over(served, first, TRUE[0], second)
    assert refused.json["error"]["claims"] == [1, 3]
    assert "Claim 3, “Claim 3”, is not true: " in refused.json["error"]["message"]
    assert why in refused.json["error"]["message"]


@pytest.mark.parametrize(
    ("text", "proof", "why"),
    [
        ("All mixes are linked", {"quote": "249"}, "its proof says none of its words"),
        ("Alle Fußnoten sind fertig", {"quote": "249"}, "its proof says none of its words"),
        ("Nothing links to the parser", {"heading": "Parser"}, "does not show what is not so"),
        ("The chunker has no 300 lines", {"quote": "The chunker has 249 lines."}, "does not show what is not so"),
        ("The chunker has 249 lines", {"quote": "The chunker has 249 lines."}, None),
        ("Der Chunker zählt und ist 249 Zeilen lang", {"quote": "249 lines"}, None),
        ("解析器已经完成", {"quote": "The chunker has 249 lines."}, None),
        ("Nobody owns the parser", {"property": "owner"}, None),
        ("Nothing was written there since", {"digest": sha256(NOTES["Parser.md"])}, None),
    ],
)
async def test_a_proof_must_bear_on_its_claim(
    served: Served, text: str, proof: dict[str, Any], why: str | None
) -> None:
    claims = [{"text": "Parser", "proof": TRUE[2]}, {"text": text, "proof": {"path": "Parser.md", **proof}}]
    answer = await served.call("hand_over", **BASE, claims=claims)
    if why is None:
        assert answer.status == 200, answer.body
        return
    assert (answer.code, answer.json["error"]["claims"]) == ("invalid_arguments", [2])
    assert answer.json["error"]["message"].startswith(f"Claim 2, “{text}”, is not proved: ")
    assert why in answer.json["error"]["message"]
    assert "`value` is null" in answer.json["error"]["hint"]


async def test_each_claim_is_checked_again_when_it_is_read(served: Served) -> None:
    made = (await hand_over(served, *TRUE[:3], {"path": "Dates.md", "quote": "parsed once"}, TRUE[6])).json
    await grow(served)
    await served.call("move_note", path="Dates.md", to="Archive/Old dates.md")
    await served.call("toggle_task", path="Parser.md", line=11, text="Write the property test")
    found = await take_over(served, path=made["path"])
    verdicts = {one["text"].partition(":")[0]: (one["verdict"], one["why"]) for one in found["claims"]}
    assert verdicts["Claim 1"] == ("changed", "it lacks the quote; the nearest line is 9: “The chunker has 261 lines.”")
    assert verdicts["Claim 2"][0] == "changed"
    assert verdicts["Claim 3"] == ("still_true", "")
    assert verdicts["Claim 4"] == ("still_true", "moved to `Archive/Old dates.md`")
    assert verdicts["Claim 5"] == ("changed", "its box is [x], in line 11")
    assert [one["verdict"] for one in found["claims"]] == ["changed"] * 3 + ["still_true"] * 2
    changed = {one["path"]: one["changes"] for one in found["changed_since"]}
    assert changed == {"Archive/Old dates.md": 1, "Parser.md": 3}
    assert [one["modified"] for one in found["changed_since"]] == [None, None]
    (root(served) / "Parser.md").unlink()
    gone = await take_over(served, path=made["path"], peek=True)
    assert [one["verdict"] for one in gone["claims"]].count("gone") == 4


async def test_a_change_is_a_proof_until_it_is_undone(served: Served) -> None:
    change = (await served.call("create_note", path="New.md", text="New.")).json["change_id"]
    assert (await hand_over(served, {"change_id": change, "state": "applied"})).status == 200
    await served.call("undo_change", change_id=change)
    [claim] = (await take_over(served, peek=True))["claims"]
    assert (claim["verdict"], claim["why"]) == ("changed", "the change is undone")


async def test_the_newest_for_me_or_anybody_is_taken_once(served: Served) -> None:
    _, token = Tokens(served.bridge.folders.tokens).create("codex", ["read", "write"])
    for goal, to in (("For anybody", None), ("For codex", "Codex"), ("For another", "cursor")):
        assert (await hand_over(served, goal=goal, to=to)).status == 200
    headers = {"Authorization": f"Bearer {token}"}

    async def take(data: bytes = b"{}") -> Answer:
        return await served.request("POST", "/api/take_over", headers=headers, data=data)

    assert (await take(b'{"peek": true}')).json["goal"] == "For codex"
    assert [(await take()).json["goal"] for _ in range(2)] == ["For codex", "For anybody"]
    none = await take()
    assert (none.status, none.json["error"]["message"]) == (404, "No handoff waits.")
    [note] = (root(served) / "Agents/Handoffs").glob("*codex.md")
    assert "\nstatus: taken\n" in note.read_text()
    assert "\ntaken_by: codex\n" in note.read_text()


async def test_what_a_person_changed_since_is_listed(served: Served) -> None:
    assert (await served.call("edit_note", path="Dates.md", edits=[{"op": "append", "text": "Once."}])).status == 200
    made = (await hand_over(served, {"path": "Parser.md", "heading": "Parser"}, artifacts=["Dates.md"])).json
    assert (await take_over(served, path=made["path"], peek=True))["changed_since"] == []
    file = root(served) / "Parser.md"
    file.write_text(file.read_text() + "\nWritten by hand.\n")
    later = file.stat().st_mtime + 60
    os.utime(file, (later, later))
    await served.call("report_changes", changes=[{"kind": "upsert", "path": "Parser.md"}])
    await served.call("wait_until_indexed", path="Parser.md")
    [changed] = (await take_over(served, path=made["path"], peek=True))["changed_since"]
    assert (changed["path"], changed["changes"], changed["clients"]) == ("Parser.md", 0, [])
    assert datetime.fromisoformat(changed["modified"]).timestamp() == pytest.approx(later, abs=1)


async def test_taking_over_needs_writing_and_peeking_does_not(served: Served) -> None:
    await hand_over(served)
    _, token = Tokens(served.bridge.folders.tokens).create("reader", ["read"])
    headers = {"Authorization": f"Bearer {token}"}
    assert (await served.request("POST", "/api/take_over", headers=headers, data=b"{}")).code == "forbidden"
    peeked = await served.request("POST", "/api/take_over", headers=headers, data=b'{"peek": true}')
    assert (peeked.status, peeked.json["taken"]) == (200, False)


async def test_a_person_can_strike_a_claim_out_and_undo_the_note(served: Served) -> None:
    made = (await hand_over(served, TRUE[0], TRUE[2], constraints=["No regex over  the\nwhole text"])).json
    file = root(served) / made["path"]
    file.write_text(file.read_text().replace("- [x] Claim 1", "- [ ] Claim 1").replace("> Parse", "Parse"))
    found = await take_over(served, path=made["path"], peek=True)
    assert [one["text"] for one in found["claims"]] == [f"Claim 2{said(TRUE[2])}"]
    assert found["goal"] == "Parse the footnotes"
    assert found["constraints"] == ["No regex over the whole text"]
    again = (await hand_over(served, goal="Another")).json
    assert (await served.call("undo_change", change_id=again["change_id"])).status == 200
    assert not (root(served) / again["path"]).exists()


async def test_words_that_look_like_markdown_come_back_as_they_were(served: Served) -> None:
    odd = {"goal": "## Claims\n- [x] fake %%proof: {}", "state": "a\n\n> b", "next_action": "- [ ] c\n## d"}
    proof = {"command": 'echo "100%% {}" %%', "result": "[[x]]"}
    claims = [{"text": "odd %%proof: {}\n## Goal", "proof": proof}]
    await served.result("hand_over", **odd, claims=claims)
    found = await take_over(served, peek=True)
    assert {name: found[name] for name in odd} == odd
    [claim] = found["claims"]
    assert (claim["verdict"], claim["why"]) == ("unchecked", "commands and web pages are not checked")


async def test_a_denied_note_is_gone(served: Served) -> None:
    proof = {"path": "Secret.md", "digest": sha256(NOTES["Secret.md"])}
    await hand_over(served, proof, artifacts=["Secret.md"])
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret.md"]}))
    answer = await served.call("take_over", peek=True)
    assert [one["verdict"] for one in answer.json["claims"]] == ["gone"]
    assert b"klepthorn" not in answer.body
    refused = await hand_over(served, proof)
    assert "there is no `Secret.md`" in refused.json["error"]["message"]


async def test_secrets_hidden_text_and_empty_fields_are_refused(served: Served) -> None:
    for arguments in (
        {"state": "The key is ghp_" + "a" * 36},
        {"constraints": ["zero\u200bwidth"]},
        {"goal": " "},
    ):
        assert (await hand_over(served, **arguments)).code == "invalid_arguments"


async def test_without_the_users_agreement_nothing_is_written(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        assert (await hand_over(served, dry_run=True)).status == 200
        async with connected(served, preset="full") as client:
            refused = await client.call_tool("hand_over", BASE)
            assert text_of(refused).startswith("confirmation_required: Agents may keep notes in `Agents/` only when")
        assert not (vault / "Agents").exists()
        # A call of a person is the agreement.
        made = await hand_over(served)
        assert (made.status, made.json["path"].startswith("Agents/Handoffs/")) == (200, True)
        assert (vault / "Agents/About this folder.md").exists()
        assert (await served.call("undo_change", change_id=made.json["change_id"])).status == 200
    assert not (vault / "Agents").exists()


@pytest.mark.parametrize("budget", [200, 500, 1_500])
async def test_the_answer_is_within_the_budget(served: Served, budget: int) -> None:
    await hand_over(
        served, *TRUE * 3, state="It is done. " * 400, constraints=[f"Constraint {n} " * 20 for n in range(20)]
    )
    found = await take_over(served, peek=True, budget=budget)
    assert found["goal"] == BASE["goal"]
    assert found["left_out"]
    words = [value for name, value in found.items() if name not in {"left_out", "taken"}]
    assert estimate_tokens("".join(map(str, words))) <= 1.1 * budget


async def test_an_agent_reads_what_to_mistrust_first(served: Served) -> None:
    await hand_over(served, TRUE[2], TRUE[0])
    await grow(served)
    async with connected(served, preset="full") as client:
        said = text_of(await client.call_tool("take_over", {}))
    assert "\nnext action: Write the property test.\n" in said
    assert said.index("\n- changed: Claim 2: The chunker has 249 lines. (it lacks the quote;") < said.index(
        "\n- proof still holds: Claim 1"
    )


async def test_the_handoffs_that_wait_are_found_and_looked_at(served: Served) -> None:
    async def waiting() -> list[str]:
        asked = {"among": "agents", "properties": {"type": "handoff"}, "where": 'status != "taken"', "sort": "-created"}
        return [one["path"] for one in (await served.call("find_notes", **asked)).json["notes"]]

    assert await waiting() == []
    quote = {"path": "Parser.md", "quote": "The chunker has 249 lines."}
    first = (await hand_over(served, {"path": "Dates.md", "heading": "Dates"}, quote)).json["path"]
    other = (await hand_over(served, goal="Bake bread", to="pen")).json["path"]
    await grow(served)
    assert {*await waiting()} == {first, other}
    found = (await served.call("take_over", path=first, peek=True)).json
    assert (found["agent"], found["to"], found["next_action"]) == ("Python", None, BASE["next_action"])
    assert [claim["verdict"] for claim in found["claims"]] == ["changed", "still_true"]
    assert (await served.call("take_over", path=other, peek=True)).json["to"] == "pen"
    await take_over(served, path=other)
    await served.call("wait_until_indexed", path=other)
    assert await waiting() == [first]


async def test_one_of_several_clients_takes_a_handoff_over(served: Served) -> None:
    await hand_over(served)
    answers = await asyncio.gather(*(served.call("take_over") for _ in range(4)))
    assert sorted(answer.status for answer in answers) == [200, 404, 404, 404]


async def test_when_a_handoff_was_written_is_told_in_local_time(served: Served) -> None:
    path = root(served) / (await hand_over(served)).json["path"]
    words = path.read_text(encoding="utf-8")
    (line,) = (one for one in words.splitlines() if one.startswith("created: "))
    path.write_text(words.replace(line, "created: 2026-01-31T23:30:00+14:00"), encoding="utf-8")
    here = datetime.fromisoformat("2026-01-31T23:30:00+14:00").astimezone()
    async with asyncio.timeout(PATIENCE_S):
        while (found := await take_over(served, peek=True))["created"] != here.isoformat():
            await asyncio.sleep(0.01)
    assert f" · {here:%Y-%m-%dT%H:%M}\n" in format_result(convert(found, TakenHandoff), quotes=False)
