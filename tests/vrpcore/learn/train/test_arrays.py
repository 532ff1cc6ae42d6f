import torch

from tests.vrpcore.learn.train.cases import random_batch
from tests.vrpcore.variants import drawn, train_batch
from vrpcore.config.sections import TrainConfig
from vrpcore.learn.train.arrays import (
    problem_arrays,
)


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
