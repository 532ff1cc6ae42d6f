import dataclasses
import json

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.runs import small_config
from tests.vrpcore.variants import labelled, variant_config
from vrpcore.arrays.batch import EXACT, Batch
from vrpcore.config.sections import (
    MOST_CAPACITY,
    Config,
    DataConfig,
    PolicyConfig,
    ProblemConfig,
    SizeRange,
    TrainConfig,
)
from vrpcore.cost.tour_routes import visits_once
from vrpcore.errors import ConfigError
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.data import (
    StepBatches,
    fingerprint,
    fixed_batches,
    num_starts,
    split_labels,
    train_sizes,
    training_batches,
)
from vrpcore.learn.train.labels import Labels
from vrpcore.learn.train.validate import greedy_tours


def batches_of(problem, **train):
    return StepBatches(Config(problem=problem, train=TrainConfig(**train)), [])


def validated(problem, **train):
    """The validation sets of problems that are drawn."""
    return fixed_batches(Config(problem=problem, train=TrainConfig(**train)), [])


def test_each_step_draws_one_of_several_rules_of_capacity():
    problem = ProblemConfig(num_customers=100, capacity=["by_size", "by_route_length"])
    batches = batches_of(problem, batch_size=3)
    drawn = [batches[step].inputs.capacity.tolist() for step in range(20)]
    usual = drawn.count([50.0] * 3)
    assert 4 < usual < 16
    assert all(len(set(step)) > 1 for step in drawn if step != [50.0] * 3)


@pytest.mark.parametrize(
    "problem",
    [
        ProblemConfig(num_customers=4, capacity=MOST_CAPACITY),
        ProblemConfig(num_customers=[4, 60], capacity="by_route_length", max_demand=500_000),
    ],
)
def test_the_largest_loads_are_exact_and_tours_serve_every_customer(problem):
    batches = batches_of(problem, batch_size=64)
    policy = build_policy(SMALL, 0)
    for step in range(3):
        batch = batches[step]
        assert float(batch.inputs.capacity.max()) < EXACT
        tours = greedy_tours(policy, batch, batch.starts[:, :1])
        assert visits_once(tours[:, 0], batch.inputs.valid.numpy(), batch.depots.numpy()).all()


def test_a_range_is_drawn_evenly_by_ratio():
    problem = ProblemConfig(num_customers=SizeRange(min=5, max=20), capacity=30)
    batches = batches_of(problem, batch_size=1)
    drawn = [batches[step].inputs.valid.shape[1] - 1 for step in range(400)]
    assert (min(drawn), max(drawn)) == (5, 20)
    assert 170 < sum(size < 10 for size in drawn) < 230  # log(10/5) of log(21/5): 0.48


def instance(depot, coords):
    """With demands of 1, which vehicles of 9 carry."""
    return {"capacity": 9, "depot": depot, "coords": coords, "demands": [1] * len(coords)}


SIX = [instance([row, 0], [[0, 1], [1, 1], [2, 1]]) for row in range(6)]  # told apart by depots


def own_data(folder, instances=SIX, **settings):
    """Instances as configured data."""
    (folder / "own.json").write_text(json.dumps(instances))
    return DataConfig(file=str(folder / "own.json"), **settings)


def test_generator_and_own_data_mix(tmp_path):
    config = Config(
        problem=ProblemConfig(num_customers=7, capacity=20),
        train=TrainConfig(batch_size=2),
        data=own_data(tmp_path, mix=0.5, holdout=2),
    )
    labels, _ = split_labels(config)
    batches = StepBatches(config, labels)
    assert {batches[step].inputs.valid.shape[1] for step in range(40)} == {4, 8}
    assert train_sizes(config, labels) == (3, 7)
    assert train_sizes(Config(data=own_data(tmp_path)), labels) == (3, 3)


def test_files_that_are_only_validated_are_no_sizes_of_training(tmp_path):
    config = Config(
        problem=ProblemConfig(num_customers=7, capacity=20),
        train=TrainConfig(validation_size=4),
        data=own_data(tmp_path, mix=0.0, holdout=2),
    )
    labels, holdouts = split_labels(config)
    assert train_sizes(config, labels) == (7, 7)
    assert list(fixed_batches(config, holdouts)) == ["own", "n7"]


def test_what_is_drawn_is_validated_next_to_what_is_held_out(tmp_path):
    config = Config(
        problem=ProblemConfig(num_customers=[4, 7], capacity=20),
        train=TrainConfig(validation_size=4),
        data=own_data(tmp_path, mix=0.5, holdout=2),
    )
    (held,) = split_labels(config)[1]
    sizes = {name: len(batch.coords) for name, batch in fixed_batches(config, [held]).items()}
    assert sizes == {"own": 2, "n4": 4, "n7": 4}
    unmixed = dataclasses.replace(config, data=dataclasses.replace(config.data, mix=1.0))
    assert list(fixed_batches(unmixed, [held])) == ["own"]
    sets = fixed_batches(config, [dataclasses.replace(held, name=name) for name in ("n7", "n7")])
    assert list(sets) == ["n7", "n7-2", "n4", "n7-3"]


