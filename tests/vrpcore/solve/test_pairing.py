import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.formats.write import solution_to_line
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.pairing import paired, telling, unknown, with_gap, with_instance
from vrpcore.solve.stage import Improvement, Stage

FOUND = Improvement(0, "t", 12.0, None, 100, 0.5)
INVALID = InvalidInstance(name="bad", code="X", error="wrong")


class Answering:
    """A stream that reads an instance ahead, and notes what ended it."""

    def __init__(self):
        self.closed, self.error = False, None

    def answers(self, instances, _warm_starts):
        try:
            for item in [next(instances), *instances]:
                yield Solution(name=item.name, status="solved", cost=12.0)
        except KeyboardInterrupt as error:
            self.error = error
            raise
        finally:
            self.closed = True


def test_better_plans_are_told_with_their_gap_then_reported():
    told, reported = [], []
    tell = telling(reported.append, told.append, {"t": 10.0})
    tell(Stage("improve", 0, improvement=FOUND))
    tell(Stage("improve", 0, improvement=FOUND._replace(cost=None)))
    tell(Stage("improve", 0, improvement=FOUND._replace(name="u")))
    tell(Stage("construct", 1))
    assert [each.gap for each in told] == [0.2, None, None]
    assert [stage.improvement for stage in reported] == [*told, None]
    assert telling(None, None, {})(Stage("improve", 0, improvement=FOUND)) is False


@pytest.mark.parametrize(
    ("returned", "ends"),
    [(True, True), (np.True_, True), (False, False), (None, False), (5, False)],
)
def test_only_true_ends_a_search(returned, ends):
    tell = telling(None, lambda _: returned, {})
    assert tell(Stage("improve", 0, improvement=FOUND)) is ends
    assert tell(Stage("construct", 1)) is False


def test_answers_have_instances_and_gaps():
    instance, solution = plain([[0, 0], [3, 4]]), Solution(name="t", status="solved", cost=12.0)
    found = with_instance(instance, solution, {"t": 10.0})
    assert (found.instance, found.gap) == (instance, 0.2)
    assert with_instance(INVALID, Solution(name="bad", status="invalid"), {}).instance is INVALID


def test_what_nothing_is_known_of():
    assert (unknown(INVALID).status, unknown(INVALID).code) == ("invalid", "X")
    assert unknown(plain([[0, 0], [3, 4]])).code == "INTERRUPTED"


@pytest.mark.parametrize("taken", [1, 2])
def test_a_streams_answers_are_paired_with_their_instances(taken):
    stream, items = Answering(), [plain([[0, 0], [3, 4]]), INVALID]
    answers = paired(stream, items, [], {})
    found = [next(answers) for _ in range(taken)]
    assert [each.instance for each in found] == items[:taken]
    assert not stream.closed
    answers.close()
    assert stream.closed


def test_an_interruption_of_the_caller_is_one_of_the_stream():
    stream, interruption = Answering(), KeyboardInterrupt()
    answers = paired(stream, [plain([[0, 0], [3, 4]]), INVALID], [], {})
    next(answers)
    with pytest.raises(KeyboardInterrupt):
        answers.throw(interruption)
    assert stream.error is interruption


@pytest.mark.parametrize(
    ("cost", "reference", "gap"),
    [
        (12.5, 10.0, 0.25),
        (792, 784.0, 8 / 784),
        (784, 784.0, 0.0),
        (9.0, 10.0, -0.1),
        (0, 10.0, -1.0),
        (0.0, 0.0, 0.0),
        (0, 0, 0.0),
        (1.0, 0.0, None),
        (0.0, -1.0, None),
        (1.0, -1.0, None),
        (-1.0, -1.0, None),
        (1.0, 5e-324, None),
        (1e100, 1e-100, None),
    ],
)
def test_gaps(cost, reference, gap):
    answer = Solution(name="a", status="solved", cost=cost, warnings=("W",))
    found = with_gap(answer, {"a": reference, "b": 3.0})
    assert (found.gap, found.cost, found.warnings) == (gap, cost, ("W",))


def test_what_has_no_gap():
    costs = {"north": 1.0, "bad": 1.0}
    refused = Solution(name="bad", status="invalid")
    elsewhere = Solution(name="south", status="solved", cost=1.0)
    no_cost = Solution(name="north", status="solved")
    for answer in (refused, elsewhere, no_cost):
        assert with_gap(answer, costs) is answer


@given(st.floats(0, 1e100), st.floats(0, 1e100))
def test_gaps_can_be_written_and_mean_what_they_say(cost, reference):
    found = with_gap(Solution(name="a", status="solved", cost=cost), {"a": reference})
    assert '"gap": ' in solution_to_line(found)
    if found.gap is not None:
        assert math.isclose(
            reference * (1 + found.gap), cost, rel_tol=1e-12, abs_tol=1e-12 * reference
        )
