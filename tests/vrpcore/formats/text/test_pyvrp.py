import math

import pytest

from vrpcore.api import Solver
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InstanceError
from vrpcore.formats.text import cvrplib
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.rounding import round_instance
from vrpcore.instance.plan import Route
from vrpcore.instance.relations import Group

TEXT = """NAME : small
TYPE : MDVRPTW
DIMENSION : 5
VEHICLES : 4
CAPACITY : 10
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 9 0
3 0 3
4 4 0
5 4 3
DEMAND_SECTION
1 0
2 0
3 5
4 6
5 7
TIME_WINDOW_SECTION
1 0 100
2 5 90
3 10 20
4 0 50
5 30 60
SERVICE_TIME_SECTION
1 0
2 0
3 1
4 2
5 3
VEHICLES_DEPOT_SECTION
1 1
2 2
3 2
4 1
DEPOT_SECTION
1
2
-1
EOF
"""
PAIRS = """TYPE : PDPTW
DIMENSION : 5
CAPACITY : 9
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 3
3 4 0
4 4 3
5 9 9
PICKUP_AND_DELIVERY_SECTION
1 0 0 100 0 0 0
2 -3 5 50 1 4 0
3 2 0 60 2 0 5
4 3 0 70 3 0 2
5 -2 0 80 4 3 0
DEPOT_SECTION
1
-1
EOF
"""
END = "DEPOT_SECTION\n"


def plus(rows, text=TEXT):
    return text.replace("\n" + END, "\n" + rows + END)


def test_by_hand():
    found = read_vrp(TEXT, "file")
    constraints = found.own_constraints
    assert (found.name, found.metric, found.ids) == ("small", "euc_2d", (2, 3, 4))
    assert [(each.id, each.window) for each in constraints.depots] == [
        ("0", (0, 100)),
        ("1", (5, 90)),
    ]
    types = [(each.id, each.count, each.start, each.end) for each in constraints.vehicles]
    assert types == [("0", 2, 0, 0), ("1", 2, 1, 1)]
    assert constraints.vehicles[1].capacity == (10,)
    assert constraints.delivery.tolist() == [[5], [6], [7]]
    assert constraints.windows[:, 0].tolist() == [[10, 20], [0, 50], [30, 60]]
    assert constraints.service.tolist() == [1, 2, 3]
    assert constraints.required.all()
    assert (constraints.listed_vehicles, constraints.backhauls, constraints.num_shipments) == (
        True,
        "mixed",
        0,
    )
    schedule = Timeline(found).schedule(Route(0, (1, 3)))
    # 3 to the first until 20, 1 of service, 4 to the second, which opens at 30; 3; 5 back.
    assert (schedule.departure, schedule.begins, schedule.end) == (17, (20, 30), 38)
    assert (schedule.distance, schedule.cost) == (12, 12)


def test_vehicles_that_are_alike_are_the_short_form():
    text = "TYPE : VRPTW\n" + TEXT[TEXT.index("DIM") : TEXT.index("VEHICLES_D")] + "EOF\n"
    constraints = read_vrp(text, "file").own_constraints
    assert (constraints.listed_vehicles, constraints.num_depots, constraints.vehicles[0].count) == (
        False,
        1,
        4,
    )
    assert constraints.num_stops == 4
    assert (
        read_vrp(text.replace("VEHICLES : 4\n", ""), "").own_constraints.vehicles[0].count is None
    )


def test_everything_that_a_vehicle_has():
    rows = """VEHICLES_MAX_DISTANCE_SECTION
1 40
2 50
3 50
4 40
VEHICLES_FIXED_COST_SECTION
1 7
2 8
3 8
4 7
VEHICLES_UNIT_DISTANCE_COST_SECTION
1 1
2 2
3 2
4 3
VEHICLES_ALLOWED_CLIENTS_SECTION
1 3 4 5
2 3 5
3 3 5
4 3 4
"""
    text = plus(rows).replace("CAPACITY : 10", "VEHICLES_MAX_DURATION : 70")
    found = read_vrp(text, "")
    first, second, third = found.own_constraints.vehicles
    assert (first.max_distance, first.max_duration, first.capacity) == (40, 70, (math.inf,))
    assert (first.fixed_cost, first.distance_cost, first.count) == (7, 1, 1)
    assert (second.fixed_cost, second.distance_cost, second.count) == (8, 2, 2)
    assert (third.distance_cost, third.start) == (3, 0)
    may = [[found.own_constraints.may_serve(v, stop) for stop in (1, 2, 3)] for v in range(3)]
    assert may == [[True, True, True], [True, False, True], [True, True, False]]
    assert Timeline(found).schedule(Route(1, (3,))).cost == 8 + 2 * (6 + 6)


