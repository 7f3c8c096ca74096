"""The state of the bridge: indexing, health and usage."""

from bridge.api.feature import Feature
from bridge.features.status import doctor, indexing, operations, usage

FEATURE = Feature(
    "status",
    operations=(
        operations.status,
        operations.index_status,
        indexing.report_changes,
        indexing.wait_until_indexed,
        indexing.reindex,
        indexing.job_status,
        indexing.pause_indexing,
        indexing.resume_indexing,
        doctor.doctor,
        usage.usage,
    ),
    checks=doctor.CHECKS,
    vault_checks=doctor.VAULT_CHECKS,
    waiting_checks=(doctor.check_vector_index,),
    views=(operations.status_view, doctor.diagnosis_view, usage.usage_view),
)
