"""Everything that can go wrong and be told to a caller."""

from collections.abc import Iterator, Mapping

from bridge.docstrings import docstring_of


class BridgeError(Exception):
    """Something went wrong."""

    code = "internal"
    status = 500
    hint = "Run `vaultside doctor` and look at the log."

    def __init__(self, message: str | None = None, *, hint: str | None = None, **facts: object) -> None:
        self.message = message if message is not None else docstring_of(type(self))
        self.hint = hint if hint is not None else type(self).hint
        self.facts: Mapping[str, object] = facts
        super().__init__(self.message)

    def locate(self, place: str) -> None:
        """Say in which part of a request it happened, such as `edits[2]`."""
        self.message = f"{place}: {self.message}"
        self.args = (self.message,)

    def explain(self, more: str) -> None:
        """Add a sentence about how it came to that, if there is one."""
        self.message = f"{self.message} {more}".rstrip()
        self.args = (self.message,)

    def wire(self) -> dict[str, object]:
        """Return the error's one JSON form."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint, **self.facts}}


class Invalid(BridgeError):
    """The request cannot be understood."""

    code = "invalid_arguments"
    status = 400
    hint = "Correct what is named, then repeat it."


class InvalidArguments(Invalid):
    """The arguments do not fit the operation."""


class InvalidProperties(Invalid):
    """The note's properties cannot be read."""

    code = "invalid_properties"
    hint = "Correct the line that is named by hand, then repeat the change."


class Denied(BridgeError):
    """The caller may not do this."""

    code = "forbidden"
    status = 403
    hint = "Use a token with the scope that is named."


class Unauthorized(Denied):
    """There is no valid token with this request."""

    code = "unauthorized"
    status = 401
    hint = "Send `Authorization: Bearer …` with a token of `vaultside tokens create`, or the runtime file's."


class Forbidden(Denied):
    """The token lacks a scope, or the origin is not allowed."""


class BadHost(Denied):
    """The Host header does not name this machine."""

    code = "bad_host"
    status = 421
    hint = "Call 127.0.0.1 or localhost with the port of the runtime file."


class TooLarge(Denied):
    """The request is larger than the limit."""

    code = "too_large"
    status = 413
    hint = "Send less at a time."


class RateLimited(Denied):
    """There were too many calls in a short time."""

    code = "rate_limited"
    status = 429
    hint = "Wait `retry_after_s` seconds, then call again."


class OutsideVault(Denied):
    """The path leaves the vault."""

    code = "outside_vault"
    status = 400
    hint = "Give a path relative to the vault, with `/` between folders."


class ProtectedPath(Denied):
    """The path belongs to Obsidian or to another program."""

    code = "protected_path"
    hint = "Choose a note of the vault."


class PathKept(ProtectedPath):
    """The user's settings keep the path as it is."""

    hint = "Choose another, or ask the user: the settings `deny` and `readonly` say what must stay."


class ReadOnly(Denied):
    """The folder is not writable."""

    code = "read_only"
    hint = "Give a writable folder with `--data-dir`."


class Declined(Denied):
    """The user said no to this change."""

    code = "declined"
    hint = "Nothing was written. Leave it, and ask the user what to do instead."


class Missing(BridgeError):
    """There is no such thing."""

    code = "note_not_found"
    status = 404
    hint = "Check the name."


class NoSuchVault(Missing):
    """There is no such vault in this bridge."""

    code = "no_such_vault"
    hint = "`status` lists the vaults."


class NoSuchOperation(Missing):
    """There is no such operation."""

    code = "no_such_operation"
    hint = "`find_tool` finds operations by what they do."


class NoteNotFound(Missing):
    """There is no such note."""

    hint = "`find_notes` lists notes, `search` finds them."


class FolderNotFound(Missing):
    """There is no such folder with notes."""

    code = "folder_not_found"
    hint = "`list_folders` lists the folders."


class HeadingNotFound(Missing):
    """The note has no such heading."""

    code = "heading_not_found"
    hint = "Use one of its headings."


class BlockNotFound(Missing):
    """The note has no such block."""

    code = "block_not_found"
    hint = "Use one of its blocks."


class TextNotFound(Missing):
    """The note does not have this text, or has it more than once."""

    code = "text_not_found"
    hint = "Give the text exactly as it stands, with enough around it to be found once, or set `all`."


class ChangeNotFound(Missing):
    """There is no such change."""

    code = "change_not_found"
    hint = "`list_changes` lists them; old ones are forgotten."


