import numpy as np
import pytest

from tests.vrpcore.solve.test_construct import NearestFirst, problems
from vrpcore.cost.routes import routes_to_tour
from vrpcore.errors import ModelError
from vrpcore.solve.construct import construct
from vrpcore.solve.construction import Construction
from vrpcore.solve.job import POLICY_SKIPPED, Job
from vrpcore.solve.options import SolveOptions


class Pairs(NearestFirst):
    """A backend whose routes have two customers, so that each start costs something else."""

    def construct(self, batch, starts, temperature, seed):
        count, num_nodes = batch.valid.shape
        tours = np.zeros((count, starts.shape[1], 2 * num_nodes), np.int64)
        for row, start in np.ndindex(*starts.shape):
            order = np.roll(np.arange(1, batch.valid[row].sum()), -int(starts[row, start])).tolist()
            routes = [order[place : place + 2] for place in range(0, len(order), 2)]
            tours[row, start] = routes_to_tour(routes, 2 * num_nodes)
        return tours


class Small(Pairs):
    """A backend with memory for a few instances at once."""

    def __init__(self, most, error):
        super().__init__()
        self.most, self.error, self.tried = most, error, []

    def construct(self, batch, starts, temperature, seed):
        self.tried.append(len(batch.valid))
        if len(batch.valid) > self.most:
            raise self.error
        return super().construct(batch, starts, temperature, seed)


class OutOfMemoryError(RuntimeError):
    """Called as PyTorch's."""


def jobs(sizes):
    return [Job(position=row, instance=item) for row, item in enumerate(problems(sizes))]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OutOfMemoryError("of 2 GiB"),
        RuntimeError("CUDA out of memory. Tried to allocate"),
        ModelError("base: ONNX Runtime: Failed to allocate memory for requested buffer"),
        ModelError("base: ONNX Runtime: std::bad_alloc"),
    ],
)
def test_a_batch_that_does_not_fit_is_halved_and_all_are_constructed(error):
    notes, waiting = [], jobs([8] * 13)
    backend = Small(3, error)
    construction = Construction(backend, SolveOptions(), notes.append)
    construction.fill(waiting, SolveOptions())
    assert backend.tried[:3] == [13, 6, 3]
    assert max(backend.tried[3:]) <= 3
    plain = construct([job.instance for job in waiting], Pairs(), SolveOptions())
    assert [job.candidates for job in waiting] == [found[:16] for found in plain]
    assert notes == [
        "out of memory with 13 instances per batch: continuing with 6",
        "out of memory with 6 instances per batch: continuing with 3",
    ]


def test_later_batches_are_split_beforehand():
    backend = Small(3, MemoryError())
    construction = Construction(backend, SolveOptions(), lambda _: None)
    construction.fill(jobs([8] * 4), SolveOptions())
    backend.tried.clear()
    construction.fill(jobs([8] * 6), SolveOptions())
    construction.fill(jobs([17] * 2), SolveOptions())
    assert backend.tried == [2, 2, 2, 1, 1]


def test_what_does_not_fit_alone_gets_savings_routes():
    notes, waiting = [], jobs([8, 8])
    construction = Construction(Small(0, MemoryError()), SolveOptions(), notes.append)
    construction.fill(waiting, SolveOptions())
    assert all(len(job.candidates) == 1 for job in waiting)
    assert [job.warnings for job in waiting] == [[POLICY_SKIPPED]] * 2
    assert "8 customers do not fit into memory" in notes[-1]


def test_other_errors_are_not_hidden():
    error = ModelError("base: ONNX Runtime: a shape does not fit")
    construction = Construction(Small(0, error), SolveOptions(), lambda _: None)
    with pytest.raises(ModelError, match="a shape does not fit"):
        construction.fill(jobs([8]), SolveOptions())


@pytest.mark.parametrize(("improve", "kept"), [("none", 1), ("fast", 16), ("deep", 32)])
def test_as_many_candidates_are_kept_as_are_searched(improve, kept):
    (job,) = waiting = jobs([41])
    options = SolveOptions(improve=improve, starts=41)
    Construction(Pairs(), options, lambda _: None).fill(waiting, options)
    assert len(job.candidates) == min(kept, 41)


def test_largest_groups_begin_and_equal_ones_keep_their_order():
    options = SolveOptions(batch=2)
    construction = Construction(Pairs(), options, lambda _: None)
    groups = construction.grouped(jobs([10, 10, 50, 1001, 10]), options)
    assert [[job.position for job in group] for group in groups] == [[3], [2], [0, 1], [4]]


@pytest.mark.parametrize(
    "improve, searched, savings", [("none", False, 1), ("fast", True, 0), ("fast", False, 1)]
)
def test_a_search_that_follows_makes_its_own_savings(improve, searched, savings):
    construction = Construction(Pairs(), SolveOptions(improve=improve), lambda _: None)
    construction.searched = searched
    (job,) = waiting = jobs([9])
    construction.fill(waiting, None)
    assert len(job.candidates) == savings
