"""What others use of status."""

from bridge.features.status.operations import Status, VaultStatus, summarize_vault
