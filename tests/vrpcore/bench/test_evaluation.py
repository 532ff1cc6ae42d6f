import dataclasses
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from vrpcore.api import Solver
from vrpcore.bench.evaluation import (
    evaluate,
    evaluations_to_json,
    mean_and_error,
)
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import timed
from vrpcore.config.sections import PolicyConfig
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InternalError
from vrpcore.instance.generator import random_problems
from vrpcore.instance.solution import Solution
from vrpcore.instance.variant_generator import VARIANTS, instances_of
from vrpcore.learn.policy.checkpoint import save_checkpoint
from vrpcore.learn.policy.policy import build_policy
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.order import POLICY_SKIPPED
from vrpcore.solve.solve_options import Decoding, SolveOptions


class Fake:
    """A solver with given costs; None: not all served."""

    def __init__(self, name, costs, warnings=()):
        self.costs, self.warnings, self.options, self.counts = costs, warnings, {}, []
        self.model = SimpleNamespace(name=name, sha256="0123456789abcdef")
        self.models = [self.model, SimpleNamespace(name="variants", sha256="fedcba9876543210")]

    def solve(self, instances, **options):
        self.options = options
        self.counts.append(len(instances))
        return [
            Solution(
                name=item.name,
                status="solved" if cost is not None else "partial",
                cost=cost if cost is not None else 3.0,
                warnings=self.warnings,
            )
            for item, cost in zip(instances, self.costs, strict=False)
        ]


def problems(references):
    found = generated_set("uniform5", len(references), 1)
    return dataclasses.replace(found, references=references)


def test_a_mean_and_its_error_by_hand():
    mean = mean_and_error(np.array([1.0, math.nan, 3.0]))
    assert mean == (2.0, pytest.approx(2**0.5 / 2**0.5))
    assert mean_and_error(np.array([math.nan])) is None
    assert math.isnan(mean_and_error(np.array([4.0])).error)


def test_gaps_and_differences_are_of_the_same_instances():
    first, second = Fake("one", [10.0, 20.0, 33.0, None]), Fake("two", [11.0, 20.0, None, 7.0])
    rows = evaluate([first, second], problems((10.0, 16.0, None, 5.0)), Decoding(augment=8), 7)
    assert [row.model for row in rows] == ["one 0123456789ab", "two 0123456789ab"]
    assert [(row.instances, row.unsolved, row.known) for row in rows] == [(4, 1, 2), (4, 1, 3)]
    assert rows[0].cost == 21.0
    assert rows[0].gap.value == pytest.approx((0.0 + 0.25) / 2)
    assert rows[0].difference is None
    assert rows[1].difference.value == pytest.approx((0.1 + 0.0) / 2)
    expected = {"improve": "none", "starts": 5, "augment": 8, "decode": "multistart", "seed": 7}
    assert first.options.items() >= expected.items()


def test_a_model_is_opened_before_it_is_timed(monkeypatch):
    fake, timed_counts = Fake("one", [3.0, 4.0, 5.0]), []

    def noted(call):
        assert fake.counts == [1]
        answer = timed(call)
        timed_counts.extend(fake.counts[1:])
        return answer

    monkeypatch.setattr("vrpcore.bench.evaluation.timed", noted)
    (row,) = evaluate([fake], problems((None,) * 3), Decoding(), 7)
    assert (row.instances, row.cost, timed_counts) == (3, 4.0, [3])


def test_nothing_known_and_nothing_solved():
    (row,) = evaluate([Fake("one", [None, None])], problems((None, None)), Decoding(starts=2), 7)
    assert (row.gap, row.known, row.unsolved) == (None, 0, 2)
    document = json.loads(evaluations_to_json([row], Decoding(starts=2), 7, {"torch": "x"}))
    assert document["format"] == "vrp-eval/1"
    assert (document["decoding"]["starts"], document["decoding"]["seed"]) == (2, 7)
    assert document["rows"][0]["cost"] is None
    assert document["environment"] == {"torch": "x"}


def test_what_a_heuristic_constructed_is_not_the_policys():
    fake = Fake("one", [10.0, 12.0], (POLICY_SKIPPED,))
    (row,) = evaluate([fake], problems((10.0, 12.0)), Decoding(), 7)
    assert (row.unsolved, row.known, row.gap) == (2, 0, None)


@pytest.fixture
def bad(tmp_path):
    """A policy that drives to the farthest customer."""
    sizes = PolicyConfig(embed_dim=16, num_heads=2, num_layers=1, feedforward_dim=16, variants=True)
    policy = build_policy(sizes, 3)
    with torch.no_grad():
        policy.decoder.distance_factor.fill_(-1.0)
    identity = {"name": "bad", "version": "0", "train_sizes": [5, 50]}
    content = {"config": {"policy": dataclasses.asdict(sizes)}, "policy": policy.state_dict()}
    save_checkpoint(tmp_path / "bad.pt", identity | content)
    return str(tmp_path / "bad.pt")


def test_with_constraints_a_policy_is_measured_by_its_own_tours(bad):
    """Insertion's are much shorter."""
    rng = np.random.default_rng(1)
    drawn = random_problems("uniform", (4, 20), "by_size", rng)
    instances = instances_of([VARIANTS["vrptw"]] * 4, drawn, "tw", rng)
    (row,) = evaluate(
        [Solver(bad, "cpu")],
        dataclasses.replace(problems((None,) * 4), instances=instances),
        Decoding(starts=20),
        7,
    )
    inserted = [item.cost for item in Solver("small", "cpu").solve(instances, improve="none")]
    found = construct(instances, open_backend(bad, "cpu"), SolveOptions(improve="none", starts=20))
    own = []
    for instance, plans in zip(instances, found, strict=True):
        times = Timeline(instance)
        costs = [sum(times.schedule(route).cost for route in plan.routes) for plan in plans]
        own.append(min(costs))
    assert (row.model[:3], row.unsolved) == ("bad", 0)
    assert row.cost == pytest.approx(np.mean(own))
    assert row.cost > 1.5 * np.mean(inserted)


def test_sets_without_customers_or_with_too_many_are_measured():
    fake = Fake("one", [0.0])
    for customers, starts in ((0, 1), (5, 5), (12_345, 1000)):
        found = problems((None,))
        (instance,) = found.instances
        sized = SimpleNamespace(name=instance.name, num_customers=customers)
        (row,) = evaluate([fake], dataclasses.replace(found, instances=[sized]), Decoding(), 7)
        assert fake.options["starts"] == starts
        assert row.cost == 0.0


def test_costs_of_zero_have_no_difference_but_to_zero():
    solvers = [Fake("one", [0.0, 0.0, 10.0]), Fake("two", [0.0, 3.0, 11.0])]
    rows = evaluate(solvers, problems((None,) * 3), Decoding(), 7)
    assert rows[1].difference.value == pytest.approx((0.0 + 0.1) / 2)


def test_the_model_is_the_one_that_constructed(monkeypatch):
    fake = Fake("one", [10.0])
    solve = fake.solve
    monkeypatch.setattr(
        fake,
        "solve",
        lambda *given, **named: [
            dataclasses.replace(each, constructor="variants") for each in solve(*given, **named)
        ],
    )
    (row,) = evaluate([fake], problems((None,)), Decoding(), 7)
    assert row.model == "variants fedcba987654"


def test_a_bug_is_an_error():
    with pytest.raises(InternalError, match=r"uniform5: .*broken"):
        evaluate([Fake("one", [1.0], ("INTERNAL: broken",))], problems((None,)), Decoding(), 7)
