"""Keeps what agents ask the user for, and what the user answered, which holds until the user answers otherwise."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec.structs import astuple, replace

from bridge.records import Record
from bridge.state.call_log import DAY_S
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.types import Digest, VaultPath

Kind = Literal["workflow", "server"]

Answer = Literal["", "accept", "reject"]
"""Empty while the user did not answer."""

WAIT_S: Final = 14 * DAY_S
"""Seconds for which what is asked waits for an answer."""

MAX_OF_CLIENT: Final = 20
"""Questions of one program that wait; a further one takes the place of its oldest."""

MAX_WAITING: Final = 200
"""Questions that wait, of all programs."""

ID_DIGITS: Final = 32
"""Digits of a digest in an id: so many that no agent finds another call or workflow with the same."""

DECISIONS: Final = Subject(
    # What the table began with.
    "policies",
    tables=(
        StateTable(
            "decision",
            # Of two answers the later one counts: what was taken back must not hold again.
            "ON CONFLICT (kind, path, name, digest) DO UPDATE SET answer = excluded.answer, by = excluded.by,"
            " answered = excluded.answered, expires = excluded.expires WHERE excluded.answered > answered",
            paths=("path",),
        ),
    ),
    migrations=(
        """
        CREATE TABLE approved_policy (
            path TEXT NOT NULL, digest TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (path, digest)
        ) STRICT;
        """,
        """
        CREATE TABLE decision (
            kind TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, would TEXT NOT NULL,
            client TEXT, asked REAL NOT NULL, expires REAL, lasts INTEGER NOT NULL,
            answer TEXT NOT NULL, answered REAL NOT NULL, by TEXT, PRIMARY KEY (kind, path, name, digest)
        ) STRICT;
        INSERT INTO decision SELECT 'policy', path, '', digest, '', NULL, 0, NULL, 1, 'accept', time, NULL
            FROM approved_policy;
        DROP TABLE approved_policy;
        """,
        "UPDATE decision SET kind = 'workflow' WHERE kind = 'policy';",
    ),
)

COLUMNS: Final = "kind, path, name, digest, would, client, asked, expires, lasts, answer, answered, by"
KEY: Final = "(kind, path, name, digest) = (?, ?, ?, ?)"


class Decision(Record):
    """What agents may do if the user agrees: run the workflow of a note, or call the program of a server."""

    kind: Kind
    path: VaultPath = VaultPath("")
    """The note of a workflow."""
    name: str = ""
    """The name of a server."""
    digest: Digest = Digest("")
    """Of what is to be run or called; the answer holds for nothing else."""
    would: str = ""
    """What a call of a server would do."""
    client: str | None = None
    """The program that asked last."""
    asked: float = 0.0
    """When it did; 0 if the user answered unasked."""
    expires: float | None = None
    """Until when it waits, or until when an agreement to one call holds."""
    lasts: bool = True
    """Whether the answer holds for more than one call."""
    answer: Answer = ""
    answered: float = 0.0
    by: str | None = None
    """The program in which the user answered."""

    @property
    def subject(self) -> str:
        return self.path or self.name

    @property
    def id(self) -> str:
        return f"{self.subject}@{self.digest[:ID_DIGITS]}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.kind, self.path, self.name, self.digest


class Decisions:
    """What was asked and answered in a vault."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database = database
        self._now = now

    def all(self) -> list[Decision]:
        """Return what waits or was answered, the last first."""
        query = f"""
            SELECT {COLUMNS} FROM decision WHERE expires IS NULL OR expires > ?
            ORDER BY max(asked, answered) DESC, rowid DESC
        """  # noqa: S608 - our own names
        return [
            Decision(kind, VaultPath(path), name, Digest(digest), would, client, asked, expires, bool(lasts), *answer)
            for kind, path, name, digest, would, client, asked, expires, lasts, *answer in self._database.rows(
                query, self._now()
            )
        ]

    def approved_workflows(self) -> Mapping[VaultPath, Digest]:
        return {one.path: one.digest for one in self.all() if one.kind == "workflow" and one.answer == "accept"}

    def find_answer(self, decision: Decision) -> Answer:
        return next((one.answer for one in self.all() if one.key == decision.key), "")

    def use(self, decision: Decision) -> Answer:
        """Return the answer to a question before the call is made; an agreement to one call is used up by it."""
        with self._database.transaction() as connection:
            answer = self.find_answer(decision)
            if answer == "accept":
                connection.execute(f"DELETE FROM decision WHERE {KEY} AND NOT lasts", decision.key)  # noqa: S608
        return answer

    def ask(self, decision: Decision, client: str | None) -> None:
        """Have a question wait for the user, unless it was answered; asked again, it waits as one."""
        insert = f"""
            INSERT INTO decision ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, NULL)
            ON CONFLICT (kind, path, name, digest) DO UPDATE
            SET client = excluded.client, asked = excluded.asked, expires = excluded.expires WHERE answer = ''
        """  # noqa: S608
        trim = """
            DELETE FROM decision WHERE rowid IN (
                SELECT rowid FROM decision WHERE answer = '' AND (?1 OR client IS ?2)
                ORDER BY asked DESC, rowid DESC LIMIT -1 OFFSET ?3
            )
        """
        now = self._now()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM decision WHERE expires <= ?", (now,))
            connection.execute(insert, (*decision.key, decision.would, client, now, now + WAIT_S, decision.lasts))
            connection.execute(trim, (False, client, MAX_OF_CLIENT))
            connection.execute(trim, (True, None, MAX_WAITING))

    def answer(self, decision: Decision, answer: Answer, by: str | None) -> Decision:
        """Keep and return the user's answer, which replaces an agreement to an earlier version of the same."""
        expires = None if decision.lasts or answer == "reject" else self._now() + WAIT_S
        earlier = "DELETE FROM decision WHERE (kind, path, name) = (?, ?, ?) AND lasts AND answer = 'accept'"
        insert = f"INSERT OR REPLACE INTO decision ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        row = replace(decision, expires=expires, answer=answer, answered=self._now(), by=by)
        with self._database.transaction() as connection:
            if answer == "accept" and decision.lasts:
                connection.execute(earlier, decision.key[:3])
            connection.execute(insert, astuple(row))
        return row
