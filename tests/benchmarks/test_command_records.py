import pytest

from benchmarks.records import Column, PageRecord, write_record
from tests.benchmarks.runs import benchmark

PAGE = "# Page\n\n<!-- record: one -->\n| a |\n|---|\n| 1 |\n<!-- end -->\n"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of documents whose page shows an older table."""
    (tmp_path / "results/records").mkdir(parents=True)
    record = PageRecord(
        command="python -m this", machine="Zen 5", columns=[Column("a")], rows=[[2]]
    )
    write_record(tmp_path / "results/records/one.json", record)
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "other.md").write_text("# Other\n")
    monkeypatch.setattr("benchmarks.records.DOCS", tmp_path)
    return tmp_path


def test_pages_that_differ_are_named_and_left(docs):
    found = benchmark("records", "--check", code=1)
    assert found.stdout == f"{docs / 'page.md'}: differs from its records\n"
    assert (docs / "page.md").read_text() == PAGE


def test_pages_are_rendered_once(docs):
    assert benchmark("records").stdout == f"{docs / 'page.md'}: rendered\n"
    assert "`python -m this` · Zen 5\n\n| a |\n|---|\n| 2 |\n" in (docs / "page.md").read_text()
    assert benchmark("records").stdout == ""
    assert benchmark("records", "--check").stdout == ""


def test_a_record_that_is_missing_is_an_error(docs):
    (docs / "results/records/one.json").unlink()
    assert "one.json: no such record" in benchmark("records", code=3).stderr.replace("\n", "")
