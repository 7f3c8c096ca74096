"""What a file is called without its folder and extension."""


def title_of(path: str) -> str:
    """Return the name that Obsidian shows for a file."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
