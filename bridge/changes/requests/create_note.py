"""Creating a note."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import field

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import AppendedLinks, ChangeKind, Request, RequestContext, require_note_path
from bridge.errors import NoteExists, NoteNotFound
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.properties import build_note
from bridge.markdown.edit.requests import Append
from bridge.markdown.moment_format import fill_template
from bridge.markdown.names import note_name
from bridge.types import EXACT_MARK, Exact, NewPath, VaultPath


@ChangeKind(
    example={"path": "Bread/Rye with caraway.md", "text": "Like [[Rye bread]], with caraway."},
    tasks=(
        "make a new note",
        "write a new page from a template",
        "save this as a note",
        "start a meeting note",
        "make an index note",
    ),
    destructive=False,
)
class CreateNote(Request, tag="create_note"):
    """Create a note; an existing one is never overwritten.

    Attributes:
        path: Where, ending in `.md`; missing folders are created.
        text: Its Markdown.
        properties: Its properties by name.
        template: Note to start from; fills in `{{title}}`, `{{date}}` and `{{time}}`.
        if_exists: For an existing note: `append` adds only the text at its end, `skip` leaves it as it is.
        append_links: Add a last line with at most so many suggested links, to notes that the text names without one.

    Raises:
        NoteExists: The file exists, and `if_exists` is `fail`.
        NoteNotFound: No such template.
        SettingsUnreadable: Obsidian's template settings cannot be read, and `template` needs them.
        ConfirmationRequired: A nearly identical note exists, or the text is large.
    """

    path: NewPath
    text: Exact = ""
    properties: Annotated[Mapping[str, Any], EXACT_MARK] = field(default_factory=dict)
    template: VaultPath | None = None
    if_exists: Literal["fail", "skip", "append"] = "fail"
    append_links: AppendedLinks = 0

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        require_note_path(self.path)
        if draft.has(self.path):
            return self._plan_existing(draft)
        text, warnings = self.text, tuple[str, ...]()
        if self.template is not None:
            start = fill_template(
                _read_template(self.template, draft, context),
                note_name(self.path),
                context.now,
                date_format=context.obsidian().date_format,
                time_format=context.obsidian().time_format,
            )
            text, warnings = append_to_template(start.text, text), start.warnings
        draft.create(self.path, build_note(self.path, text, self.properties, context.obsidian().property_types))
        return Effect(warnings=warnings)

    def _plan_existing(self, draft: Draft) -> Effect:
        if self.if_exists == "fail" or not draft.is_file(self.path):
            raise NoteExists(f"`{self.path}` already exists.", path=self.path)
        if self.if_exists == "skip" or not self.text.strip():
            return Effect(warnings=(f"`{self.path}` already exists and stays as it is.",))
        draft.replace(self.path, apply_edits(self.path, draft.read(self.path), [Append(text=self.text)]))
        left = " Its properties stay." if self.properties else ""
        return Effect(warnings=(f"`{self.path}` already exists; the text is added at its end.{left}",))


def append_to_template(start: str, text: str) -> str:
    if not text:
        return start
    return f"{start.rstrip()}\n\n{text}" if start.strip() else text


def _read_template(path: VaultPath, draft: Draft, context: RequestContext) -> str:
    settings = context.obsidian()
    settings.require("templates.json", hint="which says where templates are and how they write dates.")
    folder = settings.template_folder
    for place in (path, f"{path}.md", *((f"{folder}/{path}", f"{folder}/{path}.md") if folder else ())):
        if draft.is_file(VaultPath(place)):
            draft.sources.append(VaultPath(place))
            return draft.read(VaultPath(place)).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    where = f"`find_notes` with the folder `{folder}` lists them." if folder else None
    raise NoteNotFound(f"There is no template `{path}`.", hint=where, path=path)
