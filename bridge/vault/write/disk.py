"""All that the writer asks of the system: the one place where a test can stand between."""

import os

from bridge.private import sync
from bridge.vault.lease import end_lease, is_lease_kept, take_lease
from bridge.vault.write.renaming import exchange, rename_new
from bridge.vault.write.system_trash import throw_away


class Disk:
    """The system's calls; names are relative to a folder that is held open, where the system can hold folders."""

    open = staticmethod(os.open)
    close = staticmethod(os.close)
    read = staticmethod(os.read)
    write = staticmethod(os.write)
    fsync = staticmethod(sync)
    fstat = staticmethod(os.fstat)
    stat = staticmethod(os.stat)
    listdir = staticmethod(os.listdir)
    mkdir = staticmethod(os.mkdir)
    rmdir = staticmethod(os.rmdir)
    unlink = staticmethod(os.unlink)
    replace = staticmethod(os.replace)
    rename = staticmethod(os.rename)
    rename_new = staticmethod(rename_new)
    exchange = staticmethod(exchange)
    throw_away = staticmethod(throw_away)
    take_lease = staticmethod(take_lease)
    is_lease_kept = staticmethod(is_lease_kept)
    end_lease = staticmethod(end_lease)
