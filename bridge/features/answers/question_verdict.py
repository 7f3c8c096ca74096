"""Keeps questions that were asked, if the user wants that."""

from datetime import datetime

from bridge.api.call import Call
from bridge.api.markup import Answer
from bridge.api.write import client_name
from bridge.features.answers.questions import WaitingQuestions
from bridge.search.answerability import Answerability
from bridge.text.invisible import inline

MISSED = {"not_in_vault", "partial"}
"""Verdicts on a question that the vault does not answer, or not all of it."""


def keep_question(call: Call, question: str, answerability: Answerability | None) -> None:
    """Let a question wait to be written into the note of questions, if the setting `keep_questions` says so."""
    wanted = call.vault.settings.keep_questions
    if wanted == "off" or answerability is None or (wanted == "missed" and answerability.verdict not in MISSED):
        return
    today = datetime.now().astimezone().date()
    call.vault.part(WaitingQuestions).add(question, today, client_name(call) or "", answerability.missing)


NAMED = 3
"""Words that are named."""


def answerability_notice(
    answerability: Answer | None, closest: str | None, looked_at: str = "best notes"
) -> str | None:
    """Return the line; None where the question is answered, and where nothing can be told."""
    if answerability is None or answerability["verdict"] == "answered":
        return None
    verdict, missing = answerability["verdict"], answerability["missing"]
    words = ", ".join(f"\u201c{inline(word)}\u201d" for word in missing[:NAMED])
    if verdict == "not_in_vault":
        reasons = [f"the {looked_at} do not say {words}"] if words else []
        reasons += [f"the closest is *{inline(closest)}*"] if closest else []
        return f"Not in the vault, as far as can be told{': ' + '; '.join(reasons) if reasons else ''}."
    tells = bool(missing) if verdict == "partial" else len(missing) == 1
    return f"The {looked_at} do not say {words}." if tells else None
