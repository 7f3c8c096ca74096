"""Loads LanceDB: on every core, and without the client of its cloud."""

import importlib.util
import os
import sys

CLOUD = "lance_namespace_urllib3_client"


def load_lancedb() -> None:
    """Load LanceDB; what it is told here it looks at only once."""
    # It keeps two cores for the disk, which on many machines is all of them.
    os.environ.setdefault("LANCE_CPU_THREADS", str(os.cpu_count() or 1))
    # Half of its import is code for requests to a service that nothing here calls. It needs only some of the types,
    # and finds them in a package whose own code never ran.
    if CLOUD not in sys.modules and (spec := importlib.util.find_spec(CLOUD)) is not None:
        sys.modules[CLOUD] = importlib.util.module_from_spec(spec)
    importlib.import_module("lancedb")
