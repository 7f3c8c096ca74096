"""Settings, rules, models, clients and pairing."""

from bridge.api.feature import Feature
from bridge.features.admin import operations

FEATURE = Feature(
    "admin",
    operations=(
        operations.read_settings,
        operations.change_settings,
        operations.revoke_client,
        operations.open_pairing,
    ),
    checks=operations.CHECKS,
    views=(operations.settings_view, operations.client_list_view),
)
