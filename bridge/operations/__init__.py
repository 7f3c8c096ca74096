"""What the bridge can do: typed functions, the only list."""

from importlib import import_module

from bridge.counts import count_of
from bridge.operations.answering import answer
from bridge.operations.appliers import applier
from bridge.operations.arguments import VAULT
from bridge.operations.call import OWNER, READER, RUNTIME, SESSION, Call, Principal
from bridge.operations.docstring import read as read_docstring
from bridge.operations.faults import internal
from bridge.operations.hints import Folder, bounds, expected, plain, records_in
from bridge.operations.presets import chosen, offered, reachable, tool_named
from bridge.operations.registry import Argument, Operation, named, operations
from bridge.operations.schemas import arguments_schema, result_schema
from bridge.operations.times import read_date
from bridge.operations.wire import encode

__all__ = [
    "OWNER",
    "READER",
    "RUNTIME",
    "SESSION",
    "VAULT",
    "Argument",
    "Call",
    "Folder",
    "Operation",
    "Principal",
    "answer",
    "applier",
    "arguments_schema",
    "bounds",
    "chosen",
    "count_of",
    "encode",
    "expected",
    "internal",
    "named",
    "offered",
    "operations",
    "plain",
    "reachable",
    "read_date",
    "read_docstring",
    "records_in",
    "result_schema",
    "tool_named",
]

# Importing a module registers its operations; documents list them in this order.
MODULES = (
    "search notes listing tasks reading read_several writing moving days ticking together changes deciding handing "
    "links linking picking applying prospects reporting graph insights view growth exporting "
    "status indexing settings rules clients models pairing doctor usage tools"
)
for module in MODULES.split():
    import_module(f"bridge.operations.{module}")
