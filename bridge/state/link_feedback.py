"""Keeps the user's feedback on suggested links."""

from collections.abc import Callable, Collection

from msgspec.structs import astuple

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.types import VaultPath

COLUMNS = "source, target, form, accepted, declined, by_agents"
ADD = (
    "ON CONFLICT (source, target, form) DO UPDATE"
    " SET accepted = accepted + excluded.accepted, declined = declined + excluded.declined,"
    " by_agents = by_agents + excluded.by_agents"
)

FEEDBACK = Subject(
    "feedback",
    tables=(
        StateTable(
            "verdict",
            "ON CONFLICT (source, target, form) DO UPDATE"
            " SET accepted = max(accepted, excluded.accepted), declined = max(declined, excluded.declined),"
            " by_agents = max(by_agents, excluded.by_agents)",
            paths=("source", "target"),
            join=f"{ADD}, seen = max(seen, excluded.seen)",
        ),
    ),
    migrations=("ALTER TABLE verdict ADD COLUMN by_agents INTEGER NOT NULL DEFAULT 0;",),
)


class LinkFeedback(Record):
    """How often a link from one note to another, at one of its names, was accepted and declined.

    An accepted link that the user later removed counts as declined.
    """

    source: VaultPath
    target: VaultPath
    form: str
    """The name, case-folded."""
    accepted: int
    declined: int
    by_agents: int = 0
    """How often an agent declined it, of all these."""


class FeedbackLog:
    """The feedback on every suggested link."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.load()

    def load(self) -> None:
        """Read in which notes a link was accepted; held in memory, as it is asked after every edit."""
        rows = self._database.connection.execute("SELECT DISTINCT source FROM verdict WHERE accepted > 0")
        self.notes_with_accepted = frozenset(VaultPath(source) for (source,) in rows)
        """The notes in which a link was accepted."""

    def all(self) -> list[LinkFeedback]:
        rows = self._database.rows(f"SELECT {COLUMNS} FROM verdict ORDER BY source, target, form")  # noqa: S608
        return [LinkFeedback(VaultPath(source), VaultPath(target), *rest) for source, target, *rest in rows]

    def add(self, feedback: LinkFeedback) -> None:
        with self._database.transaction() as connection:
            connection.execute(f"INSERT INTO verdict ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) {ADD}", astuple(feedback))  # noqa: S608
            self.load()

    def revive(self, target: VaultPath, source: VaultPath | None = None, *, by_user: bool = True) -> None:
        """Forget declined links to a note, in one note or in all; those that the user declined only for the user."""
        left = "0" if by_user else "declined - by_agents"
        query = f"UPDATE verdict SET declined = {left}, by_agents = 0 WHERE target = ? AND (? IS NULL OR source = ?)"  # noqa: S608
        self._database.write(query, (target, source, source))

    def follow_links(
        self, source: VaultPath, links: Collection[VaultPath], exists: Callable[[VaultPath], bool]
    ) -> None:
        """Update the feedback on accepted links of a note: one that was there and is gone counts as declined."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE verdict SET seen = 1 WHERE source = ? AND target = ?", [(source, target) for target in links]
            )
            rows = connection.execute(
                "SELECT target FROM verdict WHERE source = ? AND seen AND accepted > 0", (source,)
            ).fetchall()
            connection.executemany(
                "UPDATE verdict SET declined = declined + accepted, accepted = 0, seen = 0"
                " WHERE source = ? AND target = ?",
                [(source, target) for (target,) in rows if target not in links and exists(VaultPath(target))],
            )
            self.load()
