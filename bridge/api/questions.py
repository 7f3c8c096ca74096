"""Keeps questions that were asked, if the user wants that."""

from datetime import datetime

from bridge.api.call import Call
from bridge.api.write import client_name
from bridge.search.answerability import Answerability

MISSED = {"not_in_vault", "partial"}
"""Verdicts on a question that the vault does not answer, or not all of it."""


def keep_question(call: Call, question: str, answerability: Answerability | None) -> None:
    """Let a question wait to be written into the note of questions, if the setting `keep_questions` says so."""
    wanted = call.vault.settings.keep_questions
    if wanted == "off" or answerability is None or (wanted == "missed" and answerability.verdict not in MISSED):
        return
    today = datetime.now().astimezone().date()
    call.vault.waiting_questions.add(question, today, client_name(call) or "", answerability.missing)
