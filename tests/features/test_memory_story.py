"""Whatever happens to memories, recall returns exactly those that hold, and none is lost.

The model is a dictionary; the bridge, its index and its files are real.
"""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule

from bridge.api.call import OWNER, Call, Principal
from bridge.api.schemas import to_json
from bridge.cli.local import open_bridge, wait_until_readable
from bridge.engine.bridge import Bridge
from bridge.features import get_operation
from bridge.settings.file import save_settings
from bridge.types import Scope

STORIES = int(os.environ.get("VAULTSIDE_STORIES", "10"))

BOB = Principal("bob", frozenset[Scope]({"read", "write"}))

SYLLABLES = ("bar", "dof", "gim", "kul", "nes", "pov", "rik", "sut", "vel", "zam")


def alias_of(number: int) -> str:
    """Return a word that no other number has, and that no single typing error makes that of another."""
    return "".join(SYLLABLES[int(digit)] for digit in f"{number:04}")


@dataclass(frozen=True)
class Remembered:
    """A memory, as the model knows it."""

    alias: str
    path: str
    private: bool = False
    over: bool = False
    resolved: bool = False
    replaced_by: str | None = None


class World:
    """One bridge for all stories."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "Vault/.obsidian").mkdir(parents=True)
        (self.folder / "Vault/Welcome.md").write_text("Hello.\n")
        self._context: AbstractAsyncContextManager[Bridge] = open_bridge(
            self.folder / "data", self.folder / "models", [self.folder / "Vault"]
        )
        self.bridge = self.runner.run(self._open())

    async def _open(self) -> Bridge:
        bridge = await self._context.__aenter__()
        for host in bridge.vaults.values():
            await wait_until_readable(bridge, host, None)
        return bridge

    def call(self, operation: str, principal: Principal = OWNER, **arguments: Any) -> Mapping[str, Any]:
        call = Call(self.bridge, principal, client="ann", transport="http")
        answer: Mapping[str, Any] = to_json(self.runner.run(get_operation(operation).run(call, arguments)))
        return answer

    def use(self, changes: Mapping[str, Any]) -> None:
        self.runner.run(self.bridge.use(save_settings(self.bridge.settings_path, changes)))

    def clear(self) -> None:
        self.use({"deny": []})
        shutil.rmtree(self.folder / "Vault/Agents", ignore_errors=True)
        self.runner.run(self.bridge.find(None).vault.indexer.look_at([""]))

    def close(self) -> None:
        self.runner.run(self._context.__aexit__(None, None, None))
        self.runner.close()
        shutil.rmtree(self.folder)


world: World
numbers = itertools.count()


class MemoryStory(RuleBasedStateMachine):
    """Memories are written, replaced, forgotten, settled, denied, moved and brought back."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[int, Remembered] = {}
        self.denied: set[str] = set()
        self.changes: list[tuple[str, dict[int, Remembered]]] = []

    @initialize()
    def set_up(self) -> None:
        world.call("set_up_memory", templates=False)

    def done(self, made: Mapping[str, Any], before: dict[int, Remembered]) -> None:
        if made["change_id"] is not None:
            self.changes.append((made["change_id"], before))

    def known(self, number: int) -> Remembered | None:
        one = self.model.get(number)
        return None if one is None or one.path in self.denied else one

    @rule(target=ids, private=st.booleans(), expires=st.sampled_from([None, None, "2999-01-01"]))
    def remember(self, private: bool, expires: str | None) -> int:
        number, before = next(numbers), dict(self.model)
        alias = alias_of(number)
        given = {"title": f"On {alias}", "text": f"{alias} {alias[::-1]}.", "aliases": [alias], "private": private}
        made = world.call("remember", BOB if private else OWNER, **given, **({"expires": expires} if expires else {}))
        self.model[number] = Remembered(alias, made["path"], private, over=False)
        self.done(made, before)
        return number

    @rule(number=ids)
    def remember_again(self, number: int) -> None:
        one = self.known(number)
        if one is not None and not one.over:
            given = {"title": "Again", "text": f"{one.alias} {one.alias[::-1]}."}
            made = world.call("remember", BOB if one.private else OWNER, **given)
            assert (made["existing"], made["path"]) == (True, one.path)

    @rule(old=ids, new=ids)
    def supersede(self, old: int, new: int) -> None:
        first, second = self.known(old), self.known(new)
        if first is None or second is None or self.leads(new, old):
            return
        before = dict(self.model)
        self.done(world.call("supersede_memory", path=[first.path], by=second.path), before)
        self.model[old] = replace(first, over=True, replaced_by=second.alias)

    def leads(self, start: int, end: int) -> bool:
        """Return whether one memory is replaced by another, also by way of others."""
        numbers_of = {one.alias: number for number, one in self.model.items()}
        at: int | None = start
        while at is not None and at != end:
            successor = self.model[at].replaced_by if at in self.model else None
            at = None if successor is None else numbers_of.get(successor)
        return at == end

    @rule(number=ids, how=st.sampled_from(["forget", "expire", "resolve"]))
    def end(self, number: int, how: str) -> None:
        one, before = self.known(number), dict(self.model)
        if one is None or (one.resolved and how == "resolve"):
            # To resolve it again changes `updated`, unless it is in the same second.
            return
        if how == "forget":
            made = world.call("forget_memory", path=one.path)
            assert made["verified"] is None or not made["verified"]["recall"]
        elif how == "expire":
            # As a person would write it, since `revise_memory` refuses a day that is over.
            made = world.call("set_properties", path=one.path, properties={"expires": "2020-01-01"})
        else:
            made = world.call("revise_memory", path=one.path, resolved=True)
        self.done(made, before)
        self.model[number] = replace(one, over=True, resolved=one.resolved or how == "resolve")

    @rule(number=ids)
    def rename(self, number: int) -> None:
        one, before = self.known(number), dict(self.model)
        if one is not None:
            to = f"Agents/Kept/Moved {next(numbers)}.md"
            self.done(world.call("move_note", path=one.path, to=to), before)
            self.model[number] = replace(one, path=to)

    @precondition(lambda self: self.changes)
    @rule()
    def undo(self) -> None:
        change, before = self.changes.pop()
        world.call("undo_change", change_id=change)
        self.model = before

    @rule(number=consumes(ids))
    def deny(self, number: int) -> None:
        one = self.known(number)
        if one is not None:
            self.denied.add(one.path)
            world.use({"deny": sorted(self.denied)})
            # What is denied is erased from the history of changes, too.
            self.changes.clear()

    @invariant()
    def recall_returns_what_holds(self) -> None:
        aliases = [one.alias for one in self.model.values()]
        shown = [one for one in self.model.values() if not one.over and one.path not in self.denied]
        for principal, hidden in ((OWNER, True), (BOB, False)):
            expected = sorted(one.path for one in shown if not (hidden and one.private))
            answer = world.call("recall", principal, query=" ".join(aliases), limit=500)
            assert sorted(memory["path"] for memory in answer["memories"]) == expected
            listed = world.call("list_memories", principal, limit=500)["memories"]
            assert sorted(memory["path"] for memory in listed) == expected

    @invariant()
    def nothing_is_lost(self) -> None:
        for one in self.model.values():
            assert one.alias in (world.folder / "Vault" / one.path).read_text()

    def teardown(self) -> None:
        world.clear()


def test_any_story_of_memories_is_told_right() -> None:
    global world  # noqa: PLW0603 - rules take no arguments of ours
    world = World()
    try:
        MemoryStory.TestCase.settings = settings(
            max_examples=STORIES, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
        )
        MemoryStory.TestCase("runTest").runTest()
    finally:
        world.close()
