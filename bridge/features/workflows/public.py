"""What others use of workflows."""

from bridge.features.workflows.block import TYPES
from bridge.features.workflows.read import open_seen_workflow, read_note
