"""What was accepted and declined counts for the next suggestion."""

from bridge.features.links.evidence import FeedbackModel
from bridge.state.link_feedback import LinkFeedback
from bridge.types import VaultPath

A, B, T, U = (VaultPath(f"{name}.md") for name in "ABTU")


def weight(*feedback: LinkFeedback, source: VaultPath | None = A, target: VaultPath = T, form: str = "t") -> float:
    part = FeedbackModel(feedback).part(source, target, form)
    return part.weight if part is not None else 0.0


def test_nothing_is_known_at_first() -> None:
    assert FeedbackModel().part(A, T, "t") is None
    assert weight(LinkFeedback(A, U, "u", 3, 0)) == 0


def test_more_acceptances_weigh_more() -> None:
    assert 0 < weight(LinkFeedback(B, T, "t", 1, 0)) < weight(LinkFeedback(B, T, "t", 9, 0))
    assert weight(LinkFeedback(B, T, "t", 0, 1)) < 0


def test_what_was_declined_in_a_note_is_suppressed_there_alone() -> None:
    declined = LinkFeedback(A, T, "t", 0, 1)
    assert weight(declined) < -10
    assert -10 < weight(declined, source=B) < 0
    assert -10 < weight(declined, source=None) < 0


def test_what_is_nearly_always_declined_is_suppressed_everywhere() -> None:
    feedback = [LinkFeedback(VaultPath(f"{n}.md"), T, "t", 0, 1) for n in range(9)]
    assert weight(*feedback, source=B) < -10


def test_a_name_is_suppressed_while_the_note_is_not() -> None:
    feedback = [LinkFeedback(VaultPath(f"{n}.md"), T, "it", 0, 1) for n in range(9)]
    feedback += [LinkFeedback(VaultPath(f"{n}.md"), T, "t", 3, 0) for n in range(9)]
    assert weight(*feedback, source=B, form="it") < -10
    assert weight(*feedback, source=B, form="t") > 0


def test_all_verdicts_tell_the_users_rate() -> None:
    tally = FeedbackModel([LinkFeedback(A, T, "t", 3, 1), LinkFeedback(B, U, "u", 0, 4)]).all
    assert (tally.accepted, tally.declined) == (3, 5)
