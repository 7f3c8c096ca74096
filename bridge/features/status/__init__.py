"""The state of the bridge: indexing, health and usage."""

from bridge.api.feature import Feature
from bridge.features.status import doctor, indexing, operations, records, usage

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
    views={
        records.Status: records.status_view,
        doctor.Diagnosis: records.diagnosis_view,
        usage.UsageReport: records.usage_view,
    },
)
