from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.spreadsheets import TEMPLATE, read_columns


def test_columns_are_read_by_the_delimiter_that_makes_a_name_of_one():
    columns, rows = read_columns(b"kind;name;cost\na,b;x;1,5\n\n;y;2\n")
    assert columns == ("kind", "name", "cost")
    assert rows == [
        {"kind": "a,b", "name": "x", "cost": "1,5"},
        {"kind": "", "name": "y", "cost": "2"},
    ]


def test_each_column_of_the_template_is_read_but_one(tmp_path):
    for name, text in TEMPLATE.items():
        (tmp_path / name).write_text(text)
    options = SheetOptions(fleet=str(tmp_path / "vans.csv"))
    (instance,) = read_instances(tmp_path / "stops.csv", sheet=options)
    first, second = (line.removeprefix(f"{tmp_path}/") for line in instance.origin.read_as)
    assert first.startswith("stops.csv: id, name, lat, lon, demand, open, close, service, skills")
    assert first.endswith(", prize; not used: phone")
    assert second.startswith("vans.csv: id, count, capacity, lat, lon, open, close, speed, fixed")
