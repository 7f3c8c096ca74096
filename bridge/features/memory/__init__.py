"""The memory of agents: notes in a folder of their own."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import Written
from bridge.features.memory import remember, set_up

FEATURE = Feature(
    "memory",
    operations=(set_up.set_up_memory, remember.remember),
    views={Written: written_view, remember.RememberedNote: written_view},
)
