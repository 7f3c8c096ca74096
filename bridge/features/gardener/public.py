"""What others use of gardener."""

from bridge.features.gardener.plan_note import TYPE
