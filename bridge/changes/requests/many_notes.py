"""Renaming and replacing in many notes at once."""

from typing import ClassVar, Literal

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.properties import rename_property_everywhere, rename_tag_everywhere, replace_values_everywhere
from bridge.changes.requests.base import Request, RequestContext
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.note import Value


class RenameTag(Request, kw_only=True, tag="rename_tag"):
    """Renames a tag in all notes and canvases; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    tag: str
    to: str
    children: bool = True

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        rename = TagRename.of(self.tag, self.to, children=self.children)
        planned = rename_tag_everywhere(rename, context.view(draft))
        draft.take(planned.plan)
        return planned.effect


class RenameProperty(Request, kw_only=True, tag="rename_property"):
    """Renames a property in all notes, or those of a folder; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    name: str
    to: str
    folder: str = ""
    on_clash: Literal["refuse", "keep", "merge"] = "refuse"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view, types = context.view(draft), context.obsidian().property_types
        planned = rename_property_everywhere(
            self.name, self.to, view, types, folder=self.folder, on_clash=self.on_clash
        )
        draft.take(planned.plan)
        return planned.effect


class ChangeValues(Request, kw_only=True, tag="change_values"):
    """Replaces a value of a property in all notes, or those of a folder; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    name: str
    old: Value
    to: Value
    folder: str = ""

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        planned = replace_values_everywhere(self.name, self.old, self.to, context.view(draft), folder=self.folder)
        draft.take(planned.plan)
        return planned.effect
