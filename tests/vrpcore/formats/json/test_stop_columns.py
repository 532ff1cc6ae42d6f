import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.stop import Stop
from vrpcore.formats.json.stop_columns import NamedTypes, columns_of_stops
from vrpcore.instance.constraints import DELIVERY
from vrpcore.instance.vehicle_types import VehicleType

VAN, BIKE = VehicleType(id="van", capacity=(1,), count=1), VehicleType(id="bike", capacity=(1,))
TYPES = NamedTypes.of([VAN, BIKE], listed=True)


def stop(**more):
    return Stop(id="a", place="i.customers[0]", point=None, **more)


def test_types_by_their_ids():
    assert TYPES.row("bike", "here") == 1
    with pytest.raises(InstanceError, match=r"^here: no vehicle type has the id 'tram'"):
        TYPES.row("tram", "here")
    assert NamedTypes.of([VAN], listed=False).rows == {}


def test_numbers_and_those_of_single_types():
    numbers, other = {"service": 3.0, "prize": 4.0}, {"service": {"bike": 5.0}}
    found = columns_of_stops([stop(numbers=numbers, by_vehicle=other), stop()], TYPES)
    assert found["service"].tolist() == [3, 0]
    assert found["service_by_type"].tolist() == [[3, 0], [5, 0]]
    assert found["prize"].tolist() == [4, np.inf]
    assert "setup" not in found


def test_who_may_serve_and_what_it_costs_more():
    found = columns_of_stops(
        [
            stop(vehicles=("bike",), vehicle_cost={"van": 2.0}),
            stop(),
            stop(vehicles=("van", "bike")),
        ],
        TYPES,
    )
    assert found["allowed"].tolist() == [[False, True, True], [True, True, True]]
    assert found["vehicle_cost"].tolist() == [[2, 0, 0], [0, 0, 0]]


def test_what_asks_for_nothing_has_no_table():
    found = columns_of_stops([stop(vehicles=("bike", "van"), vehicle_cost={"van": 0.0})], TYPES)
    assert not {"allowed", "vehicle_cost", "on_board"} & found.keys()


def test_on_board():
    row = {"end": DELIVERY, "place": "i.shipments[0].delivery"}
    box = stop()._replace(on_board="van", **row)
    assert columns_of_stops([stop(), box], TYPES)["on_board"].tolist() == [-1, 0]
    with pytest.raises(InstanceError, match=r'^i.shipments\[0\].on_board: .* needs "count": 1'):
        columns_of_stops([box._replace(on_board="bike")], TYPES)
