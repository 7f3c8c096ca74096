"""The user's files: read, understood, watched; written in one place only."""

from bridge.vault.anchors import anchor, decoded_place, meant
from bridge.vault.asides import has_asides, queries
from bridge.vault.comments import html_comments
from bridge.vault.daily import daily_path, moment_of
from bridge.vault.documents import read_document
from bridge.vault.edit import (
    Contents,
    Toggled,
    contents,
    created,
    edited,
    faults,
    names_lines,
    replaces,
    task_text,
    toggled,
    with_heading,
    with_properties,
    writes_fields,
)
from bridge.vault.globs import Ban, mistake
from bridge.vault.kinds import is_document, kind_of
from bridge.vault.link_text import link_text, tables
from bridge.vault.linkable import NOT_IN_WIKI, in_address, in_wiki
from bridge.vault.moments import moment
from bridge.vault.names import Names, nearest
from bridge.vault.note import (
    Block,
    Callout,
    Edge,
    Heading,
    InlineField,
    Link,
    LinkKind,
    Note,
    Piece,
    PieceKind,
    Tag,
    Task,
    Value,
)
from bridge.vault.obsidian import ObsidianSettings, read_obsidian_settings
from bridge.vault.parse import parse
from bridge.vault.paths import at_or_below, is_hidden
from bridge.vault.protected import protected
from bridge.vault.resolve import Resolved, asked_file, asks_for_attachment, fold, link_place, name_key
from bridge.vault.rules import Rules
from bridge.vault.scan import Scan, Stat
from bridge.vault.sections import LONGEST_HEADING, Outline, heading_paths, names_line, section, section_names
from bridge.vault.settled import EMPTY_S, QUIET_S, read_settled
from bridge.vault.spots import Slot, Spot, Spots, read_spots
from bridge.vault.task_settings import CLOSED, Meaning, TaskSettings
from bridge.vault.tasks import PRIORITIES, Priority, TaskFacts, is_date, task_facts
from bridge.vault.template import Filled, filled
from bridge.vault.title import title_of
from bridge.vault.unseen import one_line, visible
from bridge.vault.vault import Vault
from bridge.vault.watching import watch
from bridge.vault.write import Displaced, Entry, Overtaken, Recovered, Writer

__all__ = [
    "CLOSED",
    "EMPTY_S",
    "LONGEST_HEADING",
    "NOT_IN_WIKI",
    "PRIORITIES",
    "QUIET_S",
    "Ban",
    "Block",
    "Callout",
    "Contents",
    "Displaced",
    "Edge",
    "Entry",
    "Filled",
    "Heading",
    "InlineField",
    "Link",
    "LinkKind",
    "Meaning",
    "Names",
    "Note",
    "ObsidianSettings",
    "Outline",
    "Overtaken",
    "Piece",
    "PieceKind",
    "Priority",
    "Recovered",
    "Resolved",
    "Rules",
    "Scan",
    "Slot",
    "Spot",
    "Spots",
    "Stat",
    "Tag",
    "Task",
    "TaskFacts",
    "TaskSettings",
    "Toggled",
    "Value",
    "Vault",
    "Writer",
    "anchor",
    "asked_file",
    "asks_for_attachment",
    "at_or_below",
    "contents",
    "created",
    "daily_path",
    "decoded_place",
    "edited",
    "faults",
    "filled",
    "fold",
    "has_asides",
    "heading_paths",
    "html_comments",
    "in_address",
    "in_wiki",
    "is_date",
    "is_document",
    "is_hidden",
    "kind_of",
    "link_place",
    "link_text",
    "meant",
    "mistake",
    "moment",
    "moment_of",
    "name_key",
    "names_line",
    "names_lines",
    "nearest",
    "one_line",
    "parse",
    "protected",
    "queries",
    "read_document",
    "read_obsidian_settings",
    "read_settled",
    "read_spots",
    "replaces",
    "section",
    "section_names",
    "tables",
    "task_facts",
    "task_text",
    "title_of",
    "toggled",
    "visible",
    "watch",
    "with_heading",
    "with_properties",
    "writes_fields",
]
