"""What the bridge can do: one folder a capability, and the only list of them."""

from importlib import import_module

from bridge.api.registry import get_operation, operations

__all__ = ["get_operation", "operations"]

# Importing a module registers its operations; documents list them in this order.
MODULES = (
    "search.operations notes.operations tasks.operations notes.read notes.read_several notes.write notes.move "
    "notes.daily notes.change_set history.operations history.editor links.operations links.suggest search.pick "
    "links.apply links.prospects links.report graph.operations graph.view graph.history graph.export "
    "status.operations status.indexing admin.operations admin.clients status.doctor status.usage tools.operations"
)
for module in MODULES.split():
    import_module(f"bridge.features.{module}")