def test_prizes_releases_pickups_and_two_dimensions():
    rows = (
        "PRIZE_SECTION\n1 0\n2 0\n3 4.5\n4 0\n5 0\nRELEASE_TIME_SECTION\n1 0\n2 0\n3 7\n4 0\n5 0\n"
    )
    rows += "BACKHAUL_SECTION\n1 0 0\n2 0 0\n3 0 1\n4 2 3\n5 4 5\n"
    rows += "CAPACITY_SECTION\n1 9 8\n2 9 8\n3 9 8\n4 9 8\n"
    text = plus(rows).replace("CAPACITY : 10\n", "").replace("DEMAND_S", "LINEHAUL_S")
    for node, demand in ((1, 0), (2, 0), (3, 5), (4, 6), (5, 7)):
        text = text.replace(
            f"\n{node} {demand}\n", f"\n{node} {demand} 1\n" if demand else f"\n{node} 0 0\n", 1
        )
    constraints = read_vrp(text, "").own_constraints
    assert constraints.prize.tolist() == [4.5, math.inf, math.inf]
    assert constraints.release.tolist() == [7, 0, 0]
    assert constraints.delivery.tolist() == [[5, 1], [6, 1], [7, 1]]
    assert constraints.pickup.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (constraints.vehicles[0].capacity, constraints.listed_amounts) == ((9, 8), True)


def test_a_vrpb_has_pickups_last_and_not_alone():
    text = TEXT.replace("MDVRPTW", "VRPB").replace("4 6\n", "4 0\n")
    constraints = read_vrp(
        plus("BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 6\n5 0\n", text), ""
    ).own_constraints
    assert (constraints.backhauls, constraints.pickup_only_routes) == ("last", False)
    both = plus("BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 6\n5 1\n", text)
    with pytest.raises(InstanceError, match="line 41: BACKHAUL_SECTION: a pickup and a demand, wh"):
        read_vrp(both, "")


def test_shipments():
    found = read_vrp(PAIRS, "file")
    constraints = found.own_constraints
    assert found.ids == ("2-4:pickup", "2-4:delivery", "3-1:pickup", "3-1:delivery")
    assert found.coords.tolist() == [[0, 0], [4, 0], [9, 9], [4, 3], [0, 3]]
    assert constraints.shipment.tolist() == [[2], [-2], [3], [-3]]
    assert constraints.windows[:, 0].tolist() == [[0, 60], [0, 80], [0, 70], [5, 50]]
    assert constraints.service.tolist() == [2, 4, 3, 1]
    assert (constraints.num_shipments, constraints.depots[0].window) == (2, (0, 100))


def test_a_matrix_follows_the_order_of_stops():
    matrix = "\n".join(" ".join(str(10 * i + j) for j in range(5)) for i in range(5))
    text = PAIRS.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX")
    found = read_vrp(plus(f"EDGE_WEIGHT_SECTION\n{matrix}\n", text), "")
    assert found.distances[0].tolist() == [0, 2, 4, 3, 1]
    assert found.distances[1].tolist() == [20, 0, 24, 23, 21]


def test_one_service_time_for_all_clients():
    text = TEXT[: TEXT.index("SERVICE")] + TEXT[TEXT.index("VEHICLES_D") :]
    text = text.replace("CAPACITY", "SERVICE_TIME : 6\nVEHICLES_MAX_RELOADS : 0\nCAPACITY")
    assert read_vrp(text, "").own_constraints.service.tolist() == [6, 6, 6]


GROUP = "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n"
GROUPS = GROUP + "1 3\n2 4 5\n"
RELOADS = "VEHICLES_RELOAD_DEPOT_SECTION\n1\n2 1 2\n3\n4\n"
HEAD = "CAPACITY : 10\n"


CMT = """NAME : x
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
DISTANCE : 60
SERVICE_TIME : 10
NODE_COORD_SECTION
1 0 0
2 9 12
3 12 9
4 8 15
DEMAND_SECTION
1 0
2 3
3 3
4 3
DEPOT_SECTION
1
-1
EOF
"""


@pytest.mark.parametrize("service", [10, 0])
def test_the_limit_of_cvrplib_counts_services(service):
    text = CMT.replace("SERVICE_TIME : 10\n", f"SERVICE_TIME : {service}\n" if service else "")
    found = read_vrp(text, "")
    (vehicle,) = found.constraints.vehicles
    assert (vehicle.max_duration, vehicle.max_distance) == (60, math.inf)
    assert found.constraints.service.tolist() == [service] * 3
    # 15 + 3.16 + 17 and 2 * 15; all three in one route take 15 + 4.24 + 3.16 + 17 + 3 * 10.
    (answer,) = Solver().solve([round_instance(found, "none")], improve="fast")
    assert round(answer.cost, 4) == (65.1623 if service else 39.4049)
    assert len(answer.routes) == (2 if service else 1)


