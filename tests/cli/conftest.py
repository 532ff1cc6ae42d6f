import pytest

from tests.cli.runs import lines, named


@pytest.fixture(autouse=True)
def always_undrawn(undrawn):
    """See `undrawn`."""


@pytest.fixture
def many(tmp_path):
    """A file of 11 small instances."""
    file = tmp_path / "many.jsonl"
    file.write_text(lines(named(11)))
    return file
