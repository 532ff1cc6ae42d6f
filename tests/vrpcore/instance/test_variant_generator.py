import dataclasses
import math
import re

import numpy as np
import pytest

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.no_road import Legs
from vrpcore.formats.read import read_instances
from vrpcore.instance.generator import Problems, kool_problems, random_problems
from vrpcore.instance.service_unit import units_of
from vrpcore.instance.variant_generator import VARIANTS, Variant, find_variant, variant_instances
from vrpcore.instance.vehicle_types import ALWAYS
from vrpcore.referee.reasons import Reasons

MANY = [name for name, variant in VARIANTS.items() if not variant.plain]


def drawn(name, count=20, size=10, distribution="uniform", seed=0):
    rng = np.random.default_rng(seed)
    problems = random_problems(distribution, (count, size), "by_size", rng)
    return variant_instances(VARIANTS[name], problems, "x", rng)


def way_of(instance):
    """[N] from the first depot to each stop."""
    return distance_matrix(instance)[0, instance.num_depots :]


def test_there_are_48_by_attributes_and_eleven_more():
    assert len(VARIANTS) == 59
    assert all(name == variant.name for name, variant in VARIANTS.items())
    assert VARIANTS["cvrp"].plain
    assert len({dataclasses.replace(each, name="") for each in VARIANTS.values()}) == 59
    whole = Variant(
        name="mdovrpmbltw", depots=3, open=True, backhauls="mixed", limit=True, windows=True
    )
    assert VARIANTS["mdovrpmbltw"] == whole
    assert VARIANTS["mdcvrp"] == Variant(name="mdcvrp", depots=3)
    assert VARIANTS["vrpb"] == Variant(name="vrpb", backhauls="last")
    assert VARIANTS["pdptw"] == Variant(name="pdptw", shipments=True, windows=True)
    assert VARIANTS["vrpstw"] == Variant(name="vrpstw", windows=True, soft=True)


def test_names_are_those_of_the_fields_sets(test_data):
    files = (test_data / "variants" / "routefinder").glob("*.npz")
    names = {re.sub("[0-9]+$", "", file.stem) for file in files}
    assert names == {name for name, variant in VARIANTS.items() if variant.covered}


def test_names_in_upper_case_and_other_names():
    assert find_variant("OVRPBLTW") is VARIANTS["ovrpbltw"]
    assert find_variant("CVRPTW") is VARIANTS["vrptw"]
    assert find_variant("mdvrp") is VARIANTS["mdcvrp"]
    assert find_variant("vrpbtwl") is None


@pytest.mark.parametrize("distribution", ["uniform", "clustered"])
@pytest.mark.parametrize("name", MANY)
def test_everybody_can_be_served_alone(name, distribution):
    for instance in drawn(name, 5, distribution=distribution):
        reasons = Reasons(instance, Legs(instance))
        for unit in units_of(instance):
            assert reasons.why(unit).reason == ("PRIZE" if VARIANTS[name].prizes else "FLEET")


def test_customers_in_the_farthest_corners_can_be_served_alone():
    """The longest ways that there are, with windows, and for shipments all around the square."""
    corners = np.array([[0, 0], [1, 1], [1, 0], [0, 1.0], [1, 1], [1, 1], [0, 0]])
    problems = Problems(
        coords=np.repeat(corners[None], 50, 0),
        demand=np.repeat([[0, 9, 9, 9, 9, 9, 9]], 50, 0),
        capacity=np.full(50, 9),
    )
    for name in ("vrpltw", "mdovrpmbltw", "pdptw", "mtvrptw"):
        rng = np.random.default_rng(0)
        for instance in variant_instances(VARIANTS[name], problems, "x", rng):
            reasons = Reasons(instance, Legs(instance))
            assert {reasons.why(unit).reason for unit in units_of(instance)} == {"FLEET"}


@pytest.mark.parametrize("name", ["mdovrpmbltw", "hfvrptw", "pcvrptw", "pdptw"])
def test_equal_seeds_give_equal_instances(name):
    for one, other in zip(drawn(name), drawn(name), strict=True):
        assert np.array_equal(one.coords, other.coords)
        assert np.array_equal(one.own_constraints.windows, other.own_constraints.windows)
        assert (one.own_constraints.vehicles, one.name) == (
            other.own_constraints.vehicles,
            other.name,
        )
    assert not np.array_equal(drawn(name)[0].coords, drawn(name, seed=1)[0].coords)


def test_variants_of_the_same_problems_share_their_numbers():
    for tight, wide in zip(drawn("mdovrpbltw"), drawn("vrptw"), strict=True):
        assert np.array_equal(tight.coords[[0, *range(3, 13)]], wide.coords)
        assert np.array_equal(tight.own_constraints.windows, wide.own_constraints.windows)
        assert np.array_equal(tight.own_constraints.service, wide.own_constraints.service)
        assert np.array_equal(
            tight.own_constraints.delivery + tight.own_constraints.pickup,
            wide.own_constraints.delivery,
        )
    for many, one in zip(drawn("mdcvrp"), drawn("ovrp"), strict=True):
        assert np.array_equal(many.coords[[0, *range(3, 13)]], one.coords)


