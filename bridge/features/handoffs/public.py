"""What others use of handoffs."""

from bridge.features.handoffs.handoff_note import TYPE, VaultEvidence, check_proof, read_handoff, waiting_handoffs
