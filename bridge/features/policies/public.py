"""What others use of policies."""

from bridge.features.policies.block import TYPE
from bridge.features.policies.read import open_seen_policy, read_note
