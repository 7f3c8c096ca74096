"""What others use of handoffs."""

from bridge.features.handoffs.handoff_note import TYPE, check_proof, read_handoff, waiting_handoff
from bridge.features.handoffs.vault_evidence import VaultEvidence
