import pytest

from tests.cli.runs import lines, named
from vrpcore.learn.train.run_folder import RunFolder


@pytest.fixture(autouse=True)
def undrawn(monkeypatch):
    """Runs whose curves are not drawn, which takes longer than they do."""
    monkeypatch.setattr(RunFolder, "draw", lambda _: None)


@pytest.fixture
def many(tmp_path):
    """A file of 11 small instances."""
    file = tmp_path / "many.jsonl"
    file.write_text(lines(named(11)))
    return file
