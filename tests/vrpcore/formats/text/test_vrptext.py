import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError
from vrpcore.formats.text.vrptext import parse_number, split_vrp


def test_keywords_sections_and_rows():
    found = split_vrp("NAME : a: b \nCOMMENT:\n\nDEMAND_SECTION\n 1 2\n\n3\t-4e1 \nEOF\n")
    assert {key: header.value for key, header in found.headers.items()} == {
        "NAME": "a: b",
        "COMMENT": "",
    }
    section = found.sections["DEMAND_SECTION"]
    assert [(line, row.tolist()) for line, row in section.rows] == [(5, [1, 2]), (7, [3, -40])]
    assert (section.line, section.count, found.ended) == (4, 4, True)


def test_rows_may_be_long():
    found = split_vrp("EDGE_WEIGHT_SECTION\n" + "1 2.5 " * 2000 + "3\nEOF\n")
    ((_, row),) = found.sections["EDGE_WEIGHT_SECTION"].rows
    assert row.tolist() == [1, 2.5] * 2000 + [3]


@pytest.mark.parametrize("end", ["+", "-", ".", "1e", "1x"])
@pytest.mark.parametrize("before", [0, 2, 999, 1000, 2500])
def test_a_row_that_ends_in_no_number(before, end):
    with pytest.raises(InstanceError, match=r"line 2: EDGE_WEIGHT_SECTION: .* is not a finite"):
        split_vrp("EDGE_WEIGHT_SECTION\n" + "1 " * before + end + "\nEOF\n")


def test_a_header_ends_a_section():
    with pytest.raises(InstanceError, match=r"line 3: '1 2', expected 'KEYWORD : value'"):
        split_vrp("DEMAND_SECTION\nNAME : x\n1 2\n")


def test_an_unknown_keyword_has_a_suggestion():
    with pytest.raises(InstanceError, match=r"PRICE_SECTION: unknown .* mean PRIZE_SECTION\?"):
        split_vrp("PRICE_SECTION\n1 2\n")


@given(st.floats(1e-100, 1e100) | st.integers(-(10**99), 10**99))
def test_numbers_are_read_back(number):
    assert parse_number(str(number), "x") == float(number)


@pytest.mark.parametrize("text", ["1", "+1", "1.", ".5", "-1.5e-3", "1E+2", "007"])
def test_every_notation(text):
    assert parse_number(text, "x") == float(text)


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "-Infinity", "1_0", "1e", ".", "1 2", "0x1", "\u0661", "--1"]
)
def test_what_is_no_number(text):
    with pytest.raises(InstanceError, match=r"^line 3: .* is not a finite number$"):
        parse_number(text, "line 3")
