import math
from dataclasses import replace

import numpy as np
import pytest

from vrpcore.cost.distance import distance_matrix
from vrpcore.errors import ConfigError
from vrpcore.formats.options import ROUNDINGS, Reading
from vrpcore.formats.read import read_instances
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.rounding import round_instance
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints

TEXT = """NAME : times
TYPE : CVRPTW
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 2.5
VEHICLES_MAX_DURATION : 99.99996
NODE_COORD_SECTION
1 0 0
2 1 1
3 2 2.5
DEMAND_SECTION
1 0
2 1.25
3 1.25
TIME_WINDOW_SECTION
1 0 1000.55
2 0.37 7.77777
3 0 9.5
SERVICE_TIME_SECTION
1 0
2 1.19
3 0
PRIZE_SECTION
1 0
2 0
3 3.14159
EOF
"""
PLAIN = """NAME : plain
TYPE : CVRP
DIMENSION : 2
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 9
NODE_COORD_SECTION
1 0 0
2 1 1
DEMAND_SECTION
1 0
2 1
DEPOT_SECTION
1
-1
EOF
"""
ROOT = math.sqrt(2)


@pytest.mark.parametrize(
    ("rounding", "length", "window", "service", "prize", "limit"),
    [
        ("auto", 1, [0.37, 7.77777], 1.19, 3.14159, 99.99996),
        ("none", ROOT, [0.37, 7.77777], 1.19, 3.14159, 99.99996),
        ("round", 1, [0, 8], 1, 3, 100),
        ("trunc", 1, [0, 7], 1, 3, 99),
        ("dimacs", 1.4, [0.3, 7.7], 1.1, 3.1, 99.9),
        ("exact", 1.414, [0.37, 7.778], 1.19, 3.142, 100),
    ],
)
def test_conventions_by_hand(rounding, length, window, service, prize, limit):
    found = round_instance(read_vrp(TEXT, ""), rounding)
    constraints = found.own_constraints
    assert distance_matrix(found)[0, 1] == pytest.approx(length, abs=1e-15)
    assert constraints.windows[0, 0].tolist() == window
    assert (constraints.service[0], constraints.prize.tolist()) == (service, [math.inf, prize])
    assert constraints.vehicles[0].max_duration == limit
    assert found.demand.tolist() == [0, 1.25, 1.25]
    assert (found.capacity, found.coords.tolist()) == (2.5, [[0, 0], [1, 1], [2, 2.5]])


@pytest.mark.parametrize("each", attributes_of(Constraints), ids=lambda each: each.name)
def test_each_number_of_a_stop_is_rounded_by_its_unit(each):
    instance = read_vrp(TEXT, "")
    column = np.full(2, 2.75)
    given = replace(instance.own_constraints, **{each.name: column})
    found = round_instance(replace(instance, constraints=given), "round")
    rounded = 3 if each.unit in {"time", "span", "money"} else 2.75
    assert getattr(found.own_constraints, each.name).tolist() == [rounded, rounded]


def test_a_plain_file_is_as_today_unless_asked():
    (plain,) = read_instances(PLAIN.encode())
    assert (plain.metric, plain.distances, plain.constraints) == ("euc_2d", None, None)
    (same,) = read_instances(PLAIN.encode(), rounding="round")
    assert (same.metric, same.distances) == ("euc_2d", None)
    (none,) = read_instances(PLAIN.encode(), rounding="none")
    assert (none.metric, none.distances) == ("euclidean", None)
    (cut,) = read_instances(PLAIN.encode(), rounding="dimacs")
    assert cut.distances.tolist() == [[0, 1.4], [1.4, 0]]


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_lengths_that_are_rounded_up_are_whole(rounding):
    text = PLAIN.replace("EUC_2D", "CEIL_2D").encode()
    (found,) = read_instances(text, rounding=rounding)
    assert (found.metric, found.distances) == ("ceil_2d", None)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_again_changes_nothing(rounding):
    once = round_instance(read_vrp(TEXT, ""), rounding)
    twice = round_instance(once, rounding)
    if rounding != "dimacs":  # 10 * 0.3 may be below 3
        assert np.array_equal(distance_matrix(once), distance_matrix(twice))
        assert np.array_equal(once.own_constraints.windows, twice.own_constraints.windows)


def test_a_matrix_and_durations_of_a_speed():
    text = "1 5 2\n0 0 0 0 0 9 0 0 0\n1 0 1.23 1 0 9 0 0 2\n2 0 3 -1 0 9 0 1 0\n"
    (found,) = read_instances(text.encode(), rounding="dimacs")
    assert found.distances[0].tolist() == [0, 1.2, 3]
    assert found.own_constraints.durations[0].tolist() == [0, 0.6, 1.5]
    (found,) = read_instances(text.encode())
    assert (found.distances, found.own_constraints.durations) == (None, None)


def test_json_is_read_as_it_is():
    value = {"capacity": 9, "depot": [0, 0], "coords": [[1, 1]], "demands": [1]}
    (found,) = read_instances(value, rounding="trunc")
    assert (found.metric, found.distances) == ("euclidean", None)


def test_an_unknown_convention():
    message = "rounding: 'up', expected one of auto, none, round, trunc, dimacs, exact"
    with pytest.raises(ConfigError, match=message):
        Reading(rounding="up")
    with pytest.raises(ConfigError, match=message):
        read_instances(b"{}", rounding="up")
