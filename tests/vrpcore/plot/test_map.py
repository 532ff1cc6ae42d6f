from dataclasses import replace

import pytest

from tests.vrpcore.plot.pictures import DAY, answer, day
from vrpcore.api import SheetOptions, Solver
from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.plot.map import (
    aspect,
    draw_map,
    drawn_places,
    heading,
    label_map,
    left_out,
    paths,
    route_stops,
)
from vrpcore.plot.style import route_styles


def drawn(axis, problem, solution):
    draw_map(axis, problem, solution, route_styles(problem, solution))
    return axis


def single(**document):
    """An instance of one customer, and the answer of one route to it."""
    (problem,) = read_instances({"name": "p", "capacity": 5, "demands": [2], **document})
    route = RouteReport((1,), 2.0, 10.0)
    return problem, Solution(name="p", status="solved", cost=10, routes=(route,))


def markers(axis):
    """Where markers of one look are, and the look: label, corners and colour."""
    return [
        (found.get_offsets().tolist(), found.get_label(), found.get_paths()[0].vertices.tolist())
        for found in axis.collections
    ]


def places(axis):
    """Where the markers with a label are."""
    return {label: found for found, label, _ in markers(axis)}


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_routes_go_from_depot_to_depot_and_open_ends_do_not_come_back(axis):
    drawn(axis, day(), answer())
    first, second = axis.get_lines()
    assert first.get_xydata().tolist() == [[0, 0], [3, 4], [0, 0]]
    assert second.get_xydata().tolist() == [[10, 0], [10, 3], [10, 6]]
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_color() != second.get_color()


def test_all_depots_are_drawn_with_their_names(axis):
    drawn(axis, day(), answer())
    assert [[0, 0], [10, 0]] in [found for found, *_ in markers(axis)]
    assert [text.get_text() for text in axis.texts] == ["north", "south"]


def test_depots_at_one_place_have_one_text(axis):
    problem = day()
    coords = problem.coords.copy()
    coords[1] = coords[0]
    drawn(axis, replace(problem, coords=coords), answer())
    assert [text.get_text() for text in axis.texts] == ["north, south"]


def test_a_single_depot_needs_no_name(axis):
    drawn(axis, *single(depot=[0, 0], coords=[[3, 4]], return_to_depot=False))
    assert axis.get_lines()[0].get_xydata().tolist() == [[0, 0], [3, 4]]
    assert list(axis.texts) == []
    assert axis.get_legend() is None


@pytest.mark.parametrize("plain", [True, False])
def test_degrees_are_drawn_to_scale(axis, plain):
    more = {} if plain else {"return_to_depot": False}
    drawn(axis, *single(metric="haversine", depot=[13.0, 59.0], coords=[[13.1, 61.0]], **more))
    assert axis.get_aspect() == pytest.approx(2.0)  # 1 / cos(60 degrees)
    assert aspect(day(), day().coords) == 1.0


def test_pickups_and_deliveries_differ(axis):
    drawn(axis, day(), answer())
    looks = {str(found): look for found, _, look in markers(axis)}
    pickup, delivery, customer = (
        looks[str([place])] for place in ([10.0, 3.0], [10.0, 6.0], [3.0, 4.0])
    )
    assert [y for _, y in pickup] == pytest.approx([-y for _, y in delivery])
    assert customer not in (pickup, delivery)


def test_who_is_not_served_is_marked_by_whether_it_must_be(axis):
    drawn(axis, day(), answer())
    found = places(axis)
    assert found["not served"] == [[1, 1]]
    assert found["left out, optional"] == [[6, 8]]


def test_a_shipment_is_marked_at_both_its_ends(axis):
    solution = answer(routes=[])
    assert left_out(day(), solution) == ([[1], [3], [4, 5]], [[2]])
    drawn(axis, day(), solution)
    found = places(axis)
    assert found["not served"] == [[3, 4], [1, 1], [10, 3], [10, 6]]


def test_the_legend_names_types_and_markers(axis):
    drawn(axis, day(), answer())
    assert legend(axis) == [
        "depot", "van  (1 of 2)", "bike  (1)", "pickup of a shipment", "delivery of a shipment",
        "not served", "left out, optional",
    ]  # fmt: skip


def test_many_types_are_not_all_named(axis):
    types = [{"id": f"${index}$"} for index in range(20)]
    route = {"customers": [], "load": 0, "cost": 0, "start": "north", "end": "north"}
    routes = [{**route, "vehicle": kind["id"], "customers": []} for kind in types]
    drawn(axis, day(vehicles=types), answer(routes=routes))
    labels = legend(axis)
    assert labels[1] == r"\$0\$  (1)"
    assert labels[17] == "and 4 more types"


def test_the_heading_says_what_is_missing():
    rest = "1 not served, 1 optional left out"
    assert heading(day(), answer()) == f"day  cost 21\n2 routes, partial, {rest}"
    said = heading(day(name="$a$"), answer(status="solved"))
    assert said == f"\\$a\\$  cost 21\n2 routes, {rest}"