def test_what_is_not_asked_for_is_not_there():
    (instance, *_) = drawn("ovrp")
    constraints = instance.own_constraints
    assert (constraints.depots[0].window, len(constraints.depots), constraints.listed_vehicles) == (
        ALWAYS,
        1,
        False,
    )
    assert (constraints.windows == ALWAYS).all()
    assert not constraints.service.any()
    assert not constraints.pickup.any()
    assert constraints.required.all()
    (vehicle,) = constraints.vehicles
    assert (vehicle.start, vehicle.end, vehicle.max_distance) == (0, None, math.inf)
    assert (vehicle.capacity, vehicle.count) == ((instance.capacity,), None)
    assert (constraints.num_shipments, instance.ids) == (0, tuple(range(1, 11)))
    assert instance.demand.tolist() == [0, *constraints.delivery[:, 0].tolist()]


def test_several_depots_have_vehicles_of_their_own():
    (instance, *_) = drawn("mdovrpl")
    constraints = instance.own_constraints
    assert [(v.id, v.start, v.end) for v in constraints.vehicles] == [
        ("0", 0, None), ("1", 1, None), ("2", 2, None),
    ]  # fmt: skip
    assert len({v.max_distance for v in constraints.vehicles}) == 1
    assert instance.coords.shape == (13, 2)
    assert [v.end for v in drawn("mdvrptw")[0].own_constraints.vehicles] == [0, 1, 2]


def test_backhauls():
    found = drawn("vrpb", 50, 50)
    share = np.mean([instance.own_constraints.pickup > 0 for instance in found])
    assert 0.18 < share < 0.22
    for instance in found:
        constraints = instance.own_constraints
        assert ((constraints.delivery > 0) != (constraints.pickup > 0)).all()
        assert (constraints.backhauls, constraints.pickup_only_routes) == ("last", True)
    assert drawn("mdvrpmb")[0].own_constraints.backhauls == "mixed"


def test_fleets_have_three_sizes():
    (instance, *_) = drawn("hfvrp", size=20)
    assert [v.capacity for v in instance.own_constraints.vehicles] == [(15,), (30,), (60,)]
    fixed, costs = zip(
        *[(v.fixed_cost, v.distance_cost) for v in instance.own_constraints.vehicles], strict=True
    )
    assert sorted(fixed) == list(fixed)
    assert sorted(costs) == list(costs)


def test_shipments():
    for instance in drawn("pdptw"):
        constraints = instance.own_constraints
        assert constraints.num_shipments == 5
        assert instance.ids[:3] == ("1:pickup", "1:delivery", "2:pickup")
        assert (constraints.shipment[::2] == -constraints.shipment[1::2]).all()
        assert (constraints.shipment[::2] > 0).all()
        between = distance_matrix(instance)[range(1, 11, 2), range(2, 11, 2)]
        opens = constraints.windows[:, 0, 0]
        assert (opens[1::2] >= opens[::2] + constraints.service[::2] + between - 1e-12).all()


@pytest.mark.parametrize("name", ["mtvrp", "mtvrptw"])
def test_second_trips(name):
    (instance, *_), (plain, *_) = drawn(name), drawn("vrptw" if name.endswith("tw") else "vrpl")
    (depot,), (vehicle,) = instance.own_constraints.depots, instance.own_constraints.vehicles
    assert (depot.window, vehicle.reloads, vehicle.count) == ((0, 4.6), (0,), None)
    assert 0 < depot.service < 0.18
    assert vehicle.fixed_cost > 0
    assert vehicle.capacity[0] == max(plain.capacity / 2, instance.demand.max())
    assert np.array_equal(instance.coords, plain.coords)
    assert np.array_equal(instance.own_constraints.delivery, plain.own_constraints.delivery)


@pytest.mark.parametrize("size", [1, 10, 50])
def test_alternatives_are_close_to_each_other(size):
    """Every customer is in one group, and nearer to its own members than most others are."""
    for instance in drawn("gvrp", 5, size):
        groups = instance.own_constraints.groups
        members = [stop for group in groups for stop in group.members]
        assert sorted(members) == list(range(1, size + 1))
        assert len(groups) == math.ceil(size / 3)
        assert {group.prize for group in groups} == {math.inf}
        points = instance.coords[1:]
        widest = max(
            np.linalg.norm(points[stop - 1] - points[other - 1])
            for group in groups for stop in group.members for other in group.members
        )  # fmt: skip
        across = np.linalg.norm(points[:, None] - points[None], axis=2)
        assert size == 1 or widest < across.max()


