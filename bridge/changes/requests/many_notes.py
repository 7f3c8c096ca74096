"""Renaming and replacing in many notes at once."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import field

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.properties import (
    edit_properties_of,
    rename_property_everywhere,
    rename_tag_everywhere,
    replace_text_everywhere,
    replace_values_everywhere,
)
from bridge.changes.requests.base import Request, RequestContext
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.note import Value
from bridge.types import EXACT, VaultPath


class RenameTag(Request, kw_only=True, tag="rename_tag"):
    """Renames a tag in all notes and canvases, or some; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    tag: str
    to: str
    children: bool = True
    among: tuple[VaultPath, ...] | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        rename = TagRename.of(self.tag, self.to, children=self.children)
        planned = rename_tag_everywhere(rename, context.view(draft), paths=self.among)
        draft.take(planned.plan)
        return planned.effect


class RenameProperty(Request, kw_only=True, tag="rename_property"):
    """Renames a property in all notes, or some; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    name: str
    to: str
    among: tuple[VaultPath, ...] | None = None
    on_clash: Literal["refuse", "keep", "merge"] = "refuse"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view, types = context.view(draft), context.obsidian().property_types
        planned = rename_property_everywhere(self.name, self.to, view, types, paths=self.among, on_clash=self.on_clash)
        draft.take(planned.plan)
        return planned.effect


class ChangeValues(Request, kw_only=True, tag="change_values"):
    """Replaces a value of a property in some notes; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    name: str
    old: Value
    to: Value
    among: tuple[VaultPath, ...] | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        planned = replace_values_everywhere(self.name, self.old, self.to, context.view(draft), paths=self.among)
        draft.take(planned.plan)
        return planned.effect


class EditProperties(Request, kw_only=True, tag="edit_properties"):
    """Sets and removes properties, and adds and removes tags, in some notes; `path` is one of them."""

    keeps_structure: ClassVar[bool] = True

    among: tuple[VaultPath, ...]
    properties: Annotated[Mapping[str, Any], EXACT] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    @property
    def paths(self) -> Collection[VaultPath]:
        return self.among

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view, types = context.view(draft), context.obsidian().property_types
        planned = edit_properties_of(
            self.among, self.properties, self.remove, self.add_tags, self.remove_tags, view, types
        )
        draft.take(planned.plan)
        return planned.effect


class ReplaceEverywhere(Request, kw_only=True, tag="replace_everywhere"):
    """Replaces a text in some notes; `path` is one of them."""

    among: tuple[VaultPath, ...]
    old: str
    new: str

    @property
    def paths(self) -> Collection[VaultPath]:
        return self.among

    @property
    def apart(self) -> bool:
        return True

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        planned = replace_text_everywhere(self.among, self.old, self.new, context.view(draft))
        draft.take(planned.plan)
        return planned.effect
