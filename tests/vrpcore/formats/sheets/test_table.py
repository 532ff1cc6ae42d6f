import pytest

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.files import open_reader
from vrpcore.formats.sheets import table
from vrpcore.formats.sheets.table import Faults, parse_table, read_text


def parsed(text, delimiter=",", first_row=1):
    return parse_table(text, delimiter, "stops.csv", first_row)


def test_rows_are_numbered_as_a_spreadsheet_does():
    found = parsed('id,name,,\n1,"a\nb"\n\n , \n2\n', first_row=3)
    assert found.header == ("id", "name")
    assert found.rows == [(4, ["1", "a\nb"]), (7, ["2", ""])]
    assert found.head_place == "stops.csv: row 3"
    assert found.place(found.rows[1], 0) == "stops.csv: row 7, column id"
    assert found.place(found.rows[1], 0, None, 1) == "stops.csv: row 7, columns id and name"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('a,b\n1,"2\n', r"row 2: unexpected end of data; check the quotes"),
        ('a,b\n1,"2"3\n', r"row 2: .* expected after"),
        ("a,b\n1,2,,\n1,2,,3\n", r"row 3: 4 cells, but the first row names 2 columns; put cells"),
        (",".join("ab" * 1000) + "\n", r"row 1: 2000 columns, the limit is 1000"),
        ("a\n" + "x" * 200_000, r"row 2: field larger than field limit"),
    ],
)
def test_tables_that_are_none(text, said):
    with pytest.raises(InstanceError, match=rf"^stops\.csv: {said}"):
        parsed(text)


def test_too_many_rows(monkeypatch):
    monkeypatch.setattr(table, "MAX_ROWS", 3)
    assert len(parsed("a\n1\n2\n").rows) == 2
    with pytest.raises(InstanceError, match=r"row 4: more than 3 rows; split the file") as caught:
        parsed("a\n\n\n\n\n")
    assert caught.value.code == "TOO_LARGE"


def test_columns_without_a_name_and_control_characters_in_one():
    found = parsed("a\x1b,,c\n1,2,3\n")
    assert found.place(found.rows[0], 0) == "stops.csv: row 2, column a\\x1b"
    assert found.place(found.rows[0], 1) == "stops.csv: row 2, column number 2"


def text_of(data):
    with open_reader(data) as reader:
        reader.skip_blank()
        return read_text(reader)


def test_texts_of_other_encodings():
    assert text_of("\ufeffid\n\u00e4".encode()) == ("id\n\u00e4", 1, "utf-8")
    assert text_of("\nid\n\u00e4".encode("cp1252")) == ("id\n\u00e4", 2, "cp1252")
    assert text_of("\n \nid\n\u00e4".encode("utf-16")) == ("id\n\u00e4", 3, "utf-16")
    polish = "Nazwa\nPaweł Świeży\nIlość"
    assert text_of(polish.encode("cp1250")) == (polish, 1, "cp1250")
    assert text_of("Volume m³\nCœur¹".encode("cp1252"))[2] == "cp1252"
    assert text_of(b"id\n\x8f")[2] == "cp1250"  # which Windows-1252 does not have
    with pytest.raises(InstanceError, match=r"line 3: neither UTF-8 nor Windows-1252 \(byte 0x81"):
        text_of(b"id\n1\n\x81\n")
    with pytest.raises(InstanceError, match="neither UTF-8"):
        text_of(b"\xff\xfei\0d")


def test_a_text_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(table, "MAX_SHEET_BYTES", 10)
    with pytest.raises(InstanceError, match=r"the text is larger than 10 bytes"):
        text_of(b"id\n" + b"1\n" * 2**18)


def test_faults_are_told_up_to_a_limit():
    found = Faults()
    found.check()
    for number in range(25):
        found.add(fault(f"row {number}", "wrong", f"CODE{number}"))
    with pytest.raises(InstanceError) as caught:
        found.check()
    lines = str(caught.value).split("\n")
    assert (lines[0], len(lines), lines[-1]) == ("row 0: wrong", 21, "... and 5 more errors")
    assert caught.value.code == "CODE0"
