"""A data folder for one process, in place of one that cannot be written or whose vault another process holds."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bridge.folders import Folders


@contextmanager
def fleeting(data_dir: Path) -> Iterator[Path]:
    """Make a data folder that goes with the block; what the user's own says of rules and clients holds in it too."""
    own = Folders(data_dir.absolute())
    with tempfile.TemporaryDirectory(prefix="vault-bridge-", ignore_cleanup_errors=True) as folder:
        made = Folders(Path(folder))
        made.settings.symlink_to(own.settings)
        made.tokens.symlink_to(own.tokens)
        yield made.data
