"""`scripts/eval --memory`: beliefs are remembered, and cases recalled; what comes back too much is wrong."""

import json
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bridge.api.call import OWNER, Call, Principal
from bridge.api.schemas import to_json
from bridge.cli.local import open_bridge, wait_until_readable
from bridge.engine.bridge import Bridge
from bridge.features import get_operation
from bridge.types import Scope

USER: Final = "test-user"

KINDS: Final = {"preference": "preference", "decision": "decision", "open_question": "open_question"}
"""The kinds of beliefs; all others are facts."""

PARTS: Final = {"relevantBeliefs": "memories", "pinnedFacts": "standing", "openQuestions": "questions"}
"""What a case expects, and where `recall` returns it."""


@dataclass(slots=True)
class Tally:
    """What was returned and expected, over several cases."""

    precisions: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    right: int = 0
    cases: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the means, and the share of cases that are wholly right."""
        precision = sum(self.precisions) / max(1, len(self.precisions))
        recall = sum(self.recalls) / max(1, len(self.recalls))
        return f"{self.cases:3} cases   precision {precision:.3f}   recall {recall:.3f}   wholly right {self.right}"


async def print_memory(folder: Path, models: Path) -> None:
    """Measure on PrecisionMemBench, on both halves of the cases.

    Args:
        folder: The folder of `beliefs.json` and `cases.json`.
        models: The folder of models.
    """
    beliefs, cases = (json.loads((folder / name).read_text("utf-8")) for name in ("beliefs.json", "cases.json"))
    with tempfile.TemporaryDirectory() as temporary:
        halves = await _measure(Path(temporary), models, beliefs, cases)
    for name, tally in halves.items():
        print(f"{name}: {tally}")
        for sentence in tally.wrong:
            print(f"    {sentence}")


async def _measure(
    folder: Path, models: Path, beliefs: Sequence[Mapping[str, Any]], cases: Sequence[Mapping[str, Any]]
) -> dict[str, Tally]:
    (folder / "Vault" / ".obsidian").mkdir(parents=True)
    (folder / "Vault" / "Welcome.md").write_text("Hello.\n", encoding="utf-8")
    async with open_bridge(folder / "data", models, [folder / "Vault"]) as bridge:
        for host in bridge.vaults.values():
            await wait_until_readable(bridge, host, None)
        paths = await remember_beliefs(bridge, beliefs)
        halves = {"even": Tally(), "odd": Tally()}
        for number, case in enumerate(cases):
            arguments = {"query": case["query"], "scope": case["scope"]}
            judge_case(
                halves["odd" if number % 2 else "even"], case, await _ask(bridge, USER, "recall", arguments), paths
            )
        return halves


async def remember_beliefs(bridge: Bridge, beliefs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Remember beliefs; return the id of each by the path of its note."""
    await _ask(bridge, USER, "set_up_memory", {"templates": False})
    titles = {belief["_id"]: belief["canonical_name"] for belief in beliefs}
    paths: dict[str, str] = {}
    for belief in beliefs:
        given = {
            "title": belief["canonical_name"],
            "text": belief["content"],
            "kind": KINDS.get(belief["type"], "fact"),
            "aliases": belief["aliases"],
            "scope": belief["scope"],
            "about": [titles[id_] for id_ in belief.get("participants", ())],
            "metadata": {"resolved": belief["resolved_at"]} if belief["resolved_at"] else {},
            "confidence": belief["confidence"],
            "pinned": belief["pinned"],
            "private": belief["user_id"] != USER,
            "confirm": True,
        }
        written = await _ask(bridge, belief["user_id"], "remember", given)
        paths[belief["_id"]] = written["path"]
    for belief in beliefs:
        if belief["superseded_by"]:
            given = {"path": [paths[belief["_id"]]], "by": paths[belief["superseded_by"]]}
            await _ask(bridge, USER, "supersede_memory", given)
    return {path: id_ for id_, path in paths.items()}


async def _ask(bridge: Bridge, client: str, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run an operation for a client."""
    holder = OWNER if client == USER else Principal(client, frozenset[Scope]({"read", "write"}))
    call = Call(bridge, holder, client=client, transport="http")
    found: dict[str, Any] = to_json(await get_operation(operation).run(call, arguments))
    return found


def judge_case(tally: Tally, case: Mapping[str, Any], answer: Mapping[str, Any], ids: Mapping[str, str]) -> None:
    """Add the judgement of one case to a tally."""
    problems: list[str] = []
    for part, name in PARTS.items():
        expected = case["expect"].get(part, {})
        found = {ids[memory["path"]] for memory in answer[name]}
        if part == "relevantBeliefs" and "shouldOnlyInclude" in expected:
            wanted = set(expected["shouldOnlyInclude"])
            tally.precisions.append(share(found & wanted, found))
            tally.recalls.append(share(found & wanted, wanted))
            problems += [f"too much: {', '.join(sorted(found - wanted))}"] * bool(found - wanted)
            problems += [f"lacks {', '.join(sorted(wanted - found))}"] * bool(wanted - found)
        if missing := set(expected.get("mustInclude", ())) - found:
            problems.append(f"{name} lacks {', '.join(sorted(missing))}")
        if banned := set(expected.get("mustExclude", ())) & found:
            problems.append(f"{name} has {', '.join(sorted(banned))}")
        if "mustInclude" in expected:
            tally.recalls.append(share(found & set(expected["mustInclude"]), set(expected["mustInclude"])))
    problems += prelude_problems(case["expect"].get("personaPrelude", {}), answer)
    tally.cases += 1
    tally.right += not problems
    tally.wrong += [f"{case['caseId']}: {problem}" for problem in problems]


def prelude_problems(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with what always holds."""
    text = "\n".join(f"{memory['title']}\n{memory['text']}" for memory in answer["standing"]).casefold()
    wanted = expected.get("contains", ())
    words = [wanted] if isinstance(wanted, str) else wanted
    problems = [f"standing does not say {word!r}" for word in words if word.casefold() not in text]
    return problems + (["standing is empty"] if expected.get("nonEmpty") and not text else [])


def share(part: Collection[str], whole: Collection[str]) -> float:
    """Return how much of a whole a part is; all of nothing."""
    return len(part) / len(whole) if whole else 1.0
