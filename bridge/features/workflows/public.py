"""What others use of workflows."""

from bridge.features.workflows.read import TYPES, find_digests, open_seen_workflow
