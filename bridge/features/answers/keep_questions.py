"""Writes the questions that were asked into a note of the agents' folder."""

import asyncio
import logging

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.features.answers.questions import NOTE, KeptQuestion, WaitingQuestions, add_questions
from bridge.records import dataclass
from bridge.types import VaultPath

log = logging.getLogger(__name__)

WRITE_EVERY_S = 30.0
"""Seconds between two looks for questions: what is asked meanwhile is one change."""

WRITE = "keep_questions"
"""The operation under which these changes are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsChange(Request):
    """Adds questions to the note; whatever else it says stays byte for byte."""

    asked: tuple[KeptQuestion, ...]
    op: str = WRITE

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        if draft.has(self.path):
            text = draft.read(self.path).decode("utf-8", "surrogateescape")
            draft.replace(self.path, add_questions(text, self.asked).encode("utf-8", "surrogateescape"))
        else:
            draft.create(self.path, add_questions("", self.asked).encode())
        return Effect()


async def keep_questions(vault: OpenVault) -> None:
    """Write questions from time to time, until cancelled."""
    while True:
        await asyncio.sleep(WRITE_EVERY_S)
        await write_waiting(vault)


async def write_waiting(vault: OpenVault) -> None:
    """Write the questions that wait; what cannot be written waits on, unless nobody agreed to the folder."""
    asked = vault.part(WaitingQuestions).take()
    folder = agents_folder(vault.settings)
    if not asked or vault.settings.keep_questions == "off" or not vault.is_set_up:
        return
    # A proposal would ask the user again what the setting has answered.
    by = Author(WRITE, proposes=True, applies_in=folder)
    try:
        await vault.executor.carry([QuestionsChange(path=questions_path(vault), asked=tuple(asked))], by)
    except BridgeError as error:
        log.warning("Questions are not written now: %s", error.code)
        vault.part(WaitingQuestions).put_back(asked)


def questions_path(vault: OpenVault) -> VaultPath:
    return agents_folder(vault.settings).place(NOTE)
