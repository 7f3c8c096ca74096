"""What others use of policies."""

from bridge.features.policies.block import TYPE
