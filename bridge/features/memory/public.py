"""What others use of memory."""

from bridge.features.memory.catalogue import MemoryCatalogue
from bridge.features.memory.global_vault import call_global_vault, is_copy_of_any, left_out_notice
from bridge.features.memory.memory_note import Memory, read_memory
from bridge.features.memory.promoted_copy import (
    BODY_DIGEST,
    COPY,
    ORIGIN,
    OWN_VAULT_BONUS,
    PROJECT,
    PROMOTED,
    is_copy_of,
    origin_of,
)
from bridge.features.memory.use_log import UseLog
from bridge.features.memory.visibility import Audience, withhold_memories
