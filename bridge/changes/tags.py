"""Plans to rename a tag in the whole vault."""

import re
from dataclasses import replace

from bridge.changes.effect import PlanAndEffect, name_warnings
from bridge.changes.many_notes import edit_many, files_with_queries, unread_properties
from bridge.changes.view import VaultView
from bridge.errors import InvalidArguments
from bridge.markdown.edit.tags import TagRename, rename_tag
from bridge.types import VaultPath


def rename_tag_everywhere(rename: TagRename, view: VaultView) -> PlanAndEffect:
    """Plan to rename a tag in every note and canvas; queries, bases and bookmarks that name it are only listed."""

    def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
        if not path.lower().endswith((".md", ".canvas")):
            raise InvalidArguments(f"`{path}` is a drawing that shows the tag.")
        edited = rename_tag(path, data, rename)
        return edited.data, edited.count

    carriers = {path for path, note in view.notes.items() if any(map(rename.apply, note.tags))}
    planned = edit_many(view.in_reach((*carriers, *unread_properties(view))), view, edit)
    below = "" if rename.children else r"(?!/)"
    named = files_with_queries(view, rf"(?<![\w/-]){re.escape(rename.old)}(?![\w-]){below}")
    effect = replace(planned.effect, named_in=named)
    return replace(planned, effect=replace(effect, warnings=name_warnings(named)))
