"""Lengths of variants' tours against the referee's."""

import numpy as np
import pytest

from tests.vrpcore.variants import NAMES, drawn
from vrpcore.cost.timeline import Timeline
from vrpcore.cost.variant_cost import num_missing, variant_routes, variant_tour, variant_tour_length
from vrpcore.instance.plan import Route
from vrpcore.learn.train.labels import label_arrays
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan


@pytest.mark.parametrize("name", NAMES[::3])
def test_lengths_are_the_referees(name):
    instances = drawn(name, 3, 12)
    plans = [search_plan(RichProblem(each), Effort("none")).routes for each in instances]
    labels = label_arrays(instances, plans, name)
    for row, (instance, routes) in enumerate(zip(instances, plans, strict=True)):
        timeline = Timeline(instance)
        side = np.ptp(instance.coords, axis=0).max()
        expected = sum(timeline.schedule(route).distance for route in routes) / side
        assert labels.cost[row] == pytest.approx(expected, rel=1e-5)


def test_by_hand():
    coords = np.array([[[0.0, 0], [9, 0], [1, 0], [3, 0], [8, 0]]])
    tours = np.array([[[0, 2, 3, 1, 4, 0, 0], [1, 4, 0, 2, 0, 3, 0], [0, 0, 2, 3, 4, 0, 0]]])
    depots = np.array([2])
    length = variant_tour_length(coords, tours, depots, np.array([False]))
    assert length.tolist() == [[6 + 2, 2 + 2 + 6, 16]]
    length = variant_tour_length(coords, tours, depots, np.array([True]))
    assert length.tolist() == [[3 + 1, 1 + 1 + 3, 8]]
    assert num_missing(tours[:, :, :4], np.array([3]), depots).tolist() == [[1, 1, 1]]


def test_tours_in_16_bits_are_as_long():
    coords = np.random.default_rng(0).random((2, 6, 2))
    tours = np.array([[[0, 2, 3, 1, 5, 4, 0]], [[1, 4, 0, 3, 2, 5, 1]]])
    of = (np.array([2, 2]), np.array([True, False]))
    expected = variant_tour_length(coords, tours, *of)
    assert np.array_equal(variant_tour_length(coords, tours.astype(np.int16), *of), expected)


def test_routes_of_a_tour():
    tour = np.array([1, 4, 3, 0, 2, 0, 0])
    assert variant_routes(tour, 2) == [Route(1, (3, 2)), Route(0, (1,))]
    assert variant_tour(variant_routes(tour, 2), 2, 7).tolist() == tour.tolist()
