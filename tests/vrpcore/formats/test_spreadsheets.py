from vrpcore.formats.spreadsheets import read_columns


def test_columns_are_read_by_the_delimiter_that_makes_a_name_of_one():
    columns, rows = read_columns(b"kind;name;cost\na,b;x;1,5\n\n;y;2\n")
    assert columns == ("kind", "name", "cost")
    assert rows == [
        {"kind": "a,b", "name": "x", "cost": "1,5"},
        {"kind": "", "name": "y", "cost": "2"},
    ]
