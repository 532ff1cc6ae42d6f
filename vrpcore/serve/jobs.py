"""Large jobs on disk: accepted is kept, whatever happens to the server."""

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from vrpcore.errors import InstanceError, OutputError
from vrpcore.serve.job_progress import JobProgress

QUEUED, RUNNING, DONE, FAILED = STATUSES = "queued", "running", "done", "failed"
MOST_ENDS = 3  # of servers while a job was running, until it counts as failed
# Of disk that is kept for deleting jobs once it is full: SQLite notes first what it will change.
_SPARE_BYTES = 2**20
_ENDED = {
    "code": "SERVER",
    "message": f"the server ended {MOST_ENDS} times while this job was running, perhaps for lack "
    "of memory; send its instances in several jobs, or report a bug",
}

# What may be large comes last: SQLite walks through all of a row that stands before what it reads.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    options TEXT NOT NULL,
    instances INTEGER NOT NULL DEFAULT 0,
    submitted REAL NOT NULL,
    finished REAL,
    ends INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL,
    answer BLOB
)
"""


class JobRecord(NamedTuple):
    """One job as it stands on disk.

    Attributes:
        id: What its owner knows it by; cannot be guessed.
        status: `queued`, `running`, `done` or `failed`.
        options: The query it was submitted with, as JSON.
        instances: How many it holds.
        submitted: Unix time.
        finished: Unix time; None before.
    """

    id: str
    status: str
    options: str
    instances: int
    submitted: float
    finished: float | None


_RECORD = ", ".join(JobRecord._fields)


class JobStore:
    """Jobs in one SQLite file, for one server process and all its threads.

    Args:
        path: The file; made with its folder where it is missing.

    Attributes:
        progress: Of the job that is worked off; set by its runner, None in between. It is in
            memory only.

    Raises:
        OutputError: The file cannot be used, or another server has it.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._spare = path, path.with_name(f"{path.name}-spare")
        self.progress: JobProgress | None = None
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            with ExitStack() as unless_it_works:
                unless_it_works.callback(self._database.close)
                # The next server would do again what is running: it is kept out until this ends.
                self._database.execute("PRAGMA locking_mode=EXCLUSIVE")
                # A change is in the file once it is made, and a full disk undoes it.
                self._database.execute("PRAGMA journal_mode=DELETE")
                self._database.execute("PRAGMA synchronous=FULL")
                self._database.execute("BEGIN EXCLUSIVE")
                self._database.execute("COMMIT")
                self._spare.unlink(missing_ok=True)  # of a server that was killed
                self._database.execute(_SCHEMA)
                self._begin_again()
                self._keep_spare()
                unless_it_works.pop_all()
        except (sqlite3.Error, OSError) as error:
            message = f"{path}: cannot be used as the job database: {error}"
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                message += "; another server has it: give each a file of its own (--jobs)"
            raise OutputError(message) from None

    def _begin_again(self) -> None:
        """Queue jobs again, a few times at most, that ran when the last server ended."""
        columns = [row[1] for row in self._database.execute("PRAGMA table_info(jobs)")]
        if "ends" not in columns:
            self._database.execute("ALTER TABLE jobs ADD COLUMN ends INTEGER NOT NULL DEFAULT 0")
        self._database.execute(
            "UPDATE jobs SET status=?, ends=ends+1 WHERE status=?", (QUEUED, RUNNING)
        )
        self._database.execute(
            "UPDATE jobs SET status=?, answer=?, finished=?, body=x'' WHERE status=? AND ends>=?",
            (FAILED, json.dumps(_ENDED).encode(), time.time(), QUEUED, MOST_ENDS),
        )

    def add(self, body: bytes, options: str, instances: int) -> str:
        """Keeps a job; it survives from here on.

        Returns:
            Its id.

        Raises:
            OutputError: The disk refuses.
        """
        job_id = secrets.token_urlsafe(16)
        with self._open() as database:
            database.execute(
                "INSERT INTO jobs (id, status, options, body, instances, submitted)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (job_id, QUEUED, options, body, instances, time.time()),
            )
        return job_id

    def take(self) -> tuple[JobRecord, bytes] | None:
        """The oldest queued job and its body, now running; None where there is none."""
        with self._open() as database:
            row = database.execute(
                f"UPDATE jobs SET status=? WHERE number=("  # noqa: S608 - only constants
                f"SELECT MIN(number) FROM jobs WHERE status=?) RETURNING {_RECORD}, body",
                (RUNNING, QUEUED),
            ).fetchone()
        return None if row is None else (JobRecord(*row[:-1]), bytes(row[-1]))

    def finish(self, job_id: str, status: str, answer: bytes) -> None:
        """Keeps an answer, once; nothing happens where the job is gone or finished."""
        with self._open() as database:
            database.execute(
                "UPDATE jobs SET status=?, answer=?, finished=?, body=x'' WHERE id=? AND status=?",
                (status, answer, time.time(), job_id, RUNNING),
            )

    def release(self, job_id: str) -> None:
        """A running job is to be done again, later."""
        with self._open() as database:
            database.execute(
                "UPDATE jobs SET status=? WHERE id=? AND status=?", (QUEUED, job_id, RUNNING)
            )

    def find(self, job_id: str) -> JobRecord | None:
        """A job by its id."""
        with self._open() as database:
            row = database.execute(
                f"SELECT {_RECORD} FROM jobs WHERE id=?",  # noqa: S608 - only constants
                (job_id,),
            ).fetchone()
        return None if row is None else JobRecord(*row)

    def page(self, before: int | None, most: int) -> list[tuple[int, JobRecord]]:
        """Jobs with their numbers, the newest first.

        Args:
            before: Only those with a smaller number; None: all.
            most: How many at most.
        """
        with self._open() as database:
            rows = database.execute(
                f"SELECT number, {_RECORD} FROM jobs"  # noqa: S608 - only constants
                " WHERE ? IS NULL OR number < ? ORDER BY number DESC LIMIT ?",
                (before, before, most),
            ).fetchall()
        return [(row[0], JobRecord(*row[1:])) for row in rows]

    def find_answered(self, job_id: str, *, done: bool = True) -> tuple[JobRecord, bytes] | None:
        """A job by its id, and what it was answered with; empty before it is finished.

        Args:
            job_id: The job.
            done: Also the answer of one that is done, which may be large.
        """
        with self._open() as database:
            row = database.execute(
                f"SELECT {_RECORD}, CASE WHEN ? OR status=? THEN answer END"  # noqa: S608 - constants
                " FROM jobs WHERE id=?",
                (done, FAILED, job_id),
            ).fetchone()
        return None if row is None else (JobRecord(*row[:-1]), bytes(row[-1] or b""))

    def remove(self, job_id: str) -> bool:
        """Forgets a job; False where there is none. On a full disk, what is spare is used for it.

        Raises:
            OutputError: The disk refuses all the same.
        """
        try:
            return self._removed(job_id)
        except OutputError:
            with suppress(OSError):
                self._spare.unlink()
        try:
            return self._removed(job_id)
        finally:
            self._keep_spare()

    def _keep_spare(self) -> None:
        with suppress(OSError):  # as much of it as there is room for
            self._spare.write_bytes(os.urandom(_SPARE_BYTES))

    def _removed(self, job_id: str) -> bool:
        with self._open() as database:
            return database.execute("DELETE FROM jobs WHERE id=?", (job_id,)).rowcount > 0

    def counts(self) -> dict[str, int]:
        """The number of jobs of each status."""
        with self._open() as database:
            rows = database.execute("SELECT status, COUNT(*) FROM jobs GROUP BY status").fetchall()
        return dict(rows)

    def close(self) -> None:
        """Gives the file back."""
        with self._lock:
            self._database.close()
        with suppress(OSError):
            self._spare.unlink()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it or nothing.

        Raises:
            InstanceError: What is to be kept is larger than SQLite takes (code TOO_LARGE).
            OutputError: The disk refuses.
        """
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    yield self._database
                    self._database.execute("COMMIT")
                except BaseException:
                    if self._database.in_transaction:  # a full disk may have ended it
                        self._database.execute("ROLLBACK")
                    raise
            except (sqlite3.DataError, OverflowError):
                message = "more than can be kept of one job; send its instances in several jobs"
                raise InstanceError(message, code="TOO_LARGE") from None
            except sqlite3.Error as error:
                raise OutputError(f"{self._path}: {error}") from None
