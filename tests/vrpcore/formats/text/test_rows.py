import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.text.rows import (
    RowReader,
    check_visits,
    first_depot,
    read_visit,
    vehicles_of,
    visits_instance,
)

COLUMNS = "no x y demand open close service"


def visits(text):
    return check_visits(map(read_visit, RowReader(text).rest(COLUMNS)))


def test_rows_by_hand():
    reader = RowReader("\n 3 4.5\n\n1 2 a b\nend\n")
    row = reader.row("count size")
    assert (row.line, row.whole("count"), row.number("size")) == (2, 3, 4.5)
    row, more = reader.prefix("count size")
    assert (row.line, row.tokens, more) == (4, ["1", "2"], ["a", "b"])
    assert reader.line("the end") == (5, "end")


def test_visits_by_hand():
    found = visits("0 1 2 0 0 9 0\r\n7 3 4 5 1 2 6\r\n")
    assert [(visit.number, visit.line, visit.demand) for visit in found] == [(0, 1, 0), (7, 2, 5)]
    vehicles = (vehicles_of(found[0], 2, 5.0),)
    instance = visits_instance("x", found[:1], found[1:], vehicles=vehicles)
    assert (instance.name, instance.ids, instance.coords.tolist()) == ("x", (7,), [[1, 2], [3, 4]])
    constraints = instance.own_constraints
    assert [(each.id, each.window) for each in constraints.depots] == [("0", (0, 9))]
    assert (constraints.windows.tolist(), constraints.service.tolist()) == ([[[1, 2]]], [6])
    assert (constraints.delivery.tolist(), constraints.shipment.tolist()) == ([[5]], [[0]])
    with pytest.raises(InstanceError, match="line 2: demand: 5 exceeds capacity 4"):
        small = (vehicles_of(found[0], 2, 4.0),)
        visits_instance("x", found[:1], found[1:], vehicles=small)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3\n", "line 1: 3 columns, expected 7 (no x y demand open close service)"),
        ("\n1 2 3 4 5 6 x\n", "line 2: service: 'x' is not a finite number"),
        ("1 2 3 4 5 6 -7\n", "line 1: service: -7 is negative, expected at least 0"),
        ("1 2 3 4 6 5 7\n", "line 1: open: opens at 6, after it closes at 5"),
        ("1.5 2 3 4 5 6 7\n", "line 1: no: 1.5, expected a whole number of at least 0"),
        ("-1 2 3 4 5 6 7\n", "line 1: no: -1, expected a whole number of at least 0"),
        ("1e300 2 3 4 5 6 7\n", "line 1: no: '1e300' is not a finite number up to 1e+100"),
        ("1e99 2 3 4 5 6 7\n", "line 1: no: 1e+99, expected a whole number"),
        ("1 nan 3 4 5 6 7\n", "line 1: x: 'nan' is not a finite number"),
        ("1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n", "line 2: number 1 is also on line 1"),
        ("\n".join(f"{i} 2 3 4 5 6 7" for i in range(10_002)), "line 10002: 10001 customers, the"),
    ],
)
def test_each_error_by_its_message(text, message):
    with pytest.raises(InstanceError) as caught:
        visits(text)
    assert str(caught.value).startswith(message)


def test_a_file_that_ends_or_goes_on():
    reader = RowReader("1 2\n3\n")
    reader.row("a b")
    with pytest.raises(InstanceError, match="line 2: '3' after the last row that line 1 announces"):
        reader.end()
    with pytest.raises(InstanceError, match=r"line 1: the file ends, expected numbers: a b"):
        reader.row("a b")


def test_a_depot_asks_for_nothing():
    depot, odd, slow = visits("0 1 2 0 0 9 0\n1 0 0 3 0 9 0\n2 0 0 0 0 9 4\n")
    assert depot.check_depot() is depot
    with pytest.raises(InstanceError, match="line 2: the depot has a demand of 3, expected 0"):
        odd.check_depot()
    with pytest.raises(InstanceError, match="line 3: the depot has a service of 4, expected 0"):
        slow.check_depot()


def test_the_depot_is_row_0_and_first():
    found = visits("0 1 2 0 0 9 0\n1 0 0 3 0 9 0\n")
    assert first_depot(found, "head") is found[0]
    with pytest.raises(InstanceError, match=r"^line 2: row 1, expected row 0, the depot, first"):
        first_depot(found[1:], "head")
    with pytest.raises(InstanceError, match=r"^head: no rows, expected row 0, the depot, first"):
        first_depot([], "head")
    with pytest.raises(InstanceError, match="line 1: the depot has a demand of 3, expected 0"):
        first_depot(visits("0 1 2 3 0 9 0\n"), "head")


@pytest.mark.parametrize(("opens", "out"), [(5, 0), (-5, -5), (-math.inf, 0)])
def test_vehicles_are_out_from_0_or_from_when_their_depot_opens(opens, out):
    (row,) = visits("7 1 2 0 0 9 0\n")
    vehicle = vehicles_of(row._replace(window=(opens, 9)), 3, 40, 2, 50)
    assert (vehicle.id, vehicle.count, vehicle.capacity) == ("2", 3, (40,))
    assert vehicle.window == (out, math.inf)
    assert (vehicle.start, vehicle.end, vehicle.max_duration) == (2, 2, 50)
