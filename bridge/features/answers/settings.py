"""The settings of answers."""

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """The settings of answers."""

    context_percent: int = setting(
        30, "Share of `chat_window` that excerpts of notes may take in a question to the chat model.", least=5, most=80
    )
    answer_tokens: int = setting(320, "Tokens that the chat model may write per answer.", least=16, most=4_096)
