"""What others use of the ranking of tools."""

from bridge.features.tools.likeness import rank
