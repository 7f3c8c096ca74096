"""Settings, rules, models, clients and pairing."""

from bridge.api.feature import Feature
from bridge.features.admin import clients, operations

FEATURE = Feature(
    "admin",
    operations=(
        operations.read_settings,
        operations.change_settings,
        clients.revoke_client,
        clients.open_pairing,
    ),
    checks=operations.CHECKS,
    views={
        operations.SettingsInUse: operations.settings_view,
        clients.ListedClients: clients.client_list_view,
    },
)
