"""Which instances a policy covers, and the sizes that it knows."""

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.variants import NAMES, drawn
from vrpcore.arrays.coverage import MAX_DEPOTS, trained_sizes, why_not_covered
from vrpcore.instance.variant_generator import VARIANTS

CUSTOMERS = on_a_line(0, 10, 20)


def test_the_variants_are_covered_and_nothing_else():
    assert [why_not_covered(drawn(name, 1, 6)[0]) for name in NAMES] == [None] * 48
    for name in VARIANTS.keys() - set(NAMES):
        assert why_not_covered(drawn(name, 1, 6)[0]) is not None


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("several load dimensions", {"vehicles": [{"capacity": [1, 2]}]}),
        ("skills", {"customers": on_a_line(1, skills=[["a"]]), "vehicles": [{"skills": ["a"]}]}),
        ("optional customers", {"customers": on_a_line(1, prize=[3])}),
        ("release times", {"customers": on_a_line(1, release=[3])}),
        ("several windows of a customer", {"customers": on_a_line(1, windows=[[[0, 1], [2, 3]]])}),
        ("a largest number of customers", {"vehicles": [{"max_customers": 3}]}),
        ("a latest start", {"vehicles": [{"latest_start": 30}]}),
        ("a longest travel time", {"vehicles": [{"max_travel_time": 30}]}),
        ("limits of distance and duration", {"vehicles": [{"max_distance": 9, "max_duration": 9}]}),
        ("costs of time", {"vehicles": [{"duration_cost": 1}]}),
        ("costs of service", {"vehicles": [{"service_cost": 1}]}),
        ("given costs of legs", {"costs": [[0, 1], [1, 0]]}),
        ("breaks", {"vehicles": [{"breaks": [{}]}]}),
        ("setups", {"customers": on_a_line(1, setup=[1])}),
        (
            "services that differ by vehicle",
            {"customers": on_a_line(1, service_by_vehicle=[{"0": 1}])},
        ),
        ("several vehicle types", {"vehicles": [{}, {"capacity": 3}]}),
        ("several types at a depot", {"vehicles": [{}, {}]}),
        ("routes without a start", {"vehicles": [{"start": None}]}),
        ("matrices of durations", {"distances": [[0, 1], [1, 0]], "durations": [[0, 1], [1, 0]]}),
        (
            "a longest duration together with windows",
            {"customers": on_a_line(1, window=[[0, 9]]), "vehicles": [{"max_duration": 9}]},
        ),
        ("reloads", {"vehicles": [{"reloads": ["0"]}]}),
        ("loads from the start", {"vehicles": [{"initial_load": 1}]}),
        ("loading at depots", {"depots": [{"id": "0", "x": 0, "y": 0, "service": 1}]}),
        ("lateness", {"customers": on_a_line(1, window=[[0, 9]], max_late=[1])}),
        ("lateness", {"vehicles": [{"window": [0, 99], "late_cost": 1}]}),
        ("overtime", {"vehicles": [{"max_duration": 9, "max_overtime": 1}]}),
        (
            "customers of some vehicles only",
            {
                "depots": [{"id": depot, "x": 0, "y": 0} for depot in "ab"],
                "vehicles": [{"start": depot, "end": depot} for depot in "ab"],
                "customers": on_a_line(1, vehicles=[["0"]]),
            },
        ),
        ("costs of a vehicle at a customer", {"customers": on_a_line(1, vehicle_cost=[{"0": 1}])}),
        ("alternatives", {"groups": [{"members": [1]}]}),
        ("relations", {"relations": [{"kind": "together", "stops": [1]}]}),
        ("a price of uneven work", {"balance": {"duration": 1}}),
        (
            "more than a vehicle holds",
            {"customers": on_a_line(1, demand=[9]), "vehicles": [{"capacity": 3}]},
        ),
    ],
)
def test_why_something_is_not_covered(words, keys):
    keys = {"customers": on_a_line(1), "vehicles": [{}]} | keys
    if "distances" in keys:
        keys |= {"depot": {}, "customers": [{}]}
        assert why_not_covered(constrained(**keys)) in (words, "no coordinates")
        return
    assert why_not_covered(constrained(**keys)) == words


def test_routes_that_end_elsewhere_and_too_many_depots_are_not_covered():
    depots = [{"id": str(n), "x": n, "y": 0} for n in range(MAX_DEPOTS + 1)]
    far = [{"start": "0", "end": "1"}]
    instance = constrained(depots=depots, customers=on_a_line(1), vehicles=far)
    assert why_not_covered(instance) == "routes that end elsewhere"
    many = [{"start": depot["id"], "end": depot["id"]} for depot in depots]
    instance = constrained(depots=depots, customers=on_a_line(1), vehicles=many)
    assert why_not_covered(instance) == f"more than {MAX_DEPOTS} depots"


def test_sizes_that_a_policy_was_trained_on():
    assert trained_sizes([5, 7.0]) == (5, 7)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        (7, "not iterable"),
        (None, "not iterable"),
        ([5], "not enough values"),
        ([5, 6, 7], "too many values"),
        ("ab", "invalid literal"),
        ([float("inf"), 9], "infinity"),
        ([[], 9], r"int\(\) argument"),
    ],
)
def test_what_is_no_range_of_sizes(stated, words):
    with pytest.raises(ValueError, match=words):
        trained_sizes(stated)


@pytest.mark.parametrize("stated", [[7, 5], [-3, 1], [0, 1]])
def test_sizes_out_of_order(stated):
    with pytest.raises(ValueError, match=f"sizes from {stated[0]} to {stated[1]}"):
        trained_sizes(stated)
