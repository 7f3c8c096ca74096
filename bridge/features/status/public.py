"""What others use of status."""

from bridge.features.status.views import summarize_vault
