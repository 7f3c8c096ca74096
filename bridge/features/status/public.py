"""What others use of status."""

from bridge.features.status.records import summarize_vault