def test_a_plain_instance_has_rings(axis):
    drawn(axis, *single(depot=[0, 0], coords=[[3, 4]]))
    route, depot = (line.get_xydata().tolist() for line in axis.get_lines())
    assert (route, depot) == ([[0, 0], [3, 4], [0, 0]], [[0, 0]])
    assert axis.get_title() == "p  cost 10\n1 route"


def test_ids_are_compared_as_texts():
    solution = answer(customers=["7"])
    assert route_stops(day(), solution) == [[1], [1]]
    assert paths(day(), solution) == [[0, 2, 0], [1, 2]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"customers": [11]}, "day: unknown customer '11'"),
        ({"start": "west"}, "day: unknown depot 'west'"),
    ],
)
def test_what_is_not_in_the_instance_is_reported(change, said):
    with pytest.raises(InstanceError, match=said):
        paths(day(), answer(**change))


def with_a_far_one(**keys):
    places = [[13.40, 52.52], [13.41, 52.56], [13.35, 52.50], [13.30, 52.49], [0.0, 0.0]]
    document = {"capacity": 9, "depot": [13.38, 52.51], "demands": [1] * 5, "coords": places}
    (found,) = read_instances({"metric": "haversine", **document, **keys})
    return found


def test_who_is_far_from_all_others_is_drawn_at_the_edge():
    problem = with_a_far_one()
    moved, far = drawn_places(problem, problem.coords)
    assert far == [5]
    assert moved[:5].tolist() == problem.coords[:5].tolist()
    x, y = moved[5]
    assert 13.30 < x < 13.41
    assert 52.4 < y < 52.49
    assert problem.coords[5].tolist() == [0, 0]


def test_without_somebody_far_all_is_drawn_where_it_is():
    problem = with_a_far_one(coords=[[13.4, 52.5], [13.5, 52.4], [13.3, 52.5], [13, 52], [13, 53]])
    assert drawn_places(problem, problem.coords) == (problem.coords, [])
    problem = with_a_far_one(coords=[[13.38, 52.51]] * 4 + [[0, 0]])
    assert drawn_places(problem, problem.coords) == (problem.coords, [])


def test_who_is_far_away_is_named(axis):
    problem = with_a_far_one()
    (solution,) = Solver().solve([problem], improve="none")
    drawn(axis, problem, solution)
    assert [text.get_text() for text in axis.texts] == ["5: far away", "1 km"]
    heights = [y for line in axis.get_lines() for y in line.get_ydata()]
    assert min(heights) > 52


def test_reloads_lateness_and_alternatives_are_marked(axis):
    depots = [DAY["depots"][0] | {"service": 1}, DAY["depots"][1]]
    van = DAY["vehicles"][0] | {"reloads": ["south"], "late_cost": 1}
    groups = [{"members": [9, "s"]}]
    problem = day(depots=depots, vehicles=[van, DAY["vehicles"][1]], groups=groups)
    reloads = [{"depot": "south", "after": 1, "arrival": 20, "begin": 20, "return_load": 0}]
    value = answer(routes=[
        {
            "customers": [7, 9], "load": 2, "cost": 10, "vehicle": "van", "start": "north",
            "end": "north", "departure": 1, "return": 40, "arrivals": [6, 30], "begins": [8, 30],
            "late": [1, 0], "late_return": 22, "reloads": reloads,
        }
    ], unserved=[{"id": 8, "reason": "PRIZE"}])  # fmt: skip
    assert paths(problem, value) == [[0, 2, 1, 4, 0]]
    assert left_out(problem, value) == ([], [[2]])
    drawn(axis, problem, value)
    found = places(axis)
    assert found["reload"] == [[10, 0]]
    assert found["late, overtime"] == [[0, 0], [3, 4]]
    assert found["alternative that is not taken"] == [[10, 3], [10, 6]]
    assert {"reload", "late, overtime", "alternative that is not taken"} <= set(legend(axis))
    # Of a group that is left out, all members are.
    assert left_out(problem, answer(routes=[]))[0] == [[1], [3, 4, 5]]


@pytest.mark.parametrize("plain", [True, False])
def test_each_leg_has_its_direction(axis, plain):
    pair = single(depot=[0, 0], coords=[[1, 0]]) if plain else (day(), answer())
    drawn(axis, *pair)
    assert len(axis.patches) == (2 if plain else 4)
    assert {patch.get_gid() for patch in axis.patches} == {"arrow"}


@pytest.mark.parametrize("more", [{}, {"speed": 2}])
def test_stops_are_called_by_their_names(axis, more):
    how = SheetOptions(depot=(0, 0), capacity=(9,), **more)
    text = b"id,name,x,y,demand\n1,Miller,3,4,2\n2,,3,0,1\n"
    (problem,) = read_instances(text, sheet=how)
    label_map(axis, problem, Solver(device="cpu").solve([problem])[0], str)
    said = {tuple(text.xy): text.get_text() for text in axis.texts}
    assert "Miller (1)" in said[3, 4]
    assert said[3, 0][3:].startswith("2")
