"""The list of all checks, in the order in which plans list them."""

from collections.abc import Sequence
from typing import Final

from bridge.features.gardener.checks.attachments import UnusedAttachments
from bridge.features.gardener.checks.broken_links import BrokenLinks
from bridge.features.gardener.checks.conventions import ViolatedConventions
from bridge.features.gardener.checks.corrections import Corrections
from bridge.features.gardener.checks.daily_notes import StrayDailyNotes
from bridge.features.gardener.checks.duplicates import Duplicates
from bridge.features.gardener.checks.empty_notes import EmptyNotes
from bridge.features.gardener.checks.headings import RepeatedHeadings
from bridge.features.gardener.checks.memories import ExpiredMemories
from bridge.features.gardener.checks.missing_links import MissingLinks
from bridge.features.gardener.checks.orphans import Orphans
from bridge.features.gardener.checks.property_names import PropertyNames
from bridge.features.gardener.checks.property_types import PropertyTypes
from bridge.features.gardener.checks.prospects import Prospects
from bridge.features.gardener.checks.tags import TagVariants
from bridge.features.gardener.checks.topics import Topics
from bridge.features.gardener.checks.unfilled_notes import UnfilledNotes
from bridge.features.gardener.finding import GardenCheck

CHECKS: Final[Sequence[GardenCheck]] = (
    BrokenLinks(),
    TagVariants(),
    PropertyNames(),
    PropertyTypes(),
    ViolatedConventions(),
    Corrections(),
    Topics(),
    RepeatedHeadings(),
    StrayDailyNotes(),
    ExpiredMemories(),
    Orphans(),
    Duplicates(),
    EmptyNotes(),
    UnfilledNotes(),
    UnusedAttachments(),
    MissingLinks(),
    Prospects(),
)
