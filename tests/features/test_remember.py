"""What is remembered is a note that a person can read; nothing is remembered twice or against another memory."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from bridge.access.tokens import Tokens
from bridge.settings.file import save_settings
from bridge.text.budget import estimate_tokens
from tests.features.served import Answer, Served, serving, write_vault

NOTES = {"Oven.md": "# Oven\n\nBuilt of [[clay]].\n", "Rye bread.md": "Bread.\n"}

ABOUT = "Agents/About this folder.md"
FIRED = {"title": "Firing days", "text": "The oven is fired every second Saturday before sunrise."}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await served.call("set_up_memory", templates=False)
        yield served


def root(served: Served) -> Path:
    return served.bridge.find(None).root


def memories(served: Served) -> list[str]:
    return sorted(path.name for path in (root(served) / "Agents").rglob("*.md") if path.name != "About this folder.md")


async def remember(served: Served, title: str, text: str, **arguments: Any) -> Any:
    return await served.result("remember", title=title, text=text, **arguments)


async def test_a_memory_is_a_note(served: Served) -> None:
    made = await remember(
        served,
        "Why clay: it breathes",
        "Clay takes up the steam. See [[Oven]].",
        kind="decision",
        tags=["#oven", "build"],
        aliases=["loam"],
        scope=["project:oven"],
        about=["Oven.md", "[[Rye bread]]"],
        metadata={"source": "Hans", "valid_from": "2026-01-01"},
        confidence=0.9,
        expires="2030-01-01",
        pinned=True,
    )
    assert made["path"] == "Agents/Memory/Why clay it breathes.md"
    head, _, body = (root(served) / made["path"]).read_text().removeprefix("---\n").partition("---\n")
    assert body == "Clay takes up the steam. See [[Oven]].\n"
    written = [line for line in head.splitlines() if not line.startswith(("id: memory-20", "created: 20", "session: "))]
    assert written == [
        *("type: memory", "kind: decision", 'title: "Why clay: it breathes"'),
        *("tags:", "  - oven", "  - build", "aliases:", "  - loam", "scope:", "  - project:oven"),
        *("about:", '  - "[[Oven]]"', '  - "[[Rye bread]]"', "agent: Python"),
        *("confidence: 0.9", "expires: 2030-01-01", "pinned: true", "source: Hans", "valid_from: 2026-01-01"),
    ]
    links = (await served.call("note_links", path="Oven.md")).json["backlinks"]
    assert {link["path"] for link in links} == {made["path"]}
    assert (await served.call("undo_change", change_id=made["change_id"])).status == 200
    assert memories(served) == []


async def test_the_same_words_are_the_same_memory(served: Served) -> None:
    first = await remember(served, **FIRED)
    again = await remember(served, "Another title", FIRED["text"].upper() + "\n")
    assert again["existing"]
    assert again["change_id"] is None
    assert again["path"] == first["path"]
    assert again["digest"] == first["digest"]
    assert memories(served) == ["Firing days.md"]
    (root(served) / first["path"]).write_text((root(served) / first["path"]).read_text() + "\nNow on Sundays, too.\n")
    await served.call("wait_until_indexed", path=first["path"])
    assert not (await remember(served, **FIRED, confirm=True))["existing"]


async def test_the_same_words_of_two_clients_are_one_memory_unless_private(served: Served) -> None:
    tokens = Tokens(served.bridge.folders.tokens)

    async def remember_as(name: str, **arguments: Any) -> Any:
        token = tokens.create(name, ["read", "write"])[1]
        headers = {"Authorization": f"Bearer {token}"}
        data = orjson.dumps({**FIRED, **arguments})
        answer = await served.request("POST", "/api/remember", headers=headers, data=data)
        assert answer.status == 200, answer.body
        return answer.json

    hidden = await remember_as("quill", private=True)
    first = await remember_as("nib")
    again = await remember_as("plume")
    assert not first["existing"]
    assert (again["existing"], again["path"]) == (True, first["path"])
    ids = {(root(served) / one["path"]).read_text().splitlines()[1] for one in (hidden, first)}
    assert len(ids) == 2


async def test_nearly_the_same_must_be_confirmed(served: Served) -> None:
    first = await remember(served, **FIRED)
    nearly = {"title": "When", "text": "Every second Saturday before sunrise the oven is fired."}
    refused = await served.call("remember", **nearly)
    assert refused.code == "confirmation_required"
    assert refused.json["error"]["path"] == first["path"]
    assert "`supersedes`" in refused.json["error"]["hint"]
    tried = await remember(served, **nearly, dry_run=True)
    assert tried["confirmation"] == f"`{first['path']}` says nearly the same."
    assert [(one["path"], one["contradicts"]) for one in tried["like"]] == [(first["path"], False)]
    assert memories(served) == ["Firing days.md"]
    made = await remember(served, **nearly, supersedes=[first["path"]])
    old = (root(served) / first["path"]).read_text()
    assert 'superseded_by: "[[When]]"' in old
    assert "valid_until: 20" in old
    assert 'supersedes:\n  - "[[Firing days]]"' in (root(served) / made["path"]).read_text()
    await served.call("undo_change", change_id=made["change_id"])
    assert "superseded_by" not in (root(served) / first["path"]).read_text()
    assert memories(served) == ["Firing days.md"]


async def test_another_value_for_the_same_thing_is_a_conflict(served: Served) -> None:
    await remember(served, "Oven heat", "The oven is fired at 450 degrees.", kind="fact")
    made = await remember(served, "oven_heat", "The oven is fired at 420 degrees.", kind="fact")
    assert [one["contradicts"] for one in made["like"]] == [True]
    assert 'conflicts_with:\n  - "[[Oven heat]]"' in (root(served) / made["path"]).read_text()
    (newer,) = (await served.call("list_memories")).json["memories"]
    assert (newer["path"], newer["conflicts"]) == (made["path"], ["Oven heat"])


async def test_a_decision_that_revokes_a_plan_is_told_in_its_place(served: Served) -> None:
    title, about = "Spelling of Oven", ["Oven"]
    await remember(served, title, "Rename the note once the exam is over.", about=about, kind="plan")
    made = await remember(served, title, "Changed their mind: rename it now.", about=about, kind="decision")
    assert [one["contradicts"] for one in made["like"]] == [True]
    found = (await served.call("recall", query="spelling of the oven")).json
    assert [one["path"] for one in found["memories"]] == [made["path"]]
    told = (await served.call("brief", task="Rename the oven")).json["text"]
    assert "Decision: Spelling of Oven" in told
    assert "CONTRADICTS: Spelling of Oven" in told
    assert "Plan:" not in told


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        (
            ("Which release counts", "The 2015 release of Backwards is canonical.", "fact"),
            ("Backwards", "The 2015 release of Backwards is no longer canonical, the demo tape is.", "decision"),
            "which release of Backwards is canonical",
        ),
        (
            ("Vorlage", "Angebote schreiben wir mit der Vorlage von Word.", "decision"),
            ("Angebote künftig", "Angebote schreiben wir statt mit der Vorlage von Word mit Typst.", "instruction"),
            "Angebote mit der Vorlage schreiben",
        ),
        (
            ("笔记命名", "读书笔记用书名命名。", "plan"),
            ("命名规则", "读书笔记不再用书名命名，改用作者。", "decision"),
            "读书笔记怎么命名",
        ),
    ],
)
async def test_what_was_revoked_in_other_words_is_not_told_any_more(
    served: Served, old: tuple[str, str, str], new: tuple[str, str, str], query: str
) -> None:
    (first, second) = [await remember(served, title, text, kind=kind) for title, text, kind in (old, new)]
    assert [one["path"] for one in second["like"] if one["contradicts"]] == [first["path"]]
    found = (await served.call("recall", query=query)).json
    told = [one["path"] for part in ("memories", "standing") for one in found[part]]
    assert told == [second["path"]]
    text = (await served.call("brief", task=query)).json["text"]
    assert f"CONTRADICTS: {old[0]}" in text
    assert old[1] not in text


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        (("Dentist", "The dentist is Dr. Lee."), ("Change", "We switched from Dr. Lee to Dr. Kim."), "dentist"),
        (
            ("Hosting", "Il sito è ospitato su Netlify."),
            ("Trasloco", "Siamo passati da Netlify a Cloudflare."),
            "hosting",
        ),
        (("Хостинг", "Сайт розміщено на Netlify."), ("Переїзд", "Ми перейшли з Netlify на Cloudflare."), "хостинг"),
        (("托管", "网站托管在Netlify上。"), ("搬迁", "我们从Netlify迁移到了Cloudflare。"), "托管"),
        (
            ("Dentiste", "Le dentiste est le Dr Lee."),
            ("Nouveau", "Nous avons quitté le Dr Lee pour le Dr Kim."),
            "dentiste",
        ),
        (
            ("Chor", "Die Probe des Chors ist um 19 Uhr."),
            ("Zeit", "Die Probe ist ab jetzt um 20 Uhr."),
            "Wann ist der Chor?",
        ),
    ],
)
async def test_what_was_before_leads_to_what_is_now(
    served: Served, old: tuple[str, str], new: tuple[str, str], query: str
) -> None:
    await remember(served, *old, kind="fact")
    later = await remember(served, *new, kind="fact")
    found = (await served.call("recall", query=query)).json["memories"]
    assert [(one["path"], one["conflicts"]) for one in found] == [(later["path"], [old[0]])]
    assert f"It contradicts `{old[0]}`" in found[0]["why"][0]
    text = (await served.call("brief", task=f"{query} {query}")).json["text"]
    assert new[1] in text
    assert old[1] not in text


async def test_the_last_of_several_changes_is_told(served: Served) -> None:
    await remember(served, "Hosting", "The website is hosted by Netlify.", kind="fact")
    second = await remember(served, "Move", "We moved from Netlify to Cloudflare.", kind="fact")
    third = await remember(served, "Another move", "We moved from Cloudflare to Hetzner.", kind="fact")
    for query in ("hosting", "where is the website hosted?", "move"):
        found = (await served.call("recall", query=query)).json["memories"]
        assert [one["path"] for one in found] == [third["path"]]
    await served.call("forget_memory", path=third["path"])
    assert [one["path"] for one in (await served.call("recall", query="hosting")).json["memories"]] == [second["path"]]


async def test_a_revoked_plan_is_told_again_once_nothing_contradicts_it(served: Served) -> None:
    plan = await remember(served, "Newsletter", "The newsletter starts on 3 May.", kind="plan")
    later = await remember(served, "Start moved", "The start of the newsletter was postponed to June.", kind="decision")

    async def told() -> set[str]:
        return {one["path"] for one in (await served.call("list_memories")).json["memories"]}

    assert await told() == {later["path"]}
    await served.call("set_properties", path=later["path"], remove=["conflicts_with"])
    assert await told() == {later["path"], plan["path"]}
    await served.call("forget_memory", path=later["path"])
    assert await told() == {plan["path"]}


async def test_what_a_session_decided_is_recalled_and_told(served: Served) -> None:
    line = "No cover image on the Dais page: the label gave no permission"
    saved = await served.result("save_session", decisions=[line])
    asked = "Which heading comes first on the Dais page?"
    await served.call("save_session", outcomes=["Rye was moved to the shelf"], open_questions=[asked])
    path = saved["path"]
    await served.call("wait_until_indexed", path=path)
    found = (await served.call("recall", query="why is there no cover image on the Dais page")).json
    assert [(one["path"], one["what"], one["text"]) for one in found["sessions"]] == [(path, "decision", line)]
    assert (await served.call("recall", query="when is the oven fired")).json["sessions"] == []
    assert (await served.call("recall", query="cover image Dais", kinds=["fact"])).json["sessions"] == []
    # A later session is told what fits its task.
    journal = root(served) / path
    journal.write_text(re.sub(r"session: .*", "session: earlier", journal.read_text()))
    await served.call("wait_until_indexed", path=path)
    told = (await served.call("brief", task="Continue the Dais page")).json["text"]
    assert f"Decision: {line}" in told
    assert f"Question: {asked}" in told
    assert told.index(line) < told.index(asked) < told.index("Outcome: Rye was moved to the shelf")


async def test_what_says_more_than_was_recalled_is_not_passed_over(served: Served) -> None:
    await remember(served, "Cat", "The cat may sleep on the sofa in the kitchen.", kind="fact")
    await remember(served, "Seat", "Prefers a window seat in every train to the north.", kind="fact")
    for query, title in (("cat on the sofa", "Cat"), ("window seat in the train", "Seat")):
        assert [one["title"] for one in (await served.call("recall", query=query)).json["memories"]] == [title]
    again = await remember(served, "Sofa", "The cat may sleep on the sofa in the kitchen!", kind="fact")
    assert (again["existing"], len(memories(served))) == (True, 2)
    contrary = await remember(served, "Sofa", "The cat may not sleep on the sofa in the kitchen.", kind="fact")
    assert not contrary["existing"]
    assert [one["contradicts"] for one in contrary["like"]] == [True]
    aisle = {"title": "Aisle", "text": "Prefers an aisle seat in every train to the north.", "kind": "fact"}
    changed = await remember(served, **aisle)
    assert (changed["existing"], [one["contradicts"] for one in changed["like"]]) == (False, [True])
    assert len(memories(served)) == 4


async def test_what_is_known_replaces_nothing_unsaid(served: Served) -> None:
    known = await remember(served, "Oven heat", "The oven is fired at 450 degrees.", kind="fact")
    old = await remember(served, "Heat", "It takes an hour to warm the room.", kind="fact")
    refused = await served.call(
        "remember", title="Heat", text="The oven is fired at 450 degrees.", supersedes=[old["path"]]
    )
    assert refused.code == "invalid_arguments"
    assert f"`{known['path']}` as `by`" in refused.json["error"]["hint"]
    assert "superseded_by" not in (root(served) / old["path"]).read_text()


async def test_two_at_once_are_one(served: Served) -> None:
    answers = await asyncio.gather(*(served.call("remember", **FIRED) for _ in range(5)))
    assert sorted(answer.json["existing"] for answer in answers) == [False, True, True, True, True]
    assert memories(served) == ["Firing days.md"]


async def test_what_is_over_is_not_remembered_again_unasked(served: Served) -> None:
    first = await remember(served, **FIRED)
    path = root(served) / first["path"]
    path.write_text(path.read_text().replace("type: memory", "type: memory\ntier: archived"))
    await served.call("wait_until_indexed", path=first["path"])
    refused = await served.call("remember", **FIRED)
    assert refused.code == "confirmation_required"
    assert "is over" in refused.json["error"]["message"]
    assert not (await remember(served, **FIRED, confirm=True))["existing"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"text": " \n"}, "`text` is empty"),
        ({"title": ""}, "`title` is empty"),
        ({"title": "x" * 501}, "`title` must be a string of at most 500"),
        ({"text": "x" * 51_201}, "`text` must be a string of at most 51,200"),
        ({"tags": ["x"] * 21}, "`tags` may have at most 20 items"),
        ({"tags": ["x" * 101]}, "100"),
        ({"metadata": {"note": "x" * 10_240}}, "`metadata` is longer than 10,240 bytes"),
        ({"scope": ["project:oven", " "]}, "`scope` has an empty entry"),
        ({"metadata": {"Agent": "other"}}, "`metadata` may not set `Agent`"),
        ({"metadata": {"valid_from": "soon"}}, "In `metadata`, `valid_from` must be a date such as 2027-02-01."),
        ({"kind": "thought"}, "`kind`"),
        ({"confidence": 1.5}, "`confidence`"),
        ({"expires": "soon"}, "`expires` must be"),
        ({"expires": "-5d"}, "`expires` must be"),
        ({"expires": "2020-01-01"}, "`expires` is 2020-01-01, so that the memory would not hold any more"),
        ({"text": "The API key is" + " 9f8e7d6c5b4a"}, "seems to contain a password or key"),
        ({"aliases": ["a\u200bb"]}, "would not see"),
        ({"text": "---\nagent: other\n---\nx"}, "begins with properties"),
    ],
)
async def test_what_cannot_be_remembered_is_said(served: Served, arguments: dict[str, Any], says: str) -> None:
    refused = await served.call("remember", **{**FIRED, **arguments})
    assert refused.code == "invalid_arguments"
    assert says in refused.json["error"]["message"]
    assert memories(served) == []


async def test_a_name_that_is_taken_anywhere_is_left_to_its_note(served: Served) -> None:
    assert (await remember(served, "rye bread", "Rye keeps for a week."))["path"] == "Agents/Memory/rye bread 2.md"
    resolved = (await served.call("resolve_link", link="Rye bread", source="Oven.md")).json
    assert resolved["path"] == "Rye bread.md"


async def test_only_memories_are_replaced(served: Served) -> None:
    refused = await served.call("remember", **FIRED, supersedes=["Oven.md"])
    assert (refused.status, refused.code) == (404, "note_not_found")


async def test_before_the_folder_a_person_is_asked(served: Served) -> None:
    (root(served) / ABOUT).unlink()
    await served.call("wait_until_indexed", path=ABOUT)
    made = await remember(served, **FIRED)
    assert (root(served) / ABOUT).exists()
    assert (await served.call("undo_change", change_id=made["change_id"])).status == 200
    assert not (root(served) / ABOUT).exists()


async def test_another_folder_is_used(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_folder": "Bots/Mine"}))
    assert (await remember(served, **FIRED))["path"] == "Bots/Mine/Memory/Firing days.md"


async def test_a_conflict_is_told_until_one_of_the_two_is_over(served: Served) -> None:
    old = await remember(served, "Oven heat", "The oven is fired at 450 degrees.", kind="fact")
    new = await remember(served, "oven_heat", "The oven is fired at 420 degrees.", kind="fact", confirm=True)

    async def told() -> tuple[Any, Any, str]:
        [recalled] = (await served.call("recall", query="at how many degrees is the oven fired?")).json["memories"]
        brief = (await served.call("brief", task="fire the oven")).json
        [item] = brief["items"]
        assert recalled["path"] == item["path"] == new["path"]
        return recalled["conflicts"], item["conflicts"], brief["text"]

    recalled, briefed, text = await told()
    assert recalled == briefed == ["Oven heat"]
    assert f"{new['path']}\nCONTRADICTS: Oven heat\nThe oven is fired at 420 degrees." in text.replace('"', "")
    ran = await served.command("recall", "at how many degrees is the oven fired?", "--vault", "Notes")
    assert "Oven heat" in ran.out
    for budget in (100, 150, 400):
        answer = (await served.call("brief", task="fire the oven", budget=budget)).json
        assert answer["tokens"] == estimate_tokens(answer["text"]) <= budget
    assert (await served.call("forget_memory", path=old["path"], reason="wrong")).status == 200
    recalled, briefed, text = await told()
    assert recalled == briefed == []
    assert "CONTRADICTS" not in text


async def test_two_clients_at_once_write_the_same_once(served: Served) -> None:
    tokens = Tokens(served.bridge.folders.tokens)
    headers = {
        name: {"Authorization": f"Bearer {tokens.create(name, ['read', 'write'])[1]}"} for name in ("quill", "nib")
    }

    async def remember_both(quill: dict[str, str], nib: dict[str, str]) -> tuple[Answer, Answer]:
        return await asyncio.gather(
            served.request("POST", "/api/remember", headers=headers["quill"], data=orjson.dumps(quill)),
            served.request("POST", "/api/remember", headers=headers["nib"], data=orjson.dumps(nib)),
        )

    same = await remember_both(FIRED, {**FIRED, "title": "The days of fire"})
    assert sorted(answer.json["existing"] for answer in same) == [False, True]
    assert len({answer.json["path"] for answer in same}) == 1
    cat = "The cat may sleep on the old sofa in the kitchen"
    nearly = await remember_both({"title": "Cat", "text": f"{cat}."}, {"title": "Sofa", "text": f"{cat} now."})
    assert sorted(answer.status for answer in nearly) == [200, 409]
    [refused] = [answer for answer in nearly if answer.status == 409]
    [made] = [answer for answer in nearly if answer.status == 200]
    assert refused.code == "confirmation_required"
    assert refused.json["error"]["path"] == made.json["path"]
    assert len(memories(served)) == 2


async def test_a_copy_is_named_with_its_original_and_both_are_recalled(served: Served) -> None:
    made = await remember(served, **FIRED)
    original = root(served) / made["path"]
    copy = original.with_name("Firing days 1.md")
    copy.write_bytes(original.read_bytes())
    await served.call("wait_until_indexed", path="Agents/Memory/Firing days 1.md")

    async def problems() -> dict[str, list[str]]:
        listed = (await served.call("list_memories")).json["memories"]
        return {Path(one["path"]).name: one["problems"] for one in listed}

    assert await problems() == {
        "Firing days.md": ["`id` must be its own; `Agents/Memory/Firing days 1.md` has the same."],
        "Firing days 1.md": ["`id` must be its own; `Agents/Memory/Firing days.md` has the same."],
    }
    recalled = (await served.call("recall", query="when is the oven fired?")).json["memories"]
    assert {one["path"] for one in recalled} == {made["path"], "Agents/Memory/Firing days 1.md"}
    assert (await remember(served, **FIRED))["existing"]
    original.unlink()
    await served.call("report_changes", changes=[{"kind": "delete", "path": made["path"]}])
    await served.call("wait_until_indexed", path=made["path"])
    assert await problems() == {"Firing days 1.md": []}
