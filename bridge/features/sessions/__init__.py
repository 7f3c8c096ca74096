"""Sessions: which client worked when and on what, and the journal of each."""

from bridge.api.feature import Feature
from bridge.features.sessions import lifetime, operations

FEATURE = Feature(
    "sessions",
    operations=(operations.save_session, operations.list_sessions),
    vault_checks=(lifetime.check_journals,),
    settings=lifetime.SessionSettings,
    views=(operations.session_list_view, operations.saved_view),
    tasks=(lifetime.end_quiet_sessions, lifetime.keep_journals),
    on_stop=lifetime.pause_sessions,
)
