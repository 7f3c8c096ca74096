"""The settings of summaries."""

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """The settings of summaries."""

    read_tokens: int = setting(
        6_000,
        "Tokens of notes that the chat model reads for a summary at most; of longer ones, the beginning of each"
        " section.",
        least=200,
        most=1_000_000,
    )
