import math

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import ragged_batch, random_batch
from tests.vrpcore.learn.train.worlds import together
from tests.vrpcore.variants import labelled, random_policy
from vrpcore.config.sections import TrainConfig
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import validate as validate_module
from vrpcore.learn.train.data import TrainBatch, arrange
from vrpcore.learn.train.validate import (
    Validation,
    all_known,
    better,
    figures,
    gives_numbers,
    greedy_cost,
    greedy_tours,
    validate,
    validation_figure,
    validation_line,
)


def one_customer_each():
    """Two instances that cost 10 and 20, whatever the policy does."""
    coords = torch.tensor([[[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [8.0, 6.0]]]).double()
    return TrainBatch(
        inputs=plain_inputs(
            (coords / 10).float(),
            torch.tensor([[0.0, 1.0]] * 2),
            torch.tensor([5.0, 5.0]),
            torch.ones(2, 2, dtype=torch.bool),
        ),
        coords=coords,
        starts=torch.ones(2, 2, dtype=torch.int64),
        tours=torch.zeros(2, 0, 0, dtype=torch.int64),
        reference=torch.tensor([8.0, 20.0]).double(),
    )


def test_by_hand():
    policy, batch = build_policy(SMALL, 3), one_customer_each()
    assert validate(policy, batch) == (15.0, 0.125, 15.0)
    assert greedy_cost(policy, batch).tolist() == [[10.0], [20.0]]
    tours = greedy_tours(policy, batch, torch.tensor([[1, 0], [1, 0]]))
    assert tours.tolist() == [[[1, 0, 0, 0], [0, 1, 0, 0]]] * 2


@pytest.mark.parametrize("rows", [6, 5, 1])
def test_each_process_decodes_a_share_and_all_find_the_figures_of_one(monkeypatch, rows):
    policy, batch = build_policy(SMALL, 3), ragged_batch().take(slice(0, rows))
    expected, decoded = figures(policy, {"own": batch}), []

    def counted(*given):
        decoded.append(len(given[2]))
        return greedy_tours(*given)

    monkeypatch.setattr(validate_module, "greedy_tours", counted)
    found = together(lambda world: figures(policy, {"own": batch}, world))
    assert found == [expected, expected]
    assert sorted(decoded) == [each for each in (rows // 2, -(-rows // 2)) if each]


@pytest.mark.parametrize("batch", [random_batch(), ragged_batch()], ids=["uniform", "ragged"])
def test_the_best_start_is_counted_and_chunks_change_nothing(monkeypatch, batch):
    policy = build_policy(SMALL, 3)
    found = validate(policy, batch)
    alone = greedy_cost(policy, batch)
    assert found.single_cost == pytest.approx(alone.mean())
    starts = [greedy_tours(policy, batch, batch.starts[:, [k]]) for k in range(5)]
    cost = [batch.costs(tours) for tours in starts]
    best = np.concatenate([alone, *cost], axis=1).min(axis=1)
    assert found.cost == pytest.approx(best.mean())
    assert found.cost < found.single_cost
    monkeypatch.setattr(validate_module, "_CHUNK_ELEMENTS_CPU", 1)
    assert validate(policy, batch)[::2] == pytest.approx(found[::2])


def test_a_line_of_metrics_by_hand():
    known, other = Validation(2.0, 0.1, 3.0), Validation(4.0, 0.3, 5.0)
    assert validation_line({"a": known, "b": other}) == {
        "validation_cost": pytest.approx(8**0.5),
        "validation_single_cost": pytest.approx(15**0.5),
        "validation_gap": 0.2,
        "validation_gap/a": 0.1,
        "validation_gap/b": 0.3,
    }
    assert validation_line({"a": known, "b": other._replace(gap=math.nan)}) == {
        "validation_cost": pytest.approx(8**0.5),
        "validation_single_cost": pytest.approx(15**0.5),
        "validation_gap": 0.1,
        "validation_gap/a": 0.1,
        "validation_cost/b": 4.0,
    }


def test_what_decides_by_hand():
    gaps = {"validation_gap": 0.2, "validation_gap/a": 0.1, "validation_gap/b": 0.3}
    assert validation_figure(gaps | {"validation_cost": 9.0}) == 0.2
    mixed = {"validation_gap": 0.1, "validation_gap/a": 0.1, "validation_cost/b": 4.0}
    assert validation_figure(mixed) == pytest.approx(4.4**0.5)
    assert validation_figure({"validation_cost/b": 4.1}) == 4.1


def test_sets_in_other_units_weigh_alike():
    batch = random_batch()
    large = batch._replace(coords=1000 * batch.coords)
    policies = [build_policy(SMALL, seed) for seed in (3, 4)]
    alone = [validate(policy, batch).cost for policy in policies]
    found = [
        validation_figure(figures(policy, {"small": batch, "large": large})) for policy in policies
    ]
    assert found[0] / found[1] == pytest.approx(alone[0] / alone[1])


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_no_set_decides_alone(unit):
    def line(small, large):
        return validation_line({
            "small": Validation(small, math.nan, small),
            "large": Validation(unit * large, math.nan, unit * large),
        })  # fmt: skip

    lines = {"averaged": line(1.10, 0.98), "raw": line(1.0, 1.0)}
    assert better(lines)[0] == "raw"


def test_references_are_known_of_all_or_not():
    known, batch = one_customer_each(), random_batch()
    assert all_known({"a": known})
    assert not all_known({"a": known, "b": batch})


def test_gaps_of_variants_are_those_of_the_best_start():
    batch = arrange(labelled(), TrainConfig(starts=5), np.random.default_rng(0))
    policy = random_policy(3)
    found = validate(policy, batch)
    assert found.gap > 0
    assert found.single_cost >= found.cost
    one = validate(policy, batch._replace(starts=batch.starts[:, :1]))
    assert one.cost >= found.cost
    assert one.single_cost == pytest.approx(found.single_cost)


def test_the_better_line_is_kept():
    lines = {
        "averaged": {"validation_gap": 0.02, "validation_gap/a": 0.02},
        "raw": {"validation_gap": 0.01, "validation_gap/a": 0.01},
    }
    kept, line = better(lines)
    assert kept == line["kept"] == "raw"
    assert (line["validation_gap"], line["validation/averaged"]) == (0.01, 0.02)
    assert better({"raw": lines["raw"]}) == ("raw", lines["raw"])
    costs = {"averaged": {"validation_cost/a": math.nan}, "raw": {"validation_cost/a": 9.0}}
    assert better(costs)[0] == "raw"


@pytest.mark.parametrize("variants", [False, True])
def test_policies_that_give_no_numbers_are_known(variants):
    policy = random_policy(1) if variants else build_policy(SMALL, 1)
    batch = (
        arrange(labelled(), TrainConfig(), np.random.default_rng(0))
        if variants
        else (one_customer_each())
    )
    assert gives_numbers(policy, batch)
    with torch.no_grad():
        policy.decoder.distance_factor.fill_(math.inf)
    assert not gives_numbers(policy, batch)
