"""Adopts what was kept while the product was called Vault Bridge."""

import sys
from pathlib import Path

from bridge.data_folder import FORMER_NAME, default_data_dir
from bridge.errors import Busy
from bridge.server.runtime_file import running_bridges


def adopt_data_folder(data_dir: Path) -> None:
    """Rename the data folder of the former name, where there is none of today's name.

    Raises:
        Busy: An older bridge still runs in it.
    """
    former = data_dir.with_name(FORMER_NAME)
    if data_dir != default_data_dir() or not former.is_dir():
        return
    for runtime in running_bridges(former):
        raise Busy(
            f"Vault Bridge, as Vaultside was called, still runs as process {runtime.pid}.",
            hint=f"End it, then start again: Vaultside goes on with its index and history, which are in {former}.",
        )
    former.rename(data_dir)
    sys.stderr.write(f"vaultside: {former}, of Vault Bridge, as Vaultside was called, is now {data_dir}.\n")
