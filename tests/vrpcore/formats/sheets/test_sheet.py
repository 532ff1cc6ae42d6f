import random

import numpy as np
import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.api import Solver
from vrpcore.formats.options import Reading, SheetOptions
from vrpcore.formats.read import read_instances, read_sources
from vrpcore.formats.sheets.sheet import Sheet
from vrpcore.formats.sheets.sheet_columns import STOPS as STOP_NAMES
from vrpcore.instance.instance import Instance, InvalidInstance

STOPS = "id,x,y,demand\n1,1,1,2\n2,3,4,1\n"
ONE = {"depot": (0, 0), "capacity": (9,)}


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02d}"


def random_day(seed):
    """Cells of stops with what they mean, and both as a text in some notation."""
    draw = random.Random(seed)
    separator = draw.choice(",;\t")
    comma, colons = separator != "," and draw.random() < 0.5, draw.random() < 0.5
    stops, lines = [], []
    for number in range(1, draw.randint(2, 8)):
        opens, service = draw.randint(0, 600), draw.randint(0, 30)
        x, y = draw.randint(0, 40) / 4, draw.randint(1, 40) / 4
        stop = {"id": number, "x": x, "y": y, "demand": draw.randint(0, 5), "service": service}
        stop["window"] = [opens, opens + draw.randint(30, 300)]
        if draw.random() < 0.3:
            stop["prize"] = draw.randint(0, 9)
        stops.append(stop)
        times = [clock(each) if colons else str(each) for each in stop["window"]]
        places = [str(each).replace(".", "," if comma else ".") for each in (x, y)]
        line = [str(number), *places, str(stop["demand"]), *times]
        line += [clock(service) if colons else str(service), str(stop.get("prize", ""))]
        lines.append(separator.join(line))
    head = separator.join(
        ["ID", "X coord", "y", "Quantity", "Ready", "Due Date", "service_time", "prize"]
    )
    end = draw.choice(["\n", "\r\n", "\r"])
    text = end.join([head, *lines, ""])
    return stops, ("\ufeff" if draw.random() < 0.3 else "") + text, colons


@pytest.mark.parametrize("seed", range(20))
def test_a_sheet_in_any_notation_is_the_instance_that_json_is(seed):
    stops, text, colons = random_day(seed)
    found = read(text, depot=(5, 5), capacity=(9,), speed=120 if colons else 2)
    assert isinstance(found.origin, Sheet), found
    (expected,) = read_instances(
        {"customers": stops, "depot": [5, 5], "capacity": 9, "speed": 2, "name": "instance-0"}
    )
    constraints, other = found.own_constraints, expected.own_constraints
    assert found.ids == expected.ids
    assert np.array_equal(found.coords, expected.coords)
    for name in ("delivery", "windows", "service", "prize"):
        assert np.array_equal(getattr(constraints, name), getattr(other, name)), name
    speeds = [each.speed * each.vehicles[0].speed for each in (constraints, other)]
    assert speeds[0] == pytest.approx(speeds[1])
    assert constraints.vehicles[0].capacity == other.vehicles[0].capacity
    assert found.origin.table.marked is text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,x,y,demand\n", ""),
        (
            "id,x,y,demanda,1,1,2b,1,1,3",
            "; were line ends lost? curl keeps them with --data-binary",
        ),
    ],
)
def test_a_heading_without_rows(text, said):
    (found,) = faults(text, **ONE)
    assert found == f"input: row 1: there are no rows of stops below the heading{said}"


def test_without_a_depot_or_with_several():
    assert faults(STOPS, capacity=(9,)) == ["input: no depot: give --depot, or a row of type depot"]
    two = "type,x,y\ndepot,1,1\ndepot,2,2\n,3,3\n"
    assert faults(two) == ["input: 2 depots: --fleet must say where vehicles start"]
    assert faults(two.replace("depot,2,2\n", ""), depot=(0, 0)) == [
        "input: row 2, column type: a depot in addition to --depot; give one or the other"
    ]


def test_ranges_and_duplicates_are_reported_with_all_others():
    stops = "id,lat,lon,demand\n1,95,1,1\n2,1,400,x\n1,1,1,-1\n1,1,1,1\n"
    assert faults(stops, depot=(0, 0), capacity=(9,)) == [
        "input: row 2, column lat: 95, expected -90 to 90; are lat and lon exchanged?",
        "input: row 3, column lon: 400, expected -360 to 360",
        "input: row 3, column demand: 'x' is not a number (write only digits, like 12.5)",
        "input: row 4, column demand: -1 is negative, expected at least 0; "
        "what is collected is a pickup",
        "input: row 4, column id: duplicate id '1', also in row 2",
        "input: row 5, column id: duplicate id '1', also in row 2",
    ]


