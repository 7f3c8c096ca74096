"""The memory of agents: notes in a folder of their own."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.features.memory import recall, remember, revise, set_up
from bridge.features.memory.use_log import USES

FEATURE = Feature(
    "memory",
    operations=(
        set_up.set_up_memory,
        remember.remember,
        recall.recall,
        recall.list_memories,
        revise.revise_memory,
        remember.supersede_memory,
        revise.forget_memory,
        revise.judge_memory,
    ),
    tables=USES,
    tasks=(set_up.mark_older_folder,),
    views=(written_view, remember.remembered_view, revise.forgotten_view, recall.recall_view, recall.memory_list_view),
)
