"""From a Markdown file's bytes to a `Note`; total, never raises."""

from bridge.types import NoteKind, VaultPath
from bridge.vault.decode import Decoded, decode
from bridge.vault.lines import LineIndex
from bridge.vault.markdown import read_markdown
from bridge.vault.note import Note
from bridge.vault.properties import read_frontmatter
from bridge.vault.title import title_of


def parse(path: VaultPath, data: bytes) -> Note:
    """Read a Markdown file, whatever its bytes are.

    Args:
        path: Where it lies in the vault.
        data: The whole file.
    """
    return parse_decoded(path, decode(data))


def parse_decoded(path: VaultPath, decoded: Decoded, kind: NoteKind = "note") -> Note:
    """Read Markdown that is text already.

    Args:
        path: Where the file lies in the vault.
        decoded: Its text, with the digest of its bytes.
        kind: What the note is called.
    """
    text = decoded.text
    lines = LineIndex(text)
    front = read_frontmatter(text, lines)
    markdown = read_markdown(text, lines, front.body)
    return Note(
        path=path,
        title=title_of(path),
        kind=kind,
        digest=decoded.digest,
        text=text,
        body=front.body,
        headings=markdown.headings,
        links=front.links + markdown.links,
        tags=front.tags + markdown.tags,
        aliases=front.aliases,
        properties=front.properties,
        tasks=markdown.tasks,
        blocks=markdown.blocks,
        fields=markdown.fields,
        callouts=markdown.callouts,
        comments=markdown.comments,
        pieces=markdown.pieces,
        problems=decoded.problems + front.problems + _unread(text, markdown.end, lines),
    )


def _unread(text: str, end: int, lines: LineIndex) -> tuple[str, ...]:
    """Say from where on a text was not read as Markdown."""
    if not text[end:].strip():
        return ()
    why = "The note is too long or has too many blocks to be read whole"
    return (f"{why}: from line {lines.at(end)} on it is plain text, without headings, links, tags and tasks.",)
