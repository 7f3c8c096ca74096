"""Making a section of a note a note of its own."""

from typing import ClassVar, Literal

from msgspec import Meta

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_lines
from bridge.changes.split import split
from bridge.errors import NoteExists
from bridge.markdown.sections import has_line_number
from bridge.types import Digest, NewPath, VaultPath


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "heading": "Feeding",
        "to": "Bread/Starters/Feeding a starter.md",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=(
        "split a note",
        "extract a section into a new note",
        "make a section a note of its own",
        "this note is too long, move a part out",
    ),
    bounds={"heading": Meta(max_length=2_000), "properties": Meta(max_length=100)},
)
class SplitNote(Request, tag="split_note"):
    """Make a section of a note a note of its own; links to its headings and blocks follow, as do its footnotes.

    Attributes:
        path: The note.
        heading: The section's heading, or its path `A > B`; headings below it go along.
        to: Path of the new note, or its folder; by default beside the note, with the heading as its name.
        leave: What stands in place of the section.
        properties: Properties that the new note gets as well, such as `tags`.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        NoteExists: The new note's path exists.
        ProtectedPath: A read-only note would have to change.
        InvalidProperties: Its properties cannot be parsed, and some are to be copied.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    heading: str
    to: NewPath | None = None
    leave: Literal["link", "embed", "nothing"] = "link"
    properties: tuple[str, ...] = ()
    digest: Digest | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if has_line_number(self.heading):
                require_lines(draft, self.path, data, self.digest)
        planned = split(
            self.path,
            self.heading,
            view,
            context.obsidian(),
            to=self.to,
            leave=self.leave,
            properties=self.properties,
        )
        for step in planned.plan.steps:
            if step.before is None and draft.has(step.path):
                raise NoteExists(f"There is a file `{step.path}` already.", path=step.path)
        draft.take(planned.plan)
        return planned.effect
