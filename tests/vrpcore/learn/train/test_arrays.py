import torch

from tests.vrpcore.learn.train.cases import random_batch
from tests.vrpcore.variants import drawn, train_batch
from vrpcore.config.sections import TrainConfig
from vrpcore.learn.train.arrays import Arrays, Cases, make_memory, padded, problem_arrays


def test_counts_are_rounded_up_to_whole_groups():
    assert [padded(count) for count in (1, 16, 17)] == [16, 16, 32]


def test_memory_of_five_nodes_eight_heads_and_24_features():
    """Three instances; two of them, with four constructions of ten choices, are recorded."""
    shapes = ((3, 5, 5, 8), (3, 2, 5, 8), (3, 5, 24), (3, 5, 24), (3, 5, 5), (3, 4))
    tables, gradient = (Arrays(*map(torch.zeros, shapes)) for _ in range(2))
    cases = Cases(*torch.zeros(2, 3, 4))
    choice = torch.zeros(2, 4, 10, dtype=torch.int64)
    memory = make_memory({}, tables, gradient, cases, choice)
    assert memory.shape == (5, 8, 24, 2, 4)
    sizes = [part.numel() for part in memory.record]
    assert sizes == [80, 80 * 24, 80 * 16, 80 * 16, 8]  # 5 nodes fill a group of 16
    scratch = [16, 5, 5, 4 * 16, 16 * 8, 8, 16, 16 * 24, 5, 5 * 16, 5 * 16, 5 * 16 * 8]
    assert [part.numel() for part in memory.scratch] == scratch
    assert not any(part.any() for part in memory.scratch)


def test_arrays_of_the_compiled_step_are_dense():
    instances = [drawn(name, 1, 9)[0] for name in ("mdovrpmbltw", "vrpl")]
    batch = train_batch(instances, 13, TrainConfig(starts=5))
    for inputs in (batch.inputs, random_batch().inputs):
        assert all(array.is_contiguous() for array in problem_arrays(inputs).values())
    assert problem_arrays(batch.inputs)["servable"].dtype == torch.bool


def test_nothing_fits_where_there_is_no_customer():
    inputs = random_batch().inputs
    valid = inputs.valid & (torch.arange(inputs.valid.shape[1]) < 4)
    need = problem_arrays(inputs._replace(valid=valid))["need"]
    assert (need[:, :4] == inputs.demand[:, :4]).all()
    assert need[:, 4:].isinf().all()
