import math

import numpy as np
import pytest

from benchmarks.contender import judge
from vrpcore.bench.problem_set import read_sets
from vrpcore.errors import InstanceError
from vrpcore.formats.npz.npz_instances import routefinder_objects
from vrpcore.formats.read import read_instances
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import ALWAYS


def arrays(**more):
    """Two instances with three customers and capacity 10."""
    found = {
        "locs": np.arange(16, dtype=np.float32).reshape(2, 4, 2) / 16,
        "linehaul": np.float32([[0.1, 0.9, 0], [0.5, 0.2, 0.3]]),
        "capacity_units": np.array(10),
        "num_depots": np.array(1),
        "open": np.array(False),
        "backhaul_class": np.array(0),
    }
    return found | more


def instances(found):
    """Two instances, validated."""
    first, second = read_instances(list(routefinder_objects(found)))
    return first, second


def test_without_anything_more_instances_are_plain():
    first, _ = instances(arrays())
    assert (first.constraints, first.capacity) == (None, 10)
    assert first.demand.tolist() == [0, 1, 9, 0]
    assert first.coords.tolist()[1] == [2 / 16, 3 / 16]


def test_all_that_there_is():
    times = np.float32([[[0, 1], [1, 2], [2, 3.5]]] * 2)
    found = arrays(
        num_depots=np.array(2),
        locs=np.zeros((2, 5, 2), np.float32),
        open=np.array(True),
        backhaul_class=np.array(1),
        backhaul=np.float32([[0, 0, 0.4], [0, 0, 0]]),
        limit=np.float32([2.5, 2.25]),
        tw=times,
        service=np.float32([[0.25, 0.5, 0.125]] * 2),
        max_time=np.array(4.5),
    )
    first, second = instances(found)
    constraints = first.own_constraints
    assert [each.window for each in constraints.depots] == [(0, 4.5)] * 2
    assert [(each.start, each.end) for each in constraints.vehicles] == [(0, None), (1, None)]
    vehicles = (*constraints.vehicles, *second.own_constraints.vehicles)
    assert [each.max_distance for each in vehicles] == [
        2.5, 2.5, 2.25, 2.25,
    ]  # fmt: skip
    assert constraints.delivery.tolist() == [[1], [9], [0]]
    assert constraints.pickup.tolist() == [[0], [0], [4]]
    assert constraints.windows[:, 0].tolist() == times[0].tolist()
    assert constraints.service.tolist() == [0.25, 0.5, 0.125]
    assert (constraints.backhauls, constraints.listed_vehicles) == ("last", True)


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ({"open": np.array(True)}, lambda constraints: constraints.vehicles[0].end is None),
        ({"backhaul_class": np.array(2)}, lambda constraints: constraints.backhauls == "mixed"),
        ({"limit": np.ones(2)}, lambda constraints: constraints.vehicles[0].max_distance == 1),
    ],
)
def test_each_alone_makes_constraints_and_nothing_else(more, asked):
    first, _ = instances(arrays(**more))
    assert asked(first.own_constraints)
    assert (first.own_constraints.windows == ALWAYS).all()
    assert first.own_constraints.depots[0].window == ALWAYS
    assert (first.own_constraints.vehicles[0].max_distance < math.inf) == ("limit" in more)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"num_depots": np.array(2)}, "locs: shape [2, 4, 2], expected [2, 5, 2]"),
        ({"num_depots": np.array(0)}, "num_depots: 0, expected a whole number, at least 1"),
        ({"num_depots": np.array(math.nan)}, "num_depots: nan, expected a whole number"),
        ({"open": np.array([True])}, "open: shape [1], expected []"),
        ({"open": np.array("yes")}, "open: <U3, expected numbers"),
        ({"backhaul_class": np.array(3)}, "backhaul_class: 3, expected 0, 1 or 2"),
        ({"linehaul": np.ones(3)}, "linehaul: shape [3], expected [B, N]"),
        ({"limit": np.ones(3)}, "limit: shape [3], expected [2]"),
        ({"tw": np.ones((2, 3, 2))}, "lacks max_time, which RouteFinder's sets have"),
        (
            {"tw": np.ones((2, 3)), "max_time": np.array(4), "service": np.ones((2, 3))},
            "tw: shape [2, 3], expected [2, 3, 2]",
        ),
    ],
)
def test_other_arrays_are_refused(more, said):
    with pytest.raises(InstanceError) as error:
        routefinder_objects(arrays(**more))
    assert said in str(error.value)


@pytest.mark.parametrize("lost", ["locs", "capacity_units"])
def test_missing_arrays_are_named(lost):
    found = arrays()
    del found[lost]
    with pytest.raises(InstanceError, match=f"lacks {lost}, which"):
        routefinder_objects(found)


def test_a_row_that_is_no_instance_costs_only_itself():
    shares = np.float32([[math.nan, 0.5, 0], [0.5, 0.2, 0.3]])
    first, second = instances(arrays(linehaul=shares))
    assert "demands[0]" in first.error
    assert second.demand.tolist() == [0, 5, 2, 3]


def routes_of(tour, depots):
    """Numbers below `depots` begin a route, of the vehicles there; zeros at the end are padding."""
    found, kind = [], 0
    for node in tour.tolist():
        if node < depots:
            kind = node
            found.append((kind, []))
        else:
            found = found or [(kind, [])]
            found[-1][1].append(node - depots + 1)
    return [Route(vehicle, tuple(stops)) for vehicle, stops in found if stops]


@pytest.mark.parametrize("name", ["mdcvrp50", "mdovrpmb50", "ovrpbl100", "vrpb100", "vrpmb50"])
def test_stored_routes_have_their_stated_costs(name, test_data):
    """Those without times, which PyVRP has rounded, and one with limits, which it has, too."""
    file = test_data / "variants" / "routefinder" / f"{name}.npz"
    (problems,) = read_sets([file], {}, 24)
    with np.load(file) as stored:
        tours, depots = stored["pyvrp_tour"], int(stored["num_depots"])
    for row, (instance, cost) in enumerate(
        zip(problems.instances, problems.references, strict=True)
    ):
        found, failure = judge(instance, routes_of(tours[row], depots))
        assert (failure, found) == (None, pytest.approx(cost, rel=1e-6))
