import contextlib
import json
import sqlite3
from functools import partial

import pytest

from vrpcore.errors import OutputError
from vrpcore.serve.jobs import DONE, FAILED, QUEUED, RUNNING, JobStore


@pytest.fixture
def store(tmp_path):
    made = JobStore(tmp_path / "state" / "jobs.sqlite")
    yield made
    made.close()


def test_oldest_first_and_each_once(store):
    names = [store.add(f"{number}".encode(), "{}", number) for number in range(3)]
    assert len(set(names)) == 3
    for number, name in enumerate(names):
        record, body = store.take()
        assert (record.id, record.status, record.instances) == (name, RUNNING, number)
        assert body == f"{number}".encode()
    assert store.take() is None


def test_an_answer_is_kept_once(store):
    name = store.add(b"body", "{}", 1)
    store.finish(name, DONE, b"too early")  # nobody is running it
    assert store.find_answered(name)[1] == b""
    store.take()
    store.finish(name, DONE, b"first")
    store.finish(name, FAILED, b"second")
    assert store.find_answered(name)[1] == b"first"
    assert store.find(name).status == DONE
    assert store.find(name).finished >= store.find(name).submitted
    assert store.counts() == {DONE: 1}


def test_the_answer_of_a_job_that_is_done_is_read_only_where_it_is_wanted(store):
    for status in (DONE, FAILED):
        name = store.add(b"body", "{}", 1)
        store.take()
        store.finish(name, status, b"told")
        record, told = store.find_answered(name, done=False)
        assert (record.status, told) == (status, b"" if status == DONE else b"told")


def test_what_may_be_large_stands_behind_what_is_looked_at(tmp_path):
    """SQLite would walk through all of a body to read what stands behind it."""
    file = tmp_path / "jobs.sqlite"
    JobStore(file).close()
    with contextlib.closing(sqlite3.connect(file)) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(jobs)")]
    assert columns[-2:] == ["body", "answer"]


def test_a_job_that_ends_three_servers_has_failed(tmp_path):
    file = tmp_path / "jobs.sqlite"
    with contextlib.closing(JobStore(file)) as store:
        guilty, other = store.add(b"a", "{}", 1), store.add(b"b", "{}", 1)
        for _ in range(9):  # a server that stops in time does not count
            store.take()
            store.release(guilty)
    for _ in range(3):
        with contextlib.closing(JobStore(file)) as store:
            assert store.take()[0].id == guilty
    with contextlib.closing(JobStore(file)) as store:
        record, told = store.find(guilty), json.loads(store.find_answered(guilty)[1])
        assert (record.status, told["code"]) == (FAILED, "SERVER")
        assert told["message"].startswith("the server ended 3 times while this job was running, ")
        assert record.finished >= record.submitted
        assert store.take()[0].id == other


def test_the_file_of_an_earlier_version_is_used(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "jobs.sqlite")) as earlier:
        earlier.execute(
            "CREATE TABLE jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
            " status TEXT NOT NULL, options TEXT NOT NULL, body BLOB NOT NULL,"
            " instances INTEGER NOT NULL DEFAULT 0, submitted REAL NOT NULL, finished REAL,"
            " answer BLOB)"
        )
        row = ("old", RUNNING, "{}", b"body", 1.0)
        columns = "id, status, options, body, submitted"
        earlier.execute(f"INSERT INTO jobs ({columns}) VALUES (?, ?, ?, ?, ?)", row)  # noqa: S608
        earlier.commit()
    with contextlib.closing(JobStore(tmp_path / "jobs.sqlite")) as store:
        record, body = store.take()
        assert (record.id, body) == ("old", b"body")


def test_pages_by_hand(store):
    names = [store.add(b"", "{}", number) for number in range(3)]
    assert [(number, record.id) for number, record in store.page(None, 2)] == [
        (3, names[2]), (2, names[1]),
    ]  # fmt: skip
    assert [record.id for _, record in store.page(2, 9)] == [names[0]]
    assert store.page(1, 9) == []


def test_released_and_removed(store):
    name = store.add(b"a", "{}", 1)
    store.take()
    store.release(name)
    assert store.find(name).status == QUEUED
    assert store.remove(name)
    assert not store.remove(name)
    assert store.find(name) is None
    store.finish(name, DONE, b"late")
    assert store.find_answered(name) is None


def test_names_cannot_reach_into_the_database(store):
    store.add(b"a", "{}", 1)
    assert store.find("' OR 1=1 --") is None
    assert not store.remove("' OR 1=1 --")
    assert store.counts() == {QUEUED: 1}


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "jobs.sqlite").write_bytes(b"something else, long enough to be looked at" * 40)
    with pytest.raises(OutputError, match="cannot be used as the job database"):
        JobStore(tmp_path / "jobs.sqlite")


def test_a_second_server_is_refused_until_the_first_has_ended(store, tmp_path):
    store.add(b"a", "{}", 1)
    running, _ = store.take()
    file = tmp_path / "state" / "jobs.sqlite"
    with pytest.raises(OutputError, match="another server has it: give each a file of its own"):
        JobStore(file)
    assert store.find(running.id).status == RUNNING
    store.close()
    with contextlib.closing(JobStore(file)) as second:
        assert second.find(running.id).status == QUEUED


@pytest.mark.parametrize("needed", [2**20, 2**21])
def test_where_the_disk_is_full_a_job_is_deleted_with_what_is_spare(tmp_path, monkeypatch, needed):
    def spare():
        return sum(file.stat().st_size for file in tmp_path.glob("*-spare"))

    class Full(sqlite3.Connection):
        def execute(self, command, *values):
            if command.startswith("DELETE") and 2**20 - spare() < needed:
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(command, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with contextlib.closing(JobStore(tmp_path / "jobs.sqlite")) as store:
        name = store.add(b"a", "{}", 1)
        if needed == 2**20:
            assert store.remove(name)
        else:
            with pytest.raises(OutputError, match="disk is full"):
                store.remove(name)
        assert (store.find(name) is None, spare()) == (needed == 2**20, 2**20)
    assert [file.name for file in tmp_path.iterdir()] == ["jobs.sqlite"]


def test_a_failed_write_leaves_nothing_half_done(tmp_path):
    file = tmp_path / "jobs.sqlite"
    JobStore(file).close()
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute(
            "CREATE TRIGGER full AFTER DELETE ON jobs BEGIN SELECT RAISE(FAIL, 'disk full'); END"
        )
    with contextlib.closing(JobStore(file)) as store:
        name = store.add(b"a", "{}", 1)
        with pytest.raises(OutputError, match="disk full"):
            store.remove(name)
        assert store.find(name) is not None
        assert store.take()[0].id == name
