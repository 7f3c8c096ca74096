"""What others use of status."""

from bridge.features.status.operations import summarize_vault
