"""Settings, rules, models, clients and pairing."""

from bridge.api.feature import Feature
from bridge.features.admin import checks, clients, operations

FEATURE = Feature(
    "admin",
    operations=(
        operations.read_settings,
        operations.change_settings,
        clients.revoke_client,
        clients.open_pairing,
    ),
    checks=(
        checks.check_settings,
        checks.check_model,
        checks.check_chat_model,
        checks.check_reranker,
        checks.check_global_vault,
        checks.check_tokens,
    ),
    views={
        operations.SettingsInUse: operations.settings_view,
        clients.ListedClients: clients.client_list_view,
    },
)
