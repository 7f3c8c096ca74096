"""What a change is made of: planned, compared, merged, turned back; nothing here touches the disk."""
