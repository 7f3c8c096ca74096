"""What is known about single notes: profiles, and those that are old and leaned upon."""

from bridge.api.feature import Feature
from bridge.features.profiles import profile, stale

FEATURE = Feature(
    "profiles",
    operations=(profile.note_profile, stale.stale_notes),
    views=(stale.stale_notes_view,),
)
