import time

import pytest

from tests.vrpcore.solve.doubles import Clock, NearestFirst, Pairs, Small, Timed, tasks
from vrpcore.errors import ModelError
from vrpcore.instance.plan import Plan
from vrpcore.search.savings import savings_routes
from vrpcore.solve.construct import WORK_S, construct, policy_work
from vrpcore.solve.construction import Construction
from vrpcore.solve.order import POLICY_SKIPPED, Order, Task
from vrpcore.solve.solve_options import SolveOptions


class OutOfMemoryError(RuntimeError):
    """Called as PyTorch's."""


def filled(backend, sizes, notes=None, **options):
    """Tasks with their candidates."""
    made = tasks(sizes, **options)
    if notes is not None:
        made[0].order.tell = lambda stage: notes.append(stage.note)
    Construction(backend, time.perf_counter).fill(made, 1)
    return made


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OutOfMemoryError("of 2 GiB"),
        RuntimeError("CUDA out of memory. Tried to allocate"),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"
        ),
        ModelError("base: ONNX Runtime: Failed to allocate memory for requested buffer"),
        ModelError("base: ONNX Runtime: std::bad_alloc"),
    ],
)
def test_a_batch_that_does_not_fit_is_halved_and_all_are_constructed(error):
    notes, backend = [], Small(3, error)
    made = filled(backend, [8] * 13, notes)
    assert backend.tried[:3] == [13, 6, 3]
    assert max(backend.tried[3:]) <= 3
    plain = construct([task.instance for task in made], Pairs(), SolveOptions())
    assert [task.candidates for task in made] == [found[:16] for found in plain]
    assert notes == [
        "out of memory with 13 instances per batch: continuing with 6",
        "out of memory with 6 instances per batch: continuing with 3",
    ]


def test_later_batches_are_split_beforehand():
    backend = Small(3, MemoryError())
    construction = Construction(backend, time.perf_counter)
    for sizes in ([8] * 4, [8] * 6, [17] * 2):
        construction.fill(tasks(sizes), 1)
    assert backend.tried == [4, 2, 2, 2, 2, 2, 2]  # 17 customers are another size


def test_batches_of_a_device_stay_powers_of_two():
    backend = Small(3, MemoryError())
    backend.info = backend.info._replace(device="cuda:0")
    filled(backend, [8] * 13)
    assert backend.tried == [13, 4, 2, 2, 2, 2, 2, 2, 1]


def test_what_does_not_fit_alone_gets_savings_routes():
    notes = []
    made = filled(Small(0, MemoryError()), [8, 8], notes)
    assert [task.candidates for task in made] == [
        [Plan.of(savings_routes(t.instance))] for t in made
    ]
    assert [task.warnings for task in made] == [[]] * 2
    (asked,) = filled(Small(0, MemoryError()), [8], augment=2)
    assert asked.warnings == [POLICY_SKIPPED]
    assert [task.constructor for task in made] == [None] * 2
    assert "8 customers do not fit into memory" in notes[-1]


def test_other_errors_are_not_hidden():
    error = ModelError("base: ONNX Runtime: a shape does not fit")
    with pytest.raises(ModelError, match="a shape does not fit"):
        filled(Small(0, error), [8])


def test_where_a_search_is_certain_it_makes_its_own_savings():
    asked = tasks([9, 1001], decode="multistart")
    for task in asked:
        task.order.options = SolveOptions(time_per_instance=1e-9)  # no time for the policy
    construction = Construction(NearestFirst(), time.perf_counter)
    for task in asked:
        construction.fill([task], 1)
    assert [len(task.candidates) for task in asked] == [0, 0]
    asked[0].order.search_certain = False
    construction.fill(asked[:1], 1)
    assert asked[0].candidates == [Plan.of(savings_routes(asked[0].instance))]


def test_batches_follow_options_time_and_what_was_measured():
    clock = Clock()
    backend = Timed(clock, rate=100 * WORK_S)
    each = 100 * WORK_S * policy_work(9, SolveOptions())
    (task,) = tasks([9])
    (fixed,) = tasks([9], batch=7)
    short = Construction(backend, clock, 10.01 * each)
    assert Construction(backend, clock).batch_size(task) == 256
    assert Construction(backend, clock).batch_size(fixed) == 7
    assert short.batch_size(task) == 256
    short.fill([task], 1)
    assert short.batch_size(task) == 11
    assert short.batch_size(tasks([1001])[0]) == 1


def test_the_first_batch_of_an_order_with_a_limit_is_small():
    clock = Clock()
    backend, each = Timed(clock), WORK_S * policy_work(9, SolveOptions())
    made = [Task(position=0, instance=tasks([9])[0].instance)]
    Order(made, SolveOptions(), end=clock.now + 500 * each)
    construction = Construction(backend, clock)
    assert construction.batch_size(made[0]) == 10  # two hundredths of the time
    construction.fill(made, 1)
    assert construction.batch_size(made[0]) == 256


def test_orders_with_other_limits_are_constructed_in_other_ways():
    clock = Clock()
    made = tasks([9, 9])
    hurried = [Task(position=0, instance=made[0].instance)]
    Order(hurried, SolveOptions(), end=clock.now)
    backend = Timed(clock)
    Construction(backend, clock).fill([*made, *hurried], 1)
    assert backend.rows == 2
    savings = Plan.of(savings_routes(made[0].instance))
    assert hurried[0].candidates in ([savings], [])
