import pytest

from tests.build import plain
from vrpcore.errors import ConfigError, InstanceError
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.checked import (
    check_callback,
    check_instance,
    check_start,
    checked_starts,
    several,
)

ONE = plain([[0, 0], [3, 4]])
INVALID = InvalidInstance(name="bad", code="X", error="wrong")
ANSWER = Solution(name="t", status="solved", cost=12.0)


def refused(call, *arguments):
    """The message of an argument of the wrong type."""
    with pytest.raises(InstanceError) as raised:
        call(*arguments)
    return str(raised.value)


def test_instances_are_several():
    assert several([ONE, INVALID]) == [ONE, INVALID]
    single = "instances: a single instance, expected several; write [instance]"
    assert refused(several, ONE) == refused(several, INVALID) == single


@pytest.mark.parametrize(
    ("given", "found"),
    [("a.json", "'a.json'"), (b"{}", "a value of type bytes"), ({}, "an object"), (None, "null")],
)
def test_what_is_to_be_read_is_not_solved(given, found):
    said = f"instances: {found}, expected instances; read them by read_instances(...)"
    assert refused(several, given) == said


def test_each_is_an_instance():
    check_instance(ONE, 0)
    check_instance(INVALID, 0)
    said = "instances[3]: an object, expected an instance, as read_instances(...) returns it"
    assert refused(check_instance, {"capacity": 5}, 3) == said


def test_warm_starts_are_solutions():
    assert list(checked_starts([None, ANSWER])) == [None, ANSWER]
    said = "expected a Solution, such as an earlier answer"
    assert refused(check_start, [["a"]], "warm_start") == f"warm_start: a list of 1, {said}"
    assert refused(list, checked_starts([None, "a"])) == f"warm_starts[1]: 'a', {said}"


def test_what_is_called_can_be():
    check_callback(None, "report")
    check_callback(print, "report")
    with pytest.raises(ConfigError, match=r"^report: 5, expected a function of one argument$"):
        check_callback(5, "report")
