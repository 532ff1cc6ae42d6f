import pytest
import yaml

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.formats.files import ByteReader
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.sheet_tables import columns_file

STOPS = """\
No,Kunde,lat,lon,Gewicht kg,demand_m3,Zeitfenster,Halt (s),Last,Yes
1,Ann,52,13,4,1,8:00-9:00,90,20,Main St
2,Bob,52,13,5,1,,90,30,Side St
"""


def written(text, **options):
    return columns_file(
        ByteReader(iter([text.encode()]), "stops.csv", "stops"), SheetOptions(**options)
    )


def test_what_is_known_is_written_and_what_is_not_has_a_comment(tmp_path):
    (tmp_path / "vans.csv").write_text("van,speed mph,cost per km,Limit\nv,30,2,9\n")
    text = written(STOPS.replace("demand_m3", "service"), fleet=str(tmp_path / "vans.csv"))
    assert text.splitlines()[1:-2] == [
        "# Correct it, and give it with --columns, or call it stops.columns.yaml.",
        "stops:",
        '  "No": id',
        '  "Kunde": name',
        '  "lat": lat',
        '  "lon": lon',
        '  "Gewicht kg": demand',
        '  "service": service',
        '  "Zeitfenster": window',
        '  "Halt (s)":  # 90, 90: demand, service, ...?; write what it means, or ignore',
        '  "Last":  # 20, 30: demand, service, ...?; write what it means, or ignore',
        '  "Yes": ignore',
        "fleet:",
        '  "van": id',
        '  "speed mph": speed (mi/h)',
        '  "cost per km": distance_cost (/km)',
        '  "Limit":  # 9: max_...?; write what it means, or ignore',
    ]
    assert yaml.safe_load(text)["stops"]["Yes"] == "ignore"


def test_what_is_written_is_read_so(tmp_path):
    text = STOPS.replace("Gewicht kg", "demand_kg").replace("Halt (s)", "service (s)")
    (tmp_path / "m.yaml").write_text(written(text).replace('"Last":', '"Last": ignore'))
    options = {"depot": (52, 13), "capacity": (99, 99), "speed": 30}
    (given,), (known,) = (
        read_instances(text.encode(), sheet=SheetOptions(**options, **more))
        for more in ({"columns": str(tmp_path / "m.yaml")}, {"ignore_columns": ("Last",)})
    )
    assert given.own_constraints.delivery.tolist() == [[4, 1], [5, 1]]
    assert given.own_constraints.service.tolist() == [1.5, 1.5]
    assert given.origin.read_as == known.origin.read_as
    assert given.origin.read_as[0].endswith(
        "demand_kg, demand_m3, window = Zeitfenster, service; not used: Last, Yes"
    )


def test_columns_that_are_twice_there_get_one_line_and_no_meaning():
    text = written(
        "x,y,Menge,Gewicht (kg),note,note,Ort,Ort\n1,1,1,2,a,b,bla,1\n2,2,1,2,a,b,blu,3\n"
    )
    assert yaml.safe_load(text)["stops"] == {
        "x": "x",
        "y": "y",
        "Menge": "demand",
        "Gewicht (kg)": None,
        "note": "ignore",
        "Ort": None,
    }
    assert "# means the same as Menge, which is read; write what it means, or ignore" in text


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("stuff",), None),
        (("rest",), None),
        (("Rest",), None),
        (("stuf",), "--ignore-columns: no column 'stuf' in input"),
        ((), "input: columns that nothing reads"),
    ],
)
def test_columns_are_ignored_by_name_or_all(names, said):
    text, how = "id,x,y,stuff\n1,1,1,5\n2,1,1,7\n", {"depot": (0, 0), "ignore_columns": names}
    if said is None:
        assert read(text, **how).ids == (1, 2)
    else:
        assert faults(text, **how)[0].startswith(said)


def test_a_column_may_be_called_rest():
    text = "id,x,y,rest\n1,1,1,5\n2,1,1,7\n"
    how = {"depot": (0, 0), "ignore_columns": ("rest",)}
    assert read(text, **how).ids == (1, 2)
    both = "id,x,y,stuff,rest\n1,1,1,4,5\n2,1,1,3,7\n"
    assert "stuff   4, 3" in faults(both, **how)[2]
