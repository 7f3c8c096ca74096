"""What the system says of a file that is written, as errors a caller can act on."""

import errno

from bridge.errors import BridgeError, DiskFull, InvalidArguments, NoteChanged, NoteUnreadable, ReadOnly
from bridge.vault.paths import shown

HINT = "Check the file's and its folder's permissions; nothing was written."


def told(path: str, error: OSError) -> BridgeError:
    """Return what an error of the system means to whoever wanted to write a file."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(f"There is no room for `{shown(path)}`.", hint="Make room on the disk; nothing was lost.")
        case errno.EACCES | errno.EPERM | errno.EROFS | errno.ETXTBSY:
            return ReadOnly(f"`{shown(path)}` cannot be written: {error.strerror}.", hint=HINT)
        case errno.ENAMETOOLONG:
            return InvalidArguments(f"The name of `{shown(path)}` is too long for this disk.")
        case errno.EXDEV:
            return InvalidArguments(f"`{shown(path)}` is on another disk than what would be moved there.")
        case errno.ENOENT | errno.ENOTDIR | errno.ELOOP:
            return NoteChanged(
                f"`{shown(path)}` or its folder is not there any more.",
                hint="Another program moved or removed it meanwhile. Look where it is now, then repeat the change.",
            )
        case _:
            return NoteUnreadable(
                f"The disk failed at `{shown(path)}`: {error.strerror}.", hint="Check the disk; nothing was lost."
            )
