import dataclasses
import math

import numpy as np
import pytest

from vrpcore.instance.constraints import Constraints, NamedMatrices, plain_columns
from vrpcore.instance.relations import Balance, Group, Relation
from vrpcore.instance.vehicle_types import ALWAYS, Depot, VehicleType

MATRIX = np.arange(36.0).reshape(6, 6)


def whole():
    """Two depots, two customers, one shipment; each column differs from stop to stop."""
    return Constraints(
        depots=(Depot(id="a"), Depot(id="b", window=(1, 2))),
        vehicles=(
            VehicleType(id="x", capacity=(5.0, 6.0), skills=frozenset({"cold", "high"})),
            VehicleType(id="y", capacity=(7.0, 8.0), start=None, matrix="slow"),
        ),
        delivery=np.array([[1, 2], [3, 4], [0, 0], [0, 0.0]]),
        pickup=np.array([[5, 6], [7, 8], [0, 0], [0, 0.0]]),
        shipment=np.array([[0, 0], [0, 0], [9, 8], [-9, -8.0]]),
        windows=np.array([[[k, k + 1], [k + 2, k + 3]] for k in (10.0, 20.0, 30.0, 40.0)]),
        service=np.array([1, 2, 3, 4.0]),
        release=np.array([5, 6, 7, 8.0]),
        prize=np.array([math.inf, 9, 10, 0.0]),
        priority=np.array([11, 12, 13, 0]),
        max_late=np.array([0.0, 1, 2, 3]),
        late_cost=np.array([4.0, 5, 6, 7]),
        max_wait=np.array([1.0, 2, 3, 4]),
        max_ride=np.array([math.inf, math.inf, math.inf, 9]),
        skills=(frozenset(), frozenset({"cold"}), frozenset({"cold", "wet"}), frozenset({"wet"})),
        num_shipments=1,
        speed=2.0,
        setup=np.array([6, 7, 8, 9.0]),
        service_by_type=np.arange(8.0).reshape(2, 4),
        setup_by_type=np.arange(10.0, 18.0).reshape(2, 4),
        places=(0, None, 1, 2, 3, 4),
        durations=MATRIX,
        costs=MATRIX + 300,
        matrices={
            "slow": NamedMatrices(MATRIX + 100, MATRIX + 200, MATRIX + 400),
            "near": NamedMatrices(None, MATRIX),
        },
        allowed=np.array([[True, False, True, True], [False, True, True, True]]),
        vehicle_cost=np.arange(20.0, 28.0).reshape(2, 4),
        on_board=np.array([-1, 1, -1, -1]),
        split=np.array([False, True, False, True]),
        groups=(Group("g", (1, 2)), Group("h", (3,), 5.0, 0)),
        relations=(
            Relation("order", (1, 3, 4)),
            Relation("chain", (1, 2), 1, "start"),
            Relation("apart", (1, 2)),
        ),
        balance=Balance(load=2.0),
        listed_amounts=True,
    )


def test_sizes():
    found = whole()
    assert (found.num_stops, found.num_depots, found.num_nodes) == (4, 2, 6)
    assert found.required.tolist() == [True, False, False, False]


def test_partner():
    assert [whole().partner(stop) for stop in (1, 2, 3, 4)] == [None, None, 4, 3]
    part = whole().take([3, 4])
    assert [part.partner(stop) for stop in (1, 2)] == [2, 1]


def test_may_serve():
    found = whole()
    assert [found.may_serve(0, stop) for stop in (1, 2, 3, 4)] == [True, True, False, False]
    assert [found.may_serve(1, stop) for stop in (1, 2, 3, 4)] == [True, False, False, False]


def test_board_and_permits():
    found = whole()
    assert found.board(0).tolist() == [0, 0]
    given = dataclasses.replace(found.vehicles[1], initial_load=(1.0, 2.0))
    shipment = np.array([[0, 0], [-3, -4], [9, 8], [-9, -8.0]])
    loaded = dataclasses.replace(found, vehicles=(found.vehicles[0], given), shipment=shipment)
    assert loaded.board(1).tolist() == [7, 10]  # of a shipment, and of a customer
    # 1: of a chain with vehicle y, but only x is allowed; 2: on board of y.
    assert found.permits().tolist() == [[False, False, True, True], [False, True, True, True]]
    alone = dataclasses.replace(found, allowed=None, on_board=None, relations=())
    assert alone.permits().all()