def test_each_distribution_is_validated_at_each_size():
    names = ["uniform", "clustered", "uniform", "xstyle"]
    problem = ProblemConfig(num_customers=[4, 7], capacity="by_route_length", distribution=names)
    sets = validated(problem, validation_size=8)
    assert {name: len(batch.coords) for name, batch in sets.items()} == {
        "n4-uniform": 2, "n4-clustered": 3, "n4-xstyle": 3,
        "n7-uniform": 2, "n7-clustered": 3, "n7-xstyle": 3,
    }  # fmt: skip
    for name, batch in sets.items():
        assert (float(batch.coords.max()) > 1) == name.endswith("xstyle")


def test_sizes_with_small_batches_have_small_validation_sets():
    problem = ProblemConfig(num_customers=SizeRange(min=10, max=80))
    sets = validated(problem, batch_size=8, batch_at_size=20, validation_size=6)
    found = {name: len(batch.coords) for name, batch in sets.items()}
    assert found == {"n10": 6, "n45": 3, "n80": 2}  # batches of 16, 4 and 2


def test_a_validation_set_has_all_sizes_of_its_file(tmp_path):
    instances = [instance([0, 0], [[x, 1] for x in range(size)]) for size in range(1, 41)]
    data = own_data(tmp_path, instances, holdout=20)
    config = Config(train=TrainConfig(validation_size=5), data=data)
    holdouts = split_labels(config)[1]
    (batch,) = fixed_batches(config, holdouts).values()
    found = (batch.inputs.valid.sum(1) - 1).tolist()
    assert found == holdouts[0].size[::4].tolist()
    assert max(found) > 25


def test_equal_sets_have_one_fingerprint_and_others_another(tmp_path):
    def found(**train):
        return fingerprint(fixed_batches(small_config(**train), []))

    known = found()
    # The batch is made smaller where memory runs out: the best so far is compared all the same.
    assert known == found(steps=99, learning_rate=1.0, batch_size=3)
    changes = {"starts": 3}, {"seed": 5}, {"validation_size": 5}, {"batch_at_size": 3}
    others = [found(**change) for change in changes]
    assert len({known, *others}) == 1 + len(changes)


def test_each_rule_of_capacity_is_validated():
    rules = ["by_size", "by_route_length"]
    problem = ProblemConfig(num_customers=[20, 100], capacity=rules, distribution=["uniform"])
    sets = validated(problem, validation_size=8)
    assert {name: len(batch.coords) for name, batch in sets.items()} == {
        f"n{size}-{rule}": 4 for size in (20, 100) for rule in rules
    }
    for name, batch in sets.items():
        usual = {30.0, 50.0} & set(batch.inputs.capacity.tolist())
        assert (len(set(batch.inputs.capacity.tolist())) == 1) == ("by_size" in name) == bool(usual)
        assert batch.take(slice(1)).name == batch.name == name


