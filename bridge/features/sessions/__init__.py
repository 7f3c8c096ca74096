"""Sessions: which client worked when, and on what."""

from bridge.api.feature import Feature
from bridge.features.sessions import lifetime, operations

FEATURE = Feature(
    "sessions",
    operations=(operations.list_sessions,),
    views={operations.ListedSessions: operations.session_list_view},
    tasks=(lifetime.end_quiet_sessions,),
)
