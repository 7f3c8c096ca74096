"""The settings of briefings."""

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class BriefSettings:
    """The settings of briefings."""

    terms_percent: int = setting(40, "Weight of shared tags, names and words in a briefing.", least=0, most=100)
    meaning_percent: int = setting(40, "Weight of what a search for the task finds.", least=0, most=100)
    recency_percent: int = setting(20, "Weight of how new a memory or note is.", least=0, most=100)
    days: int = setting(14, "Days after which a memory or note no longer counts as new.", least=1, most=3650)
