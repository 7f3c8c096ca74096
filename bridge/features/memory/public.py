"""What others use of memory."""

from bridge.features.memory.catalogue import Audience, MemoryCatalogue, count_use, read_body, withhold_memories
from bridge.features.memory.choice import SharedWords, match_texts
from bridge.features.memory.global_vault import (
    BODY_DIGEST,
    COPY,
    ORIGIN,
    OWN_VAULT_BONUS,
    PROJECT,
    PROMOTION,
    call_global_vault,
    is_copy_of,
    is_copy_of_any,
    left_out_notice,
    origin_of,
)
from bridge.features.memory.memory_note import Memory, read_memory
from bridge.features.memory.use_log import UseLog