@pytest.mark.parametrize(
    "stops",
    [
        "id,x,y,demand\na,1,1,9\nb,2,2,1\n",
        "id,lat,lon,demand\na,1,1,9\nb,2,2,1\n",
        "id,x,y,demand,pickup\na,1,1,,9\nb,2,2,1,\n",
        "id,x,y,demand_kg,demand_m3\na,1,1,1,9\nb,2,2,1,1\n",
        "id,pickup_x,pickup_y,drop_x,drop_y,seats,x,y\na,1,1,2,2,9,,\nb,,,,,1,2,2\n",
    ],
)
def test_an_order_that_is_too_large_does_not_cost_the_day(stops):
    capacity = (5, 5) if "m3" in stops else (5,)
    found = read(stops, depot=(0, 0), capacity=capacity, speed=30)
    answer = Solver(device="cpu").solve([found], improve="none")[0]
    assert [(each.id, each.reason) for each in answer.unserved] == [("a", "CAPACITY")]
    assert [route.customers for route in answer.routes] == [("b",)]


def test_a_sheet_without_such_an_order_is_a_plain_instance():
    assert read(STOPS, **ONE).constraints is None
    parts = "id,x,y,demand,split\na,1,1,19,yes\nb,2,2,1,\n"
    assert not read(parts, **ONE).own_constraints.listed_vehicles


def test_one_line_says_what_was_read_as_what():
    found = read(
        "id,x,y,phone,adress,demnad\n1,1,1,2,High St 3,much\n",
        "id,capacity,driver\nv,4,Ann\n",
        depot=(0, 0),
    )
    assert list(found.origin.read_as) == [
        "input: id, x, y; not used: phone, adress, demnad",
        "vans.csv: id, capacity; not used: driver",
    ]
    assert found.origin.notes == ["input: no column demand, so capacities do not count"]
    assert read(STOPS, **ONE).origin.notes == []


def test_a_sheet_among_others_that_cannot_be_read(tmp_path):
    (tmp_path / "mon.csv").write_text(STOPS)
    (tmp_path / "tue.csv").write_text("id,x\n1,1\n")
    (tmp_path / "wed.csv").write_text("any thing\n")
    (tmp_path / "thu.json").write_text("[]")
    files = [tmp_path / f"{day}" for day in ("mon.csv", "tue.csv", "wed.csv", "thu.json")]
    result = read_sources(*files, reading=Reading(sheet=SheetOptions(**ONE)))
    types = [Instance, InvalidInstance, InvalidInstance]
    assert [type(item) for item in result.items] == types
    assert {item.kind for item in result.items} == {"csv"}
    assert [item.name for item in result.items] == ["mon", "tue", "wed"]
    assert result.items[2].error.endswith(
        "wed.csv: row 1: no column is known; the first row must name them: some of "
        + ", ".join(STOP_NAMES.fields)
        + "; or say with --columns what 'any thing' means"
    )
    (error,) = result.errors
    assert str(error).endswith("thu.json: --depot, --capacity: only for spreadsheets of stops")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_encodings_of_other_programs(tmp_path, encoding):
    stops, fleet = tmp_path / "m\u00e4rz.csv", tmp_path / "vans.csv"
    text = "\n\nid;L\u00e4ngengrad;Breitengrad;\u00d6ffnungszeiten\nB\u00e4cker \u20ac;13;52;"
    text += "8:00-9:00\n"
    stops.write_bytes(text.encode(encoding))
    fleet.write_bytes("id;Kapazit\u00e4t;lat;lon\nM\u00fcller;9;52;13\n".encode(encoding))
    options = SheetOptions(fleet=str(fleet), speed=30)
    (found,) = read_instances(stops, sheet=options)
    assert found.ids == ("B\u00e4cker \u20ac",)
    assert found.own_constraints.vehicles[0].id == "M\u00fcller"
    assert found.own_constraints.vehicles[0].capacity == (9,)
    assert [row.number for row in found.origin.rows] == [4]
    said = "{}: not UTF-8, so read as Windows-1252, in which Excel saves CSV".format
    notes = [note for note in found.origin.notes if "UTF-8" in note]
    assert notes == ([said(stops), said(fleet)] if encoding == "cp1252" else [])
    assert found.origin.table.marked is (encoding != "utf-8")


@pytest.mark.parametrize("line", ["sep=;\r\n", "sep=,\n", '"sep=\t"\r'])
def test_the_line_with_which_excel_names_the_separator(line):
    sign = line.strip('"\r\n')[-1] if "\t" not in line else "\t"
    stops = line + "id,x,y\n1,0,q\n".replace(",", sign)
    fleet = line + "id,x,y\nv,0,0\n".replace(",", sign)
    (said,) = faults(stops, fleet)
    assert said == "input: row 3, column y: 'q' is not a number (write only digits, like 12.5)"
    found = read(stops.replace("q", "1"), fleet)
    assert found.ids == (1,)


def test_columns_that_are_ignored_are_kept_without_a_message():
    text = "id,x,y,demand,weight,phone\n1,1,1,2,heavy,3\n"
    assert faults(text, **ONE)[0].endswith("; or leave one out: --ignore-columns weight")
    found = read(text, **ONE, ignore_columns=("Weight",))
    assert found.origin.read_as == ["input: id, x, y, demand; not used: weight, phone"]
    assert found.demand.tolist() == [0, 2]
    fleet = "id,x,y,capacity,load\nv,0,0,9,9\n"
    found = read(text, fleet, ignore_columns=("load", "weight"))
    assert found.capacity == 9
