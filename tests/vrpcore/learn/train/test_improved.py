import math

import numpy as np
import pytest
import torch

from tests.build import constrained, on_a_line
from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import STREAMS, ragged_batch, random_batch, sampled
from tests.vrpcore.variants import NAMES, drawn, random_policy, train_batch
from tests.vrpcore.variants import SMALL as RULES
from vrpcore.arrays.batch import FAR, make_batch, policy_nodes
from vrpcore.config.sections import Config, ProblemConfig, TrainConfig
from vrpcore.cost.cost import tour_cost
from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.variants import Variants
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import improved
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.improved import improved_tours, instance_of
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.trainer import Trainer
from vrpcore.search.rich_evolution import evolve


@pytest.mark.parametrize("batch", [random_batch(), ragged_batch()])
def test_improved_tours_are_whole_fit_and_cost_less(batch):
    tours = sampled(batch)
    cost = tour_cost(batch.coords.numpy(), tours)
    found = improved_tours(batch, tours, cost, iterations=50)
    assert found.shape == (len(tours), 1, tours.shape[2])
    assert (tour_cost(batch.coords.numpy(), found)[:, 0] < cost.min(axis=1)).all()
    for row, tour in enumerate(found[:, 0]):
        routes = tour_to_routes(tour)
        size = int(batch.inputs.valid[row].sum())
        assert sorted(node for route in routes for node in route) == list(range(1, size))
        demand = batch.inputs.demand[row].numpy()
        assert all(demand[route].sum() <= float(batch.inputs.capacity[row]) for route in routes)


def test_of_the_sampled_tours_the_cheapest_is_improved():
    batch = random_batch()
    tours = sampled(batch)
    cost = tour_cost(batch.coords.numpy(), tours)
    cheapest = cost.argmin(axis=1)
    alone = tours[np.arange(len(tours)), cheapest][:, None]
    found = improved_tours(batch, tours, cost, iterations=5)
    assert (found == improved_tours(batch, alone, np.ones((len(tours), 1)), iterations=5)).all()


def test_a_step_makes_improved_tours_more_likely():
    policy, batch = build_policy(SMALL, 3), random_batch()
    tours = []

    def improve(part, choice, cost):
        found = improved_tours(part, choice, cost, iterations=50)
        tours.append(found)
        return found

    learner = LoopLearner(policy, "fp32", World())
    comparison = Comparison(pairs=True, improve=improve)
    optimizer = torch.optim.SGD(policy.parameters(), 1e-3)
    learner.reinforce(batch, STREAMS, comparison)
    target = batch._replace(tours=torch.from_numpy(np.concatenate(tours)))
    step = [parameter.grad.clone() for parameter in policy.parameters()]
    policy.zero_grad()
    before = learner.imitate(target).loss
    for parameter, gradient in zip(policy.parameters(), step, strict=True):
        parameter.grad = gradient
    optimizer.step()
    policy.zero_grad()
    assert learner.imitate(target).loss < before


def test_improved_tours_of_variants_keep_their_limits_and_cost_less():
    """By the masks of training, which add up in float32."""
    policy, found = random_policy(3), 0
    for seed in range(3):
        instances = [drawn(name, 1, 12, seed, 20)[0] for name in NAMES]
        batch = train_batch(instances, 15, TrainConfig(starts=4))
        with torch.no_grad():
            streams = torch.arange(len(NAMES))
            tours = build_rollout(policy)(*batch.inputs, batch.starts, torch.ones([]), streams)
        cost = batch.costs(tours.numpy())
        better = improved_tours(batch, tours.numpy(), cost, iterations=20)
        new = batch.costs(better)[:, 0]
        assert better.shape == (len(NAMES), 1, tours.shape[2])
        assert (new <= cost.min(axis=1)).all()
        found += int((new < cost.min(axis=1) - 1e-6).sum())
        forced = Variants().forced(batch.inputs, torch.from_numpy(better))
        chosen = torch.from_numpy(better)[:, 0, 1:, None]
        allowed = forced.outlook.mask.gather(2, chosen)[:, :, 0]
        assert allowed[forced.active[:, 0]].all()
    assert found > 2.5 * len(NAMES)


def one_by_one():
    """Two instances with windows, and a route for each of their customers."""
    batch = train_batch([drawn("vrptw", 1, size, 1, 20)[0] for size in (5, 9)], 10, TrainConfig())
    tours = np.zeros((2, 1, 21), np.int64)
    tours[:, 0, 1:19:2] = np.arange(1, 10)
    tours[0, 0, 11:] = 0
    return batch, tours


def test_tours_of_variants_stay_where_the_search_finds_none_cheaper():
    batch, tours = one_by_one()
    cost = batch.costs(tours)
    found = improved_tours(batch, tours, cost, iterations=3)
    changed = (found != tours).any(axis=2)
    assert changed.all()
    assert (improved_tours(batch, tours, 0 * cost, iterations=3) == tours).all()


def test_iterations_are_for_each_customer_of_variants_too(monkeypatch):
    batch, tours = one_by_one()
    asked = []

    def noted(search, iterations, *arguments):
        asked.append(iterations)
        return evolve(search, iterations, *arguments)

    monkeypatch.setattr(improved, "evolve", noted)
    improved_tours(batch, tours, batch.costs(tours), iterations=3)
    assert asked == [15, 27]


@pytest.mark.parametrize("kind", ["plain", "variants"])
@pytest.mark.parametrize("rollout", ["loop", "two_phase"])
def test_a_run_learns_from_improved_tours(tmp_path, kind, rollout):
    variants = kind == "variants"
    config = Config(
        problem=ProblemConfig(num_customers=8, capacity=15, variants="all" if variants else None),
        policy=RULES if variants else SMALL,
        train=TrainConfig(
            objective="prefer", leader=2.0, improve=5, batch_size=8, steps=2, log_every=1,
            rollout=rollout, validate_every=0, compile=False,
        ),
    )  # fmt: skip
    trainer = Trainer(config, tmp_path / rollout, torch.device("cpu"))
    outcome = trainer.run(lambda _: None, lambda: False)
    assert outcome.finished
    assert outcome.steps == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_of_a_batch_is_an_instance_again(name):
    """Drawn in the unit square, but not reaching all of its sides."""
    (instance,) = drawn(name, 1, 9)
    first = make_batch([instance], 14)
    again = instance_of(first, 0)
    second = make_batch([again], 14)
    side = np.ptp(again.coords, axis=0).max()
    for field in ("demand", "capacity", "valid", "pickup", "limit_has_service", "open_end"):
        assert (getattr(first, field) == getattr(second, field)).all()
    for field in ("backhauls_last", "pickup_only", "num_depots"):
        assert (getattr(first, field) == getattr(second, field)).all()
    assert len(policy_nodes(again)) == len(policy_nodes(instance))
    assert second.service * side == pytest.approx(first.service, abs=1e-5)
    for field in ("opening", "closing", "limit"):
        one, other = getattr(first, field), getattr(second, field)
        bound = one < FAR
        assert ((other < FAR) == bound).all()
        assert other[bound] * side == pytest.approx(one[bound], abs=5e-5)
        assert field == "opening" or (other[bound] * side < one[bound]).all()


def test_times_of_routes_stay_limited_by_times():
    customers = on_a_line(10, 20, service=[5, 5])
    vehicles = [{"capacity": 10, "max_duration": 100}]
    batch = make_batch([constrained(customers=customers, vehicles=vehicles)], 3)
    vehicle = instance_of(batch, 0).own_constraints.vehicles[0]
    assert vehicle.max_duration == pytest.approx(5, abs=1e-4)
    assert vehicle.max_distance == math.inf
