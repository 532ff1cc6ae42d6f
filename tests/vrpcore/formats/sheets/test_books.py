"""Spreadsheets as dispatchers have them are read right, or refused with a question."""

from dataclasses import replace
from functools import partial

import pytest

from tests.vrpcore.formats.sheets.books import BOOKS, HEADINGS, Book
from tests.vrpcore.formats.sheets.drawn import documented, drawn, meaningful

pytest.importorskip("python_calamine", reason="needs the extra sheets")
pytest.importorskip("xlsxwriter", reason="needs the extra sheets")


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: f"{book.language}-{book.form}")
def test_a_spreadsheet_is_read_right_or_refused_with_a_question(book):
    outcome, said = book.found()
    assert outcome == book.outcome, said


@pytest.mark.parametrize(
    ("book", "outcome", "said"),
    [
        (Book("English", "utf-8", ",", clock="%d %b %Y %H:%M"), "asked", "is not a time (write HH"),
        (Book("German", "utf-8", ";", ",", clock="%d.%m.%y %H:%M"), "asked", "is not a time"),
        (Book("Polish", "cp1250", ";", ",", clock="%Y-%m-%d"), "asked", "a date without a time of"),
        (Book("Spanish", "xlsx", decimal=",", thousands=".", is_round=True), "right", "Stops"),
        (
            Book("English", "xlsx", decimal=".", thousands=",", is_round=True),
            "asked",
            "may be 1250",
        ),
        (Book("Dutch", "cp1252", ";", ",", clock="%-H.%M uur"), "right", "as Windows-1252"),
        (Book("French", "utf-8", ",", clock="%Y-%m-%dT%H:%M:%S.000Z"), "right", "offset Z from"),
    ],
)
def test_others(book, outcome, said):
    found, message = book.found()
    assert (found, said in message) == (outcome, True), message


@pytest.mark.parametrize("language", HEADINGS)
def test_columns_with_a_meaning_are_read_or_asked_about(language, tmp_path):
    case = drawn(partial(meaningful, language, 0), tmp_path)
    outcome, said = case.judged(tmp_path)
    assert outcome != "wrong", f"{case.described}\n{said}"


@pytest.mark.parametrize("language", HEADINGS)
def test_documented_columns_are_read_without_a_question(language, tmp_path):
    case = documented(True, language, 1, 0)
    outcome, said = case.judged(tmp_path)
    assert outcome == "right", f"{case.described}\n{said}"


def test_who_does_not_read_a_column_is_found_wrong(tmp_path):
    case = drawn(partial(documented, False, "English", 0), tmp_path)
    unread = [replace(case, document=case.without(feature)) for feature in case.features]
    assert {each.judged(tmp_path)[0] for each in unread} == {"wrong"}
