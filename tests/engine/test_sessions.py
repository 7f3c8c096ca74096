"""Calls that belong together are of one session."""

from bridge.engine.bridge import Sessions
from bridge.state.session_log import QUIET_S


def test_a_client_that_names_its_sessions_has_those() -> None:
    sessions = Sessions()
    first = sessions.of("agent", "one")
    assert sessions.of("agent", "one") == first == Sessions().of("agent", "one")
    assert len({first, sessions.of("agent", "two"), sessions.of("other", "one"), sessions.of("agent", None)}) == 4
    assert (len(first), first.isalnum()) == (12, True)


def test_a_client_of_many_processes_goes_on_with_its_newest_session() -> None:
    asked: list[None] = []

    def latest() -> str:
        asked.append(None)
        return "0123456789ab"

    sessions = Sessions()
    assert sessions.of("command", None, latest) == sessions.of("command", None, latest) == "0123456789ab"
    assert len(asked) == 1
    assert sessions.of("command", "said", latest) != "0123456789ab" != sessions.of("other", None)


def test_without_a_word_a_quiet_while_ends_a_session() -> None:
    moment = [1000.0]
    sessions = Sessions(lambda: moment[0])
    first, other = sessions.of("agent", None), sessions.of(None, None)
    assert first != other
    for _ in range(3):
        moment[0] += QUIET_S - 1
        assert sessions.of("agent", None) == first
    assert sessions.of(None, None) != other
    moment[0] += QUIET_S
    assert sessions.of("agent", None) != first
