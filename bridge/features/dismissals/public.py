"""What others use of dismissals."""

from bridge.features.dismissals.operations import dismissed_rows
