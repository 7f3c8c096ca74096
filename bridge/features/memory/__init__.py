"""The memory of agents: notes in a folder of their own."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import Written
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
    views={
        Written: written_view,
        remember.RememberedNote: remember.remembered_view,
        revise.ForgottenMemory: revise.forgotten_view,
        recall.RecalledMemories: recall.recall_view,
        recall.MemoryPage: recall.memory_list_view,
    },
)
