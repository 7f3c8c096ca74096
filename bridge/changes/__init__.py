"""What a change is made of: planned, compared, merged, turned back; nothing here touches the disk."""

from bridge.changes.desk import Desk, digest_of

__all__ = ["Desk", "digest_of"]
