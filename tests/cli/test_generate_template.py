"""Example spreadsheets; `test_sheets.py` solves them."""

import pytest

from tests.cli.runs import names, one_line, vrp


@pytest.mark.parametrize("words", [["--count", 5], ["--variant", "cvrp"], ["--label-seconds", 1]])
def test_nothing_is_drawn(tmp_path, words):
    found = vrp("generate", "--template", "csv", "-o", tmp_path / "today", *words, code=2)
    assert f"{words[0]}: not with --template, which draws nothing" in one_line(found.stderr)
    assert not names(tmp_path)


def test_files_that_are_there_stay(tmp_path):
    (tmp_path / "vans.csv").write_text("mine")
    found = vrp("generate", "--template", "csv", "-o", tmp_path, code=8)
    assert "vans.csv: already exists; choose another folder" in one_line(found.stderr)
    assert names(tmp_path) == ["vans.csv"]
    assert (tmp_path / "vans.csv").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    found = vrp("generate", "--template", "csv", "-o", tmp_path / "file" / "today", code=8)
    assert "today: cannot be written: " in one_line(found.stderr)
