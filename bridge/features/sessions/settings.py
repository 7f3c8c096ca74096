"""The settings of journals."""

from typing import Literal

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings of sessions."""

    journals: Literal["auto", "ask", "off"] = setting(
        "auto",
        "Write a journal of each session of an agent that changed, saved or read enough, once `agents_folder` was set"
        " up; `ask` proposes it at the end.",
    )
    journal_after_s: int = setting(
        60,
        "Seconds between the first two updates of a session's journal; in a long session they become sixteen times as"
        " many.",
        least=0,
        most=86_400,
    )
