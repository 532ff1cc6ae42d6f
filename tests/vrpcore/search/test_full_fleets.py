"""Fleets without room to spare: demands fill all vehicles to the brim."""

import pytest

from tests.vrpcore.search.cases import check, full_fleet
from vrpcore.search.hgs_search import improve_instance


def is_solved(instance):
    found = improve_instance(instance, [])
    check(instance, found)
    return len(found) <= instance.max_vehicles


@pytest.mark.parametrize("seed", range(5))
def test_routes_that_fill_the_fleet_are_known(seed):
    instance, routes = full_fleet(seed)
    check(instance, routes)
    assert len(routes) == instance.max_vehicles
    assert all(instance.demand[route].sum() == instance.capacity for route in routes)


@pytest.mark.parametrize("capacity", [50, 1000])
def test_every_fleet_is_filled(capacity):
    """Of many capacities hardly any two sets of demands fill a vehicle alike."""
    missed = [seed for seed in range(30) if not is_solved(full_fleet(seed, (capacity,))[0])]
    assert missed == []