def test_take_keeps_every_column():
    """A field that `take` does not know would be as long as the whole, or fail the last line."""
    part = whole().take([2, 3, 4])
    assert part.delivery.tolist() == [[3, 4], [0, 0], [0, 0]]
    assert part.pickup.tolist() == [[7, 8], [0, 0], [0, 0]]
    assert part.shipment.tolist() == [[0, 0], [9, 8], [-9, -8]]
    assert part.windows[:, 0, 0].tolist() == [20, 30, 40]
    assert part.windows.shape == (3, 2, 2)
    assert part.service.tolist() == [2, 3, 4]
    assert part.release.tolist() == [6, 7, 8]
    assert part.prize.tolist() == [9, 10, 0]
    assert part.priority.tolist() == [12, 13, 0]
    assert part.skills == whole().skills[1:]
    assert part.num_shipments == 1
    nodes = np.ix_([0, 1, 3, 4, 5], [0, 1, 3, 4, 5])
    assert part.durations.tolist() == MATRIX[nodes].tolist()
    assert part.matrices["slow"].distances.tolist() == (MATRIX + 100)[nodes].tolist()
    assert part.matrices["slow"].durations.tolist() == (MATRIX + 200)[nodes].tolist()
    assert part.matrices["slow"].costs.tolist() == (MATRIX + 400)[nodes].tolist()
    assert part.matrices["near"].distances is part.matrices["near"].costs is None
    assert part.costs.tolist() == (MATRIX + 300)[nodes].tolist()
    assert part.setup.tolist() == [7, 8, 9]
    assert part.service_by_type.tolist() == [[1, 2, 3], [5, 6, 7]]
    assert part.setup_by_type.tolist() == [[11, 12, 13], [15, 16, 17]]
    assert part.places == (0, None, 2, 3, 4)
    assert (part.max_late.tolist(), part.late_cost.tolist()) == ([1, 2, 3], [5, 6, 7])
    assert (part.max_wait.tolist(), part.max_ride[-1]) == ([2, 3, 4], 9)
    assert part.allowed.tolist() == [[False, True, True], [True, True, True]]
    assert part.vehicle_cost.tolist() == [[21, 22, 23], [25, 26, 27]]
    assert part.on_board.tolist() == [1, -1, -1]
    assert part.split.tolist() == [True, False, True]
    assert part.groups == (Group("g", (1,)), Group("h", (2,), 5.0, 0))
    assert part.relations == (
        Relation("order", (2, 3)),
        Relation("chain", (1,), 1, "start"),
    )
    taken = {"delivery", "pickup", "shipment", "windows", "service", "release", "prize"}
    taken |= {"priority", "skills", "num_shipments", "durations", "matrices", "costs"}
    taken |= {"setup", "service_by_type", "setup_by_type", "places", "max_late", "late_cost"}
    taken |= {"max_wait", "max_ride"}
    taken |= {"allowed", "vehicle_cost", "on_board", "groups", "relations", "vehicles"}
    taken |= {"split"}
    same = {"split_step", "depots", "speed", "backhauls", "pickup_only_routes", "goods"}
    same |= {"listed_amounts", "listed_vehicles", "counts_stops", "balance"}
    assert {field.name for field in dataclasses.fields(Constraints)} == taken | same
    assert all(getattr(part, name) == getattr(whole(), name) for name in same)


def test_what_is_on_board_for_those_who_are_left_out_stays_there():
    shipment = np.array([[0, 0], [-3, -4], [9, 8], [-9, -8.0]])
    for initial, load in ((None, (6, 8)), ((1.0, 2.0), (7, 10))):
        given = dataclasses.replace(whole().vehicles[1], initial_load=initial)
        vehicles = whole().vehicles[0], given
        found = dataclasses.replace(whole(), vehicles=vehicles, shipment=shipment)
        assert found.take([2, 3, 4]).vehicles == vehicles
        part = found.take([1])
        assert part.vehicles == (vehicles[0], dataclasses.replace(given, initial_load=load))
        assert part.board(1).tolist() == found.board(1).tolist()


def test_services_and_setups_of_a_type():
    found = whole()
    assert found.services(1).tolist() == [4, 5, 6, 7]
    assert found.setups(0).tolist() == [10, 11, 12, 13]
    alike = dataclasses.replace(found, service_by_type=None, setup_by_type=None)
    assert (alike.services(1).tolist(), alike.setups(1).tolist()) == ([1, 2, 3, 4], [6, 7, 8, 9])
    assert alike.has_setups
    none = dataclasses.replace(alike, setup=None)
    assert (none.setups(0), none.has_setups) == (None, False)


def test_take_in_another_order_and_without_shipments():
    part = whole().take([2, 1])
    assert (part.service.tolist(), part.num_shipments) == ([2, 1], 0)
    assert part.durations[2].tolist() == [18, 19, 21, 20]
    assert whole().take([]).num_stops == 0


def test_types_that_differ_only_in_name_and_number_are_alike():
    vans = [VehicleType(id=each, capacity=(2.0,), count=row) for row, each in enumerate("abcd")]
    vans[1] = dataclasses.replace(vans[1], speed=2.0)
    found = Constraints(depots=(Depot(id="0"),), vehicles=tuple(vans), **plain_columns(2))
    assert found.alike() == [0, 1, 0, 0]
    one_by_d = dataclasses.replace(found, relations=(Relation("together", (1,), vehicle=3),))
    assert one_by_d.alike() == [0, 1, 0, 3]
    slow_c = np.array([[1.0, 1.0], [1.0, 1.0], [5.0, 1.0], [1.0, 1.0]])
    assert dataclasses.replace(found, service_by_type=slow_c).alike() == [0, 1, 2, 0]


def test_plain_columns_ask_for_nothing():
    vehicle = VehicleType(id="0", capacity=(1.0,))
    found = Constraints(depots=(Depot(id="0"),), vehicles=(vehicle,), **plain_columns(2))
    assert (found.num_stops, found.required.tolist()) == (2, [True, True])
    assert (found.delivery.shape, plain_columns(2, 3)["pickup"].shape) == ((2, 1), (2, 3))
    assert found.windows[0, 0].tolist() == list(ALWAYS)
    assert all(found.may_serve(0, stop) for stop in (1, 2))
    assert found.take([1]).durations is None


def test_they_are_not_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        whole().speed = 3
