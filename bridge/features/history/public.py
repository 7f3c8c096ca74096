"""What others use of history."""

from bridge.features.history.editor import editor_session
