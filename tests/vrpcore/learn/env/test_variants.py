"""Masks of the variants against the referee, and by hand."""

import pytest
import torch

from tests.build import constrained, on_a_line
from tests.vrpcore.search.mixed import fault
from tests.vrpcore.variants import NAMES, drawn, inputs_of, random_policy, routes_of, starts_of
from vrpcore.cost.timeline import Timeline
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.variants import Variants
from vrpcore.learn.train.labels import label_arrays
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_no_allowed_step_is_fatal(name, count):
    """Sampled tours serve everybody, and the referee finds every limit kept."""
    instances = drawn(name, count, 14)
    inputs = inputs_of(instances, more_nodes=2)
    tours = build_rollout(random_policy(3))(
        *inputs, starts_of(inputs, 8), torch.tensor(3.0), torch.arange(count)
    )
    for row, instance in enumerate(instances):
        timeline = Timeline(instance)
        for tour in tours[row]:
            routes = routes_of(tour, int(inputs.num_depots[row]))
            assert sorted(stop for route in routes for stop in route.stops) == list(range(1, 15))
            assert [fault(instance, timeline, route) for route in routes] == [None] * len(routes)


@pytest.mark.parametrize("name", NAMES)
def test_no_step_of_good_routes_is_forbidden(name):
    instances = drawn(name, 2, 14, seed=1)
    plans = [search_plan(RichProblem(each), Effort(iterations=1000)).routes for each in instances]
    labels = label_arrays(instances, plans, name)
    inputs = inputs_of(instances)
    tours = torch.from_numpy(labels.tour[:, None])
    forced = Variants().forced(inputs, tours)
    allowed = forced.outlook.mask.gather(2, tours[:, 0, 1:, None])[..., 0]
    assert bool((allowed | ~forced.active[:, 0]).all())


def masks(customers, vehicle=None, before=(), **keys):
    """Which customers of a line are allowed after a way to some of them, from a depot at 0."""
    instance = constrained(customers=customers, vehicles=[vehicle or {}], **keys)
    forced = Variants().forced(inputs_of([instance]), torch.tensor([[[0, *before, 0]]]))
    return [node for node, allowed in enumerate(forced.outlook.mask[0, -1]) if allowed]


def test_masks_by_hand():
    ten = {"capacity": 10}
    line = on_a_line(1, 2, 3, demand=[4, 4, 4])
    assert masks(line, ten) == [1, 2, 3]
    assert masks(line, ten, before=[1]) == [0, 2, 3]
    assert masks(line, ten, before=[1, 2]) == [0]
    late = on_a_line(1, 2, 3, window=[[0, 5], [0, 1], [9, 9]], service=[1, 1, 1])
    assert masks(late) == [1, 3]
    assert masks(late, before=[3]) == [0]
    back = {"window": [0, 12.9]}
    assert masks(late, back, before=[1]) == [0]
    assert masks(late, {"window": [0, 13.1]}, before=[1]) == [0, 3]
    assert masks(late, back | {"end": None}, before=[1]) == [0, 3]
    assert masks(on_a_line(1, 2, 3), {"max_distance": 4}) == [1, 2]
    assert masks(on_a_line(1, 2, 3), {"max_distance": 6.1}, before=[2]) == [0, 1, 3]
    assert masks(on_a_line(1, 2, 3), {"max_distance": 4.1}, before=[1]) == [0, 2]
    busy = on_a_line(1, 2, 3, service=[1, 1, 1])
    assert masks(busy, {"max_duration": 5}) == [1, 2]
    assert masks(busy, {"max_duration": 6.1}, before=[1]) == [0, 2]
    assert masks(busy, {"max_duration": 5.1}, before=[1]) == [0]


def test_a_first_customer_that_nothing_reaches_is_left_out():
    customers = on_a_line(1, 5, 2, window=[[0, 9], [0, 4], [0, 9]])
    inputs = inputs_of([constrained(customers=customers, vehicles=[{}])])
    tours = build_rollout(random_policy(3))(
        *inputs, torch.tensor([[1, 2, 3]]), torch.tensor(0.0), torch.zeros(1, dtype=torch.int64)
    )
    assert [sorted(set(tour.tolist())) for tour in tours[0]] == [[0, 1, 3]] * 3
    assert tours[0, [0, 2], 1].tolist() == [1, 3]


def test_loads_of_pickups():
    ten = {"capacity": 10}
    mixed = on_a_line(1, 2, 3, 4, demand=[6, 4, 0, 0], pickup=[0, 0, 7, 4])
    assert masks(mixed, ten, before=[3]) == [0]
    assert masks(mixed, ten, before=[4]) == [0, 1, 2]
    assert masks(mixed, ten, before=[1]) == [0, 2, 3, 4]
    assert masks(mixed, ten, before=[1, 4]) == [0, 2]
    assert masks(mixed, ten, before=[1, 4], backhauls="last") == [0]
    assert masks(mixed, ten, before=[1, 2], backhauls="last") == [0, 3, 4]
    assert masks(mixed, ten, pickup_only_routes=False) == [1, 2]
    assert masks(mixed, ten, before=[2], pickup_only_routes=False) == [0, 1, 3, 4]
