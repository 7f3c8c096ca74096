"""Says in one line that the vault does not answer a question, or only in part."""

from bridge.api.markup import Answer
from bridge.text.invisible import inline

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