def test_vehicles_that_reload():
    found = read_vrp(plus(RELOADS).replace(HEAD, HEAD + "VEHICLES_MAX_RELOADS : 2\n"), "")
    assert [
        (each.count, each.start, each.reloads, each.max_reloads)
        for each in found.own_constraints.vehicles
    ] == [(2, 0, None, math.inf), (1, 1, (0, 1), 2), (1, 1, None, math.inf)]


def test_alternatives_are_a_group():
    text = plus(GROUPS).replace("MDVRPTW", "GVRP")
    assert read_vrp(text, "").own_constraints.groups == (Group("group-0", (2, 3)),)
    alone = plus(f"{GROUP}2 4\n1 5 3\nPRIZE_SECTION\n1 0\n2 0\n3 0\n4 7\n5 0\n")
    assert read_vrp(alone, "").own_constraints.groups == (Group("group-0", (3, 1)),)


def test_too_many_groups(monkeypatch):
    monkeypatch.setattr(cvrplib, "MAX_GROUPS", 0)
    with pytest.raises(InstanceError, match=r"line 36: .*: 1 groups, the limit is 0"):
        read_vrp(plus(GROUPS), "")


WRONG = {
    "reloads": (
        TEXT.replace(HEAD, HEAD + "VEHICLES_MAX_RELOADS : 2\n"),
        "line 6: VEHICLES_MAX_RELOADS: vehicles may reload, but no VEHICLES_RELOAD_DEPOT_SECTION",
    ),
    "groups of shipments": (
        plus(GROUP + "1 2 4\n", PAIRS),
        "line 17: MUTUALLY_EXCLUSIVE_GROUP_SECTION: given with PICKUP_AND_DELIVERY_SECTION",
    ),
    "a depot in a group": (
        plus(GROUP + "1 2 3\n"),
        "line 37: MUTUALLY_EXCLUSIVE_GROUP_SECTION: node 2 is a depot, expected clients",
    ),
    "node 6 in a group": (plus(GROUP + "1 3 6\n"), "line 37: .*node id 6 is out of range, DIMENS"),
    "twice in a group": (plus(GROUP + "1 3 3\n"), "node 3 is in a group already, on line 37"),
    "in two groups": (plus(GROUP + "1 3 4\n2 5 4\n"), "line 38: .*4 is in a group already, on l"),
    "group twice": (plus(GROUP + "1 3 4\n1 5 3\n"), "line 38: .*duplicate group id 1, also on"),
    "group 7": (plus(GROUP + "7 3 4\n"), "group id 7 is out of range, the number of rows allows 1"),
    "a prize in a group": (
        plus(GROUP + "1 3 4\nPRIZE_SECTION\n1 0\n2 0\n3 0\n4 7\n5 0\n"),
        "line 37: .*node 4 has a prize, expected none of clients in groups",
    ),
    "two limits": (
        CMT.replace("SERVICE", "VEHICLES_MAX_DURATION : 9\nSERVICE"),
        "line 6: DISTANCE: given with VEHICLES_MAX_DURATION; give one or the other",
    ),
    "a limit with windows": (
        TEXT.replace(HEAD, HEAD + "DISTANCE : 60\n"),
        "line 6: DISTANCE: '60', does waiting count\\? if so, write VEHICLES_MAX_DURATION, else",
    ),
    "no groups": (
        TEXT.replace("MDVRPTW", "GVRP"),
        "line 2: TYPE: 'GVRP', but the file has no MUTUALLY_EXCLUSIVE_GROUP_SECTION",
    ),
    "type": (
        TEXT.replace("MDVRPTW", "OVRP"),
        "line 2: TYPE: 'OVRP', routes that end at their last",
    ),
    "other type": (TEXT.replace("MDVRPTW", "ARP"), "line 2: TYPE: 'ARP', expected one of CVRP, AC"),
    "lengths": (TEXT.replace("MDVRPTW", "DCVRP"), "write TYPE : CVRP, and DISTANCE for it"),
    "no prizes": (
        TEXT.replace("MDVRPTW", "PCVRP"),
        "line 2: TYPE: 'PCVRP', but the file has no PRIZE_SECTION",
    ),
    "unknown": (plus("VEHICLES_BREAK_SECTION\n1 2\n"), "line 36: VEHICLES_BREAK_SECTION: unknown"),
    "two capacities": (
        plus("CAPACITY_SECTION\n1 9\n2 9\n3 9\n4 9\n"),
        "line 5: CAPACITY: given with CAPACITY_SECTION",
    ),
    "two demands": (
        plus("LINEHAUL_SECTION\n1 0\n"),
        "line 36: LINEHAUL_SECTION: given with DEMAND_SECTION",
    ),
    "depot order": (TEXT.replace("1\n2\n-1", "2\n1\n-1"), "2 ...: several depots are the nodes"),
    "depots apart": (TEXT.replace("1\n2\n-1", "1\n3\n-1"), "several depots are the nodes from 1"),
    "depot twice": (TEXT.replace("1\n2\n-1", "1\n1\n-1"), "depot 1 is there twice"),
    "no depots": (TEXT.replace("1\n2\n-1", "-1"), "0 depots, expected 1 to 1000"),
    "depot demand": (
        TEXT.replace("2 0\n3 5", "2 4\n3 5"),
        "line 15: DEMAND_SECTION: depot 2 has 4",
    ),
    "depot service": (TEXT.replace("2 0\n3 1", "2 4\n3 1"), "SERVICE_TIME_SECTION: depot 2 has 4"),
    "negative": (TEXT.replace("4 6", "4 -6"), "line 17: DEMAND_SECTION: -6 is negative, expected"),
    "too much": (TEXT.replace("4 6", "4 11"), "line 17: DEMAND_SECTION: 11 exceeds capacity 10"),
    "service": (TEXT.replace("4 2\n", "4 -2\n"), "SERVICE_TIME_SECTION: -2 is negative, expected"),
    "window": (TEXT.replace("30 60", "61 60"), "line 24: .*opens at 61, after it closes at 60"),
    "missing node": (TEXT.replace("5 30 60\n", ""), "WINDOW_SECTION: 4 nodes, DIMENSION says 5"),
    "node twice": (TEXT.replace("5 30 60", "4 30 60"), "duplicate node id 4, also on line 23"),
    "node 6": (TEXT.replace("5 30 60", "6 30 60"), "line 24: .*node id 6 is out of range"),
    "three columns": (TEXT.replace("4 6\n", "4 6 1\n"), "line 17: .*3 columns, expected 2"),
    "two dimensions": (
        plus("BACKHAUL_SECTION\n" + "".join(f"{i} 0 0\n" for i in range(1, 6))),
        "line 36: BACKHAUL_SECTION: 2 load dimensions, vehicles have 1",
    ),
    "nine dimensions": (
        plus("BACKHAUL_SECTION\n" + "".join(f"{i}{' 0' * 9}\n" for i in range(1, 6))),
        "line 36: BACKHAUL_SECTION: 9 load dimensions, the limit is 8",
    ),
    "lkh's backhauls": (plus("BACKHAUL_SECTION\n4 5 -1\n"), "1 nodes, DIMENSION says 5"),
    "short pairs": (PAIRS.replace("4 3 0 70 3 0 2\n", ""), "PICKUP_AND_DELIVERY_SECTION: 4 nodes"),
    "no partner": (PAIRS.replace("3 0 2", "3 0 0"), "line 13: its partner, 4 on line 15, does not"),
    "lost partner": (PAIRS.replace("3 0 2", "3 0 9"), "line 15: .*node id 9 is out of range"),
    "other partner": (PAIRS.replace("3 0 2", "3 0 5"), "line 13: its partner, 4 .* not point back"),
    "depot partner": (PAIRS.replace("0 100 0 0 0", "0 100 0 0 4"), "line 12: the depot has a pick"),
    "amounts": (PAIRS.replace("2 -3", "2 -4"), "line 13: a demand of -4, its pickup on line 15"),
    "pair window": (PAIRS.replace("5 50", "51 50"), "line 13: .*opens at 51, after it closes at"),
    "pair too big": (PAIRS.replace(": 9", ": 2.5"), "line 15: demand 3 exceeds capacity 2.5"),
    "pair service": (PAIRS.replace("70 3 0", "70 -3 0"), "line 15: .*service: -3 is negative"),
    "beside pairs": (
        plus("DEMAND_SECTION\n1 0\n", PAIRS),
        "line 17: DEMAND_SECTION: given with PICKUP_AND_DELIVERY_SECTION",
    ),
    "service beside pairs": (
        PAIRS.replace("CAPACITY", "SERVICE_TIME : 3\nCAPACITY"),
        "line 3: SERVICE_TIME: given with PICKUP_AND_DELIVERY_SECTION",
    ),
    "pairs of a VRPSPD": (
        PAIRS.replace("PDPTW", "VRPSPD"),
        "line 1: TYPE: 'VRPSPD', together with PICKUP_AND_DELIVERY_SECTION",
    ),
    "no metric": (TEXT.replace("EDGE_WEIGHT_TYPE : EUC_2D\n", ""), "EDGE_WEIGHT_TYPE: missing"),
    "cut": (TEXT[: TEXT.index("DEPOT_SECTION\n1\n2")], "DEPOT_SECTION: missing section"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_each_error_by_its_message(text, message):
    with pytest.raises(InstanceError, match=message) as caught:
        read_vrp(text, "x")
    assert str(caught.value).isprintable()
    assert caught.value.code.isupper()
