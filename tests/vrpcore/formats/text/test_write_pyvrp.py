import dataclasses
import json
import math

import numpy as np
import pytest

from tests.build import constrained, on_a_line, plain
from tests.vrpcore.subsets import attributes_of, keep, subset_document
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InstanceError
from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.write_pyvrp import instance_to_vrp
from vrpcore.instance.plan import Route
from vrpcore.instance.relations import Group

SAYABLE = {
    *("amount", "backhauls", "capacity", "count", "demand", "distance_cost", "fixed_cost"),
    *("max_distance", "max_duration", "pickup", "prize", "release", "service", "skills", "window"),
}


def again(instance):
    return read_vrp(instance_to_vrp(instance), "")


def test_a_plain_instance():
    instance = plain([(0, 0), (3, 4), (0, 1.5)], [2, 3.5], 7, metric="euc_2d", max_vehicles=2)
    assert instance_to_vrp(instance) == (
        "NAME : t\nDIMENSION : 3\nTYPE : CVRP\nCAPACITY : 7\nVEHICLES : 2\n"
        "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0 1.5\n"
        "DEMAND_SECTION\n1 0\n2 2\n3 3.5\nDEPOT_SECTION\n1\n-1\nEOF\n"
    )
    found = again(instance)
    assert (found.capacity, found.metric, found.max_vehicles) == (7, "euc_2d", 2)
    assert found.constraints is None


def test_lengths_that_are_not_rounded_become_a_matrix():
    instance = plain([(0, 0), (1, 2), (3, 0)], [1, 1])
    found = again(instance)
    assert found.distances[0].tolist() == [0, abs(1 + 2j), 3]
    assert found.coords.tolist() == instance.coords.tolist()


def test_reloads_releases_and_groups():
    instance = constrained(
        vehicles=[{"id": "a", "count": 2, "capacity": 5}, {"id": "b", "count": 1, "capacity": 5}],
        customers=on_a_line(1, 2, 3, demand=[1, 2, 3], release=[4, 0, 6]),
    )
    first, second = instance.own_constraints.vehicles
    reloading = dataclasses.replace(first, reloads=(0,), max_reloads=3)
    constraints = dataclasses.replace(
        instance.own_constraints,
        vehicles=(reloading, second),
        groups=(Group("either", (1, 3)),),
    )
    text = instance_to_vrp(dataclasses.replace(instance, constraints=constraints))
    assert "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n3\n" in text
    assert "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 4\n" in text
    assert "VEHICLES_MAX_RELOADS : 3\n" in text
    found = read_vrp(text, "").own_constraints
    assert [each.reloads for each in found.vehicles] == [(0,), None]
    assert [each.max_reloads for each in found.vehicles] == [3, math.inf]
    assert found.groups == (Group("group-0", (1, 3)),)
    assert found.release.tolist() == [4, 0, 6]


def test_shipments():
    instance = constrained(
        capacity=4,
        shipments=[
            {
                "id": "s",
                "amount": 2,
                "pickup": {"x": 3, "y": 4, "window": [1, 9], "service": 2},
                "delivery": {"x": 0, "y": 5},
            }
        ],
        metric="euc_2d",
    )
    text = instance_to_vrp(instance)
    assert "TYPE : PDPTW\n" in text
    assert "\n1 0 0 100 0 0 0\n2 2 1 9 2 0 3\n3 -2 0 100 0 2 0\n" in text
    assert read_vrp(text, "").ids == ("1-2:pickup", "1-2:delivery")


def test_amounts_both_ways_and_in_several_dimensions():
    instance = constrained(
        vehicles=[{"capacity": [4, 9]}],
        customers=on_a_line(1, 2, demand=[[1, 2], [0, 0]], pickup=[[0, 0], [2, 1]]),
    )
    found = again(instance).own_constraints
    assert found.delivery.tolist() == [[1, 2], [0, 0]]
    assert found.pickup.tolist() == [[0, 0], [2, 1]]
    assert found.vehicles[0].capacity == (4, 9)


def test_prizes_and_a_vrpb():
    instance = constrained(
        capacity=4,
        backhauls="last",
        pickup_only_routes=False,
        customers=[{"x": 1, "y": 0, "demand": 1, "prize": 5}, {"x": 2, "y": 0, "pickup": 2}],
    )
    found = again(instance).own_constraints
    assert (found.backhauls, found.pickup_only_routes) == ("last", False)
    assert found.prize.tolist() == [5, math.inf]


def cost_alone(instance, stop):
    """Of the cheapest route that serves a stop alone; infinite: none can be driven."""
    vehicles, timeline = instance.own_constraints.vehicles, Timeline(instance)
    there = [row for row, vehicle in enumerate(vehicles) if vehicle.count != 0]
    found = [timeline.schedule(Route(row, (stop,))) for row in there]
    return min((each.cost for each in found if each is not None), default=math.inf)


def test_written_again_it_is_the_same_and_costs_the_same():
    written = 0
    for seed in range(600):
        document = subset_document(seed, 4)
        keep(document, attributes_of(document) & SAYABLE)
        (instance,) = read_instances(json.dumps(document).encode())
        try:
            text = instance_to_vrp(instance)
        except InstanceError as error:
            assert error.code == "NOT_WRITABLE"
            continue
        written += 1
        found = read_vrp(text, "")
        # Vehicles that are alike come together.
        assert sorted(instance_to_vrp(found).split()) == sorted(text.split())
        if found.constraints is None:
            continue
        for stop in range(1, instance.num_customers + 1):
            if instance.own_constraints.partner(stop) is None:
                expected = cost_alone(instance, stop)
                assert cost_alone(found, stop) == pytest.approx(expected, rel=1e-9)
    assert written > 30


def test_known_routes_and_missing_roads_are_refused():
    with pytest.raises(InstanceError, match=r"t: known routes, which a \.vrp cannot say"):
        instance_to_vrp(plain([(0, 0), (1, 1)], routes=((1,),)))
    missing = np.array([[0, math.inf], [1, 0]])
    with pytest.raises(InstanceError, match="t: places that no road joins"):
        instance_to_vrp(plain(distances=missing))
