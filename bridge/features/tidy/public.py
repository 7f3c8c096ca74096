"""What others use of tidying."""

from bridge.features.tidy.plan_note import FORMER_TYPE, TYPE
