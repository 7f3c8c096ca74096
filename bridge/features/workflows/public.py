"""What others use of workflows."""

from bridge.features.workflows.block import TYPES
from bridge.features.workflows.read import find_digests, open_seen_workflow