class JobNotFound(Missing):
    """There is no such job."""

    code = "job_not_found"
    hint = "Jobs are forgotten when the bridge stops; start it again."


class ModelMissing(Missing):
    """The model is not installed."""

    code = "model_missing"
    hint = "Run `vaultside models install`."


class ServerNotFound(Missing):
    """There is no such external server, or it has no such tool or resource."""

    code = "server_not_found"
    hint = "`list_servers` lists the servers and their tools."


class Conflict(BridgeError):
    """The request does not fit the present state."""

    code = "busy"
    status = 409
    hint = "Try again."


class AmbiguousHeading(Conflict):
    """The heading names more than one section."""

    code = "ambiguous_heading"
    hint = "Give one of these names as `heading`, or as `section` of `read_note`."


class Busy(Conflict):
    """The bridge is busy with something that excludes this."""


class NoteChanged(Conflict):
    """The note changed since you read it."""

    code = "note_changed"
    hint = "Read it again and repeat the change."


class NoteExists(Conflict):
    """There is a note of this name already."""

    code = "note_exists"
    hint = "Choose another path, or change that note with `edit_note`."


class ChangeConflict(Conflict):
    """What the change touched was changed since in the same places."""

    code = "change_conflict"
    hint = "Look at `conflicts` and change the note yourself with `edit_note`."


class ExpectationFailed(Conflict):
    """The change would do something else than was expected."""

    code = "expectation_failed"
    hint = "Nothing was written. Look at the change with `dry_run`, then correct `expect` or leave it out."


class ConfirmationRequired(Conflict):
    """What the call would do must be confirmed first."""

    code = "confirmation_required"
    hint = "Look at it with `dry_run`, then repeat it with `confirm`."

    def __init__(
        self,
        message: str | None = None,
        *,
        would: str = "make this change",
        subject: str | None = None,
        hint: str | None = None,
        **facts: object,
    ) -> None:
        super().__init__(f"This would {would}." if message is None else message, hint=hint, **facts)
        self.would = would
        self.subject = subject


class SettingsUnreadable(Conflict):
    """A settings file of Obsidian, or the list of servers, cannot be read or used."""

    code = "settings_unreadable"
    hint = "Repair the file that is named, or save the setting in Obsidian once more."


class VaultHeld(Conflict):
    """Another process holds this vault."""

    hint = "Wait until it ends, or stop it with `vaultside stop`."


class Unready(BridgeError):
    """This cannot be answered now."""

    code = "not_ready"
    status = 503
    hint = "Try again in a moment; `status` tells the progress."


class NotReady(Unready):
    """The first scan of the vault is not finished."""


class Cancelled(Unready):
    """The call was cancelled."""

    code = "cancelled"
    hint = "Call again when you want the answer."


class DiskFull(Unready):
    """The disk is full."""

    code = "disk_full"
    status = 507
    hint = "Make room on the disk; what was stored is kept."


class IndexUnusable(Unready):
    """The index cannot be opened."""

    hint = "Delete the index folder named in the message; it is built again from the vault."


class StateUnusable(Unready):
    """The file that keeps a vault's state cannot be used."""

    hint = "Check the disk and who may use the file; what was stored is kept."


class RulesUnknown(Unready):
    """Which notes the settings deny cannot be read."""

    hint = "Correct the settings file; nothing is shown until then."


class ModelUnusable(Unready):
    """The model file cannot be used."""

    code = "model_missing"
    hint = "Run `vaultside models verify`, then install the model again."


class VaultUnreadable(Unready):
    """The vault folder cannot be read."""

    hint = "Connect its disk or give back its permissions; the index is kept until then."


class NoteUnreadable(Unready):
    """The system does not let this file be read."""

    hint = "Check the file's permissions and its disk."


class ServerFailed(Unready):
    """An external server did not start, or did not answer."""

    code = "server_failed"
    hint = "`doctor` says how each external server is."


class Internal(BridgeError):
    """The bridge failed; the fault is its own."""


def error_classes() -> Iterator[type[BridgeError]]:
    """Yield every error that can be raised, in the order of this module; not those that only have others below them."""
    for error in [*globals().values()]:
        if isinstance(error, type) and issubclass(error, BridgeError) and error is not BridgeError:
            is_group = BridgeError in error.__bases__ and bool(error.__subclasses__())
            if not is_group:
                yield error


def meaning_of(code: str) -> str:
    """Return in a sentence what a code says: the first error with it is the one of the most calls."""
    return next((docstring_of(error) for error in error_classes() if error.code == code), "")
