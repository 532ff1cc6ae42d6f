import pytest

from tests.vrpcore.formats.json.refusals import refusal
from vrpcore.formats.text.hvrp import read_hvrp
from vrpcore.instance.vehicle_types import VehicleType

TEXT = """ //Line  1 : these comments
// customers types duration service lower upper
 2  2  999.5  1.5  10.25  12.5
 4  20  50  1.0

 3  30  80.5  1.1
 40  41
 37  45  8
 49  41  30
"""


def test_a_small_file():
    found = read_hvrp(TEXT, "small")
    constraints = found.own_constraints
    assert (found.name, found.ids) == ("small", (1, 2))
    assert found.coords.tolist() == [[40, 41], [37, 45], [49, 41]]
    assert constraints.vehicles == (
        VehicleType(id="0", count=4, capacity=(20.0,), max_duration=999.5, fixed_cost=50.0),
        VehicleType(
            id="1",
            count=3,
            capacity=(30.0,),
            max_duration=999.5,
            fixed_cost=80.5,
            distance_cost=1.1,
        ),
    )
    assert constraints.delivery.tolist() == [[8], [30]]
    assert constraints.service.tolist() == [1.5, 1.5]
    assert constraints.required.all()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2  2  999.5", "3  2  999.5", "line 9: the file ends, expected numbers: x y demand"),
        ("2  2  999.5", "1  2  999.5", "line 9: '49  41  30' after the last row"),
        ("2  2  999.5", "2  0  999.5", "line 3: types: 0, expected a whole number of at least 1"),
        ("2  2  999.5", "2  1001  999.5", "line 3: types: 1001 vehicle types, the limit is 1000"),
        ("999.5", "-1", "line 3: duration: -1"),
        ("4  20", "4.5  20", "line 4: number: 4.5, expected a whole number"),
        ("4  20", "4  0", "line 4: capacity: 0"),
        ("49  41  30", "49  41  31", "line 9: demand: 31"),
        ("49  41  30", "49  41", "line 9: 2 columns, expected 3 (x y demand)"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(old, new, said):
    assert refusal(read_hvrp, TEXT, old, new).startswith(said)