def test_what_was_trained_on_is_never_held_out_later(tmp_path):
    """A file grows by a day, its largest: what is held out is new, or was held out before."""

    def depots(parts):
        return {tuple(row) for row in parts[0].coords[:, 0].tolist()}

    rng, days, trained = np.random.default_rng(0), [], set()
    for day in range(60):
        coords = rng.random((3 + day // 10, 2)).tolist()
        days.append(instance([day, 0], coords))
        if day < 20:
            continue
        labels, held = split_labels(Config(data=own_data(tmp_path, days, holdout=10)))
        assert (len(held[0]), len(labels[0])) == (10, day - 9)
        assert not depots(held) & trained
        trained |= depots(labels)


def test_what_is_held_out_is_validated_and_never_trained_on(tmp_path):
    config = Config(train=TrainConfig(batch_size=4), data=own_data(tmp_path, holdout=2))
    labels, holdouts = split_labels(config)
    ((name, held),) = fixed_batches(config, holdouts).items()
    assert name == "own"
    depots = set(held.coords[:, 0, 0].tolist())
    batches = StepBatches(config, labels)
    seen = {depot for step in range(20) for depot in batches[step].coords[:, 0, 0].tolist()}
    assert (len(depots), seen) == (2, set(range(6)) - depots)
    for parts in split_labels(
        Config(data=own_data(tmp_path, holdout=9))
    ):  # at least half is learnt
        assert [len(part) for part in parts] == [3]


def test_the_order_of_the_steps_is_that_of_their_numbers():
    problem = ProblemConfig(num_customers=4, capacity=20)
    config = Config(problem=problem, train=TrainConfig(batch_size=2, accumulate=3))
    batches = StepBatches(config, [])
    cpu = torch.device("cpu")
    found = list(training_batches(batches, range(1, 3), 3, config.data, cpu))
    assert len(found) == 6
    for number, batch in enumerate(found, start=3):
        assert torch.equal(batch.coords, batches[number].coords)


def test_batches_are_as_large_and_tight_as_configured():
    problem = ProblemConfig(num_customers=[10, 40], capacity=[30, 50], grid=4)
    batches = batches_of(problem, batch_size=6, batch_at_size=20, starts=3)
    drawn = [batches[step] for step in range(8)]
    shapes = {
        (*part.starts.shape, part.inputs.valid.shape[1], float(part.inputs.capacity[0]))
        for part in drawn
    }
    assert shapes == {(12, 3, 11, 30.0), (3, 3, 41, 50.0)}
    for batch in drawn:
        assert torch.equal(batch.coords * 4, (batch.coords * 4).round())
        assert all(len(set(row)) == 3 for row in batch.starts.tolist())


def test_starts_of_each_size():
    auto = [num_starts(TrainConfig(), size) for size in (1, 2, 20, 21)]
    assert auto == [2, 2, 20, 20]
    assert num_starts(TrainConfig(starts=5), 3) == 5


def test_a_range_is_validated_at_its_ends_and_its_middle():
    problem = ProblemConfig(num_customers=SizeRange(min=5, max=10), capacity=30)
    first, again = (validated(problem, validation_size=3) for _ in range(2))
    assert {name: batch.inputs.valid.shape for name, batch in first.items()} == {
        "n5": (3, 6), "n7": (3, 8), "n10": (3, 11),
    }  # fmt: skip
    assert all(torch.equal(first[name].coords, again[name].coords) for name in first)


def test_batches_of_variants_depend_on_their_number_alone():
    batches = [StepBatches(variant_config(), []) for _ in range(2)]
    for number in (0, 3):
        first, second = (each[number] for each in batches)
        assert all(torch.equal(*pair) for pair in zip(first.inputs, second.inputs, strict=True))
        assert torch.equal(first.starts, second.starts)
    depots = batches[0][0].inputs.num_depots
    assert set(depots.tolist()) == {1, 3}


def test_variants_have_any_name_that_generate_takes():
    for name in ("vrptw", "VRPTW", "CVRPTW"):
        chosen = dataclasses.replace(variant_config(), problem=ProblemConfig(variants=[name]))
        inputs = StepBatches(chosen, [])[0].inputs
        assert bool((inputs.closing[:, 0] < 9).all())
        assert not bool(inputs.open_end.any())


def test_configurations_of_variants_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match=r"problem\.variants"):
        Config(problem=ProblemConfig(variants="all"), policy=PolicyConfig())
    with pytest.raises(ConfigError, match="baseline"):
        variant_config(baseline="ema")
    for names in ("xstyle", ["uniform", "xstyle"]):
        problem = ProblemConfig(variants="all", distribution=names)
        with pytest.raises(ConfigError, match=r"problem\.distribution: xstyle has no variants"):
            Config(problem=problem, policy=PolicyConfig(variants=True))
    for name in ("vrpx", "pdp"):
        chosen = dataclasses.replace(variant_config(), problem=ProblemConfig(variants=[name]))
        with pytest.raises(ConfigError, match=f"no variant {name}"):
            StepBatches(chosen, [])[0]


def test_labelled_variants_of_a_batch_are_about_as_large_as_each_other():
    """A batch is as wide as its own largest instance."""
    small, large = (labelled(("cvrp", "vrptw") * 6, size) for size in (4, 12))
    wide = large.batch.valid.shape[1]
    labels = Labels(
        name="both",
        batch=Batch(*map(np.concatenate, zip(small.batch.padded(wide), large.batch, strict=True))),
        coords=np.concatenate([small.batch.padded(wide).coords_unit, large.coords]),
        tour=np.concatenate([np.pad(small.tour, ((0, 0), (0, 16))), large.tour]),
        cost=np.concatenate([small.cost, large.cost]),
    )
    batches = StepBatches(variant_config(batch_size=1), [labels])
    widths = {batches[step].inputs.valid.shape[1] for step in range(12)}
    assert widths == {5, 13}
    assert {tuple(batches[step].tours.shape[:2]) for step in range(12)} == {(1, 2)}


def test_nodes_are_filled_up_and_cost_nothing():
    config = small_config()
    plain, padded = StepBatches(config, [])[0], StepBatches(config, [], multiple=8)[0]
    nodes = plain.coords.shape[1]
    assert padded.coords.shape[1] == padded.inputs.valid.shape[1] == 8
    assert torch.equal(padded.inputs.valid[:, :nodes], plain.inputs.valid)
    assert not padded.inputs.valid[:, nodes:].any()
    tours = plain.starts.numpy()[:, :, None]
    assert (padded.costs(tours) == plain.costs(tours)).all()
    variants = StepBatches(variant_config(), [], multiple=8)[0]
    assert variants.inputs.closing.shape[1] % 8 == 0
