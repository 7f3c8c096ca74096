"""What others use of corrections."""

from bridge.features.corrections.operations import (
    NOTE,
    LineChange,
    Replacement,
    open_items,
    open_replacements,
    settle_replacements,
)
