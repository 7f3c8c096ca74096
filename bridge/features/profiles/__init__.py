"""What is known about single notes: profiles, and those that are old and leaned upon."""

from bridge.api.feature import Feature
from bridge.features.profiles import profile, records, stale
from bridge.features.profiles.records import NoteProfile

FEATURE = Feature(
    "profiles",
    operations=(profile.note_profile, stale.stale_notes),
    views={NoteProfile: records.note_profile_view, stale.StaleNotes: records.stale_notes_view},
)