def test_customers_at_one_place_are_one_group():
    problems = Problems(
        coords=np.full((1, 10, 2), 0.5), demand=np.ones((1, 10), np.int64), capacity=np.full(1, 9)
    )
    rng = np.random.default_rng(0)
    (instance,) = variant_instances(VARIANTS["gvrp"], problems, "x", rng)
    assert [group.members for group in instance.own_constraints.groups] == [tuple(range(1, 10))]


def test_windows_may_be_missed_at_a_price():
    for soft, hard in zip(drawn("vrpstw"), drawn("vrptw"), strict=True):
        one, other = soft.own_constraints, hard.own_constraints
        assert np.array_equal(one.windows, other.windows)
        assert (one.max_late > 0).all() and (one.late_cost > 0).all()
        assert np.isfinite(one.max_late).all()
        assert not other.max_late.any() and not other.late_cost.any()


def places(instance):
    """Where a service, a window's length and its opening lie in what they may be, 0 to 1."""
    constraints, way = instance.own_constraints, way_of(instance)
    length = constraints.windows[:, 0, 1] - constraints.windows[:, 0, 0]
    room = 4.6 - constraints.service - length - 2 * way
    opening = (constraints.windows[:, 0, 0] - way) / room
    return [(constraints.service - 0.15) / 0.03, (length - 0.18) / 0.02, opening]


def limit_place(limit, way):
    least = 2 * way.max()
    return (limit - least) / (2.8 - least)


def is_uniform(values, margin):
    """Whether numbers are spread evenly from 0 to 1, by the largest distance of their shares."""
    ordered = np.sort(np.ravel(values))
    shares = np.linspace(0, 1, len(ordered))
    return ordered[0] > -0.01 and ordered[-1] < 1.01 and np.abs(ordered - shares).max() < margin


@pytest.mark.parametrize("name", ["vrpltw", "mdovrpbltw"])
def test_times_and_limits_are_spread_evenly_over_what_they_may_be(name):
    found = drawn(name, 64, 50)
    for values in zip(*map(places, found), strict=True):
        assert is_uniform(values, 0.04)
    limits = [
        limit_place(each.own_constraints.vehicles[0].max_distance, way_of(each)) for each in found
    ]
    assert is_uniform(limits, 0.2)


@pytest.mark.parametrize("name", ["vrpmbltw", "mdovrpbltw"])
def test_the_recipe_is_that_of_the_fields_sets(name, test_data):
    """The same numbers that are spread evenly here are so there."""
    with np.load(test_data / "variants" / "routefinder" / f"{name}50.npz") as published:
        field = {key: published[key] for key in published.files}
    depots, units = int(field["num_depots"]), int(field["capacity_units"])
    (instance, *_) = drawn(name, 1, 50)
    assert (instance.num_depots, instance.capacity) == (depots, units)
    assert instance.own_constraints.depots[0].window == (0, pytest.approx(float(field["max_time"])))
    amounts = np.rint((field["linehaul"] + field["backhaul"]) * units)
    assert (amounts.min(), amounts.max()) == (1, 9)
    assert 0.18 < (field["backhaul"] > 0).mean() < 0.22
    limits = []
    for row, points in enumerate(field["locs"].astype(np.float64)):
        way = np.linalg.norm(points[depots:] - points[0], axis=1)
        limits.append(limit_place(field["limit"][row], way))
        service = field["service"][row]
        length = np.diff(field["tw"][row])[:, 0]
        opening = (field["tw"][row, :, 0] - way) / (4.6 - service - length - 2 * way)
        for values in ((service - 0.15) / 0.03, (length - 0.18) / 0.02, opening):
            assert is_uniform(values, 0.3)
    assert is_uniform(limits, 0.2)


def test_prizes_are_in_proportion_to_demands_as_in_the_fields_sets(test_data):
    """A full load's prize in mean ways there and back: between those for short and long routes."""
    folder, means = test_data / "variants" / "pyvrp_pcvrptw", []
    (short,), (long,) = (read_instances(folder / f"{name}.vrp") for name in ("R1_10_2", "R2_10_7"))
    for instance in (short, *drawn("pcvrp", 1, 500), long):
        full = (
            instance.own_constraints.prize
            / instance.own_constraints.delivery[:, 0]
            * instance.capacity
        )
        shares = full / (2 * way_of(instance).mean())
        means.append(shares.mean())
        spread = np.quantile(shares, [0.05, 0.95]) / shares.mean()
        assert spread == pytest.approx([0.55, 1.45], abs=0.05)
    assert means == sorted(means)


def test_the_fields_positions_may_be_used():
    rng = np.random.default_rng(0)
    problems = kool_problems(2, 10, 1234)
    for row, instance in enumerate(variant_instances(VARIANTS["vrptw"], problems, "x", rng)):
        assert np.array_equal(instance.coords, problems.coords[row])
        assert instance.name == f"x-{row}"
