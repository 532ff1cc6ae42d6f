import numpy as np
import pytest

from vrpcore.errors import ConfigError
from vrpcore.instance.generator import as_instances, kool_problems, random_problems, usual_capacity


@pytest.mark.parametrize("size", [10, 20, 50, 100])
def test_kool_sets_are_the_published_ones(size, kool_path):
    with np.load(kool_path(size)) as published:
        problems = kool_problems(len(published["coords"]), size, 1234)
        assert np.array_equal(problems.coords.astype(np.float32), published["coords"])
        assert np.array_equal(problems.demand, published["demand"])
        assert problems.capacity[0] == published["capacity"]


@pytest.mark.parametrize("distribution", ["uniform", "clustered", "xstyle"])
@pytest.mark.parametrize("capacity", [100, "by_size", "by_route_length"])
def test_problems_can_be_served(distribution, capacity):
    problems = random_problems(distribution, (20, 13), capacity, np.random.default_rng(0))
    assert problems.coords.shape == (20, 14, 2)
    assert (problems.demand[:, 0] == 0).all()
    assert (problems.demand[:, 1:] >= 1).all()
    assert (problems.demand.max(axis=1) <= problems.capacity).all()
    high = 1000 if distribution == "xstyle" else 1
    assert problems.coords.min() >= 0
    assert problems.coords.max() <= high


@pytest.mark.parametrize(
    ("distribution", "capacity", "most", "found"),
    [
        ("uniform", 99, 99, None),
        ("uniform", 98, 99, "capacity: 98, but uniform has demands of up to 99; give a number of "),
        ("clustered", "by_size", 30, None),
        ("clustered", "by_size", 31, "capacity: by_size, 30 for 20 customers, but clustered has "),
        ("uniform", "by_route_length", 1000, None),
        ("xstyle", 100, 9, None),
        ("xstyle", 99, 9, "up to 100; give a number of at least 100, or by_route_length"),
        ("xstyle", "by_size", 9, None),
    ],
)
def test_no_demand_may_be_drawn_that_no_vehicle_holds(distribution, capacity, most, found):
    def drawn():
        rng = np.random.default_rng(0)
        return random_problems(distribution, (50, 20), capacity, rng, most)

    if found is None:
        problems = drawn()
        assert (problems.demand.max(axis=1) <= problems.capacity).all()
    else:
        with pytest.raises(ConfigError, match=found):
            drawn()


def test_xstyle_is_as_the_x_set():
    problems = random_problems("xstyle", (200, 100), "by_size", np.random.default_rng(0))
    assert problems.metric == "euc_2d"
    assert np.array_equal(problems.coords, np.rint(problems.coords))
    routes = problems.demand.sum(axis=1) / problems.capacity
    assert routes.min() >= 100 / 25 * 0.9
    assert routes.max() <= 100 / 3
    depots = {tuple(depot) for depot in problems.coords[:, 0]}
    assert {(500.0, 500.0), (0.0, 0.0)} < depots


def test_usual_capacities():
    assert [usual_capacity(n) for n in (10, 20, 50, 100, 200)] == [20, 30, 40, 50, 70]


def test_instances_have_names_and_numbers():
    problems = random_problems("uniform", (2, 3), 30, np.random.default_rng(0))
    first, second = as_instances(problems, "day")
    assert (first.name, second.name) == ("day-0", "day-1")
    assert first.ids == (1, 2, 3)
    assert first.capacity == 30.0
