"""What stops say, as columns and tables by vehicle type."""

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.stop_columns import NamedTypes, columns_of_stops
from vrpcore.formats.json.stop_rows import read_stops
from vrpcore.instance.vehicle_types import VehicleType

VAN, BIKE = VehicleType(id="van", capacity=(1,), count=1), VehicleType(id="bike", capacity=(1,))
TYPES = NamedTypes.of([VAN, BIKE], listed=True)
INF = np.inf


def columns(*customers, shipments=()):
    document = {"customers": list(customers), "shipments": list(shipments)}
    return columns_of_stops(read_stops(read_as(InstanceDocument, document, "i"), "i"), TYPES)


def test_types_by_their_ids():
    assert TYPES.row("bike", "here") == 1
    with pytest.raises(InstanceError, match=r"^here: no vehicle type has the id 'tram'"):
        TYPES.row("tram", "here")
    assert NamedTypes.of([VAN], listed=False).rows == {}


def test_numbers_and_those_of_single_types():
    found = columns({"service": 3, "prize": 4, "service_by_vehicle": {"bike": 5}}, {})
    assert found["service"].tolist() == [3, 0]
    assert found["service_by_type"].tolist() == [[3, 0], [5, 0]]
    assert found["prize"].tolist() == [4, INF]
    assert "setup" not in found


def test_windows_are_padded():
    found = columns({"windows": [[0, 1], [2, 3]]}, {"window": [None, 4]}, {})["windows"]
    never = [INF, INF]
    assert found.tolist() == [[[0, 1], [2, 3]], [[-INF, 4], never], [[-INF, INF], never]]


def test_a_price_of_lateness_alone_sets_no_limit():
    late = [{"late_cost": 2}, {"max_late": 3}, {}, {"max_late": 0, "late_cost": 1}]
    found = columns(*({"window": [0, 9], **more} for more in late))
    assert found["max_late"].tolist() == [INF, 3, 0, 0]
    assert found["late_cost"].tolist() == [2, 0, 0, 1]


def test_what_a_shipment_asks_for_is_paid_once():
    row = {"id": "s", "pickup": {}, "delivery": {"service": 3}, "release": 6, "vehicles": ["bike"]}
    found = columns(shipments=[row | {"prize": 4, "priority": 5, "vehicle_cost": {"van": 1}}])
    assert (found["prize"].tolist(), found["priority"].tolist()) == ([4, 0], [5, 0])
    assert (found["service"].tolist(), found["release"].tolist()) == ([0, 3], [6, 6])
    assert found["vehicle_cost"].tolist() == [[1, 0], [0, 0]]
    assert found["allowed"].tolist() == [[False, False], [True, True]]


def test_who_may_serve_and_what_it_costs_more():
    rows = [{"vehicles": ["bike"], "vehicle_cost": {"van": 2}}, {}, {"vehicles": ["van", "bike"]}]
    found = columns(*rows)
    assert found["allowed"].tolist() == [[False, True, True], [True, True, True]]
    assert found["vehicle_cost"].tolist() == [[2, 0, 0], [0, 0, 0]]
    nothing = columns({"vehicles": ["bike", "van"], "vehicle_cost": {"van": 0}})
    assert not {"allowed", "vehicle_cost", "on_board"} & nothing.keys()


def test_on_board():
    box = {"id": "s", "delivery": {}, "on_board": "van"}
    assert columns({}, shipments=[box])["on_board"].tolist() == [-1, 0]
    with pytest.raises(InstanceError, match=r'^i.shipments\[0\].on_board: .* needs "count": 1'):
        columns(shipments=[box | {"on_board": "bike"}])


def test_a_ride_of_what_is_on_board_ends_the_windows_of_its_delivery():
    late = VehicleType(id="van", capacity=(1,), count=1, window=(10, INF))
    types = NamedTypes.of([late], listed=True)

    def windows(**keys):
        box = {"id": "s", "delivery": keys.pop("delivery", {}), "on_board": "van", "max_ride": 30}
        document = {"customers": [{}], "shipments": [box | keys]}
        stops = read_stops(read_as(InstanceDocument, document, "i"), "i")
        found = columns_of_stops(stops, types)
        assert found["max_ride"].tolist() == [INF, INF]
        return found["windows"][1].tolist()

    alone = read_stops(read_as(InstanceDocument, {"shipments": [
        {"id": "s", "delivery": {}, "on_board": "van", "max_ride": 5}
    ]}, "i"), "i")  # fmt: skip
    assert columns_of_stops(alone, types)["windows"].tolist() == [[[-INF, 15]]]
    assert windows() == [[-INF, 40]]
    assert windows(ridden=12) == [[-INF, 28]]
    given = {"windows": [[0, 5], [20, 60], [70, 80]]}
    assert windows(delivery=given) == [[0, 5], [20, 40], [INF, INF]]
    assert windows(delivery={"window": [0, 35]}) == [[0, 35]]
    for keys, said in (
        ({"delivery": {"window": [50, 60]}}, "the ride is over at 40, before it can be delivered"),
        ({"ridden": 31}, "the ride is over at 9, before it can be delivered"),
        ({"delivery": {"window": [0, 60], "late_cost": 1}}, "given with max_late or late_cost"),
    ):
        with pytest.raises(InstanceError, match=rf"^i.shipments\[0\].max_ride: {said}"):
            windows(**keys)
