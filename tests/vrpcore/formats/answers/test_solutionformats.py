import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import constrained, on_a_line
from tests.vrpcore.formats.answers.solutions import MANY, TWO, UNSOLVED, make, solved
from vrpcore.formats.answers.solutionformats import (
    CSV_COLUMNS,
    CSV_HEADER,
    GEOJSON_HEAD,
    GEOJSON_SEPARATOR,
    GEOJSON_TAIL,
    csv_header,
    geojson_features,
    solution_to_csv,
    solution_to_geojson,
)
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import (
    NOT_STATED,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Unserved,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
HOSTILE = [
    "=cmd|'/C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "  =1", "\u00a0=1", "\u200b=1",
    "\ufeff@a", "\x00=1", "\n", "\tx", "\uff1d1+1", "\u2028-1", "-5", "\u00ad=1",
]  # fmt: skip
NO_TIMES = "," * 14
INVALID = InvalidInstance(name="u", code="X", error="y")


def rows(text):
    assert text.endswith("\n")
    return list(csv.DictReader(io.StringIO(CSV_HEADER + text, newline="")))


def test_csv_to_the_letter():
    assert CSV_HEADER == (
        "instance,status,route,stop,customer,demand,x,y,route_load,route_cost,cost,balance,gap,"
        "warnings,code,error,vehicle,start,end,arrival,begin,departure,return,distance,duration,"
        "late,late_return,overtime,ride,reason\n"
    )
    assert solution_to_csv(make(), TWO) == (
        f"t,solved,1,1,a,2,3,4,2,10.0,15.125,,0.25,W1 W2,,{NO_TIMES}\n"
        f"t,solved,2,1,7,0.5,0.1,-2.5,0.5,5.125,15.125,,0.25,W1 W2,,{NO_TIMES}\n"
    )
    assert solution_to_csv(make(), solved((("a", 7), 2.5, 17), cost=17)) == (
        f"t,solved,1,1,a,2,3,4,2.5,17,17,,,,,{NO_TIMES}\n"
        f"t,solved,1,2,7,0.5,0.1,-2.5,2.5,17,17,,,,,{NO_TIMES}\n"
    )


def test_csv_has_a_row_where_there_is_no_stop():
    expected = f'u,infeasible,,,,,,,,,,,,,TOO_FEW_VEHICLES,"max, too many"{NO_TIMES}\n'
    assert solution_to_csv(make(), UNSOLVED) == expected
    assert solution_to_csv(INVALID, UNSOLVED) == expected
    nothing = solved(name="", warnings=("W",), cost=0.0)
    assert solution_to_csv(make(()), nothing) == f",solved,,,,,,,,,0.0,,,W,,{NO_TIMES}\n"


def test_csv_without_coordinates_and_without_stated_costs():
    instance = make(coords=None, distances=np.ones((3, 3)))
    answer = solved((("a", 7), NOT_STATED, NOT_STATED), cost=None)
    (_, second) = solution_to_csv(instance, answer).splitlines()
    assert second == f"t,solved,1,2,7,0.5,,,,,,,,,,{NO_TIMES}"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_csv_is_a_formula(text):
    instance = make((text, 1), name=text)
    answer = solved(((text, 1), 2.5, 1.0), name=text, warnings=(text,), code=text, error=text)
    lines = solution_to_csv(instance, answer)
    first, second = rows(lines)
    for key in ("instance", "customer", "warnings", "code", "error"):
        assert first[key].startswith("'"), key
    assert second["customer"] == "1"
    assert len(lines.splitlines()) == 2


def test_negative_numbers_of_a_csv_stay_numbers():
    instance = make((-5, -7), coords=np.array([[0, 0], [-1.5, -2e-300], [-1, -1e100]]))
    first, second = rows(solution_to_csv(instance, solved(((-5, -7), 2.5, 1.0), gap=-0.125)))
    assert (first["customer"], first["x"], first["y"], first["gap"]) == (
        "-5", "-1.5", "-2e-300", "-0.125",
    )  # fmt: skip
    assert (second["x"], second["y"]) == ("-1", "-1e+100")


def test_control_characters_of_a_csv_are_spelled():
    (row,) = rows(solution_to_csv(INVALID, Solution(name="a\x1b[31m\n\x9b\0b", status="invalid")))
    assert row["instance"] == "a\\x1b[31m\\n\\x9b\\x00b"
    (row,) = rows(
        solution_to_csv(INVALID, Solution(name='"a", "b"; \u00e4\u4e2d', status="invalid"))
    )
    assert row["instance"] == '"a", "b"; \u00e4\u4e2d'


@given(TEXTS, st.floats(-1e100, 1e100), st.floats(0, 9), TEXTS)
def test_csv_keeps_every_digit_and_its_columns(name, x, demand, identifier):
    instance = make((identifier,), name=name, coords=np.array([[0, 0], [x, 1]]), demand=[demand])
    text = solution_to_csv(instance, solved(((identifier,), demand, x), name=name))
    (row,) = rows(text)
    assert set(row) == set(CSV_COLUMNS)
    assert float(row["x"]) == float(row["route_cost"]) == float(row["cost"]) == x
    assert float(row["demand"]) == float(row["route_load"]) == demand
    for key in ("instance", "customer"):
        assert row[key].lstrip()[:1] not in {"=", "+", "-", "@"}
        assert not set(row[key]) & set("\t\r\n\0")
    assert len(text.splitlines()) == 1


def document(*features):
    return json.loads(
        GEOJSON_HEAD + GEOJSON_SEPARATOR.join(map(json.dumps, features)) + GEOJSON_TAIL
    )


def test_geojson_to_the_letter():
    found = document(*geojson_features(make(), TWO))
    colours = [feature["properties"].pop("stroke") for feature in found["features"][:2]]
    assert len(set(colours)) == 2
    assert found == {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": kind, "coordinates": places},
                "properties": {"instance": "t", **properties},
            }
            for kind, places, properties in (
                ("LineString", [[0, 0], [3, 4], [0, 0]],
                 {"route": 1, "customers": ["a"], "load": 2, "cost": 10.0}),
                ("LineString", [[0, 0], [0.1, -2.5], [0, 0]],
                 {"route": 2, "customers": [7], "load": 0.5, "cost": 5.125}),
                ("Point", [0, 0],
                 {"status": "solved", "depot": True, "routes": 2, "cost": 15.125, "gap": 0.25,
                  "warnings": ["W1", "W2"], "marker-color": "#000000"}),
                ("Point", [3, 4],
                 {"route": 1, "stop": 1, "customer": "a", "marker-color": colours[0]}),
                ("Point", [0.1, -2.5],
                 {"route": 2, "stop": 1, "customer": 7, "marker-color": colours[1]}),
            )
        ],
    }  # fmt: skip
    assert document() == {"type": "FeatureCollection", "features": []}


def test_colours_of_routes_differ():
    names = tuple(range(1, 201))
    instance = make(names, coords=np.zeros((201, 2)), demand=[1] * 200)
    answer = solved(*(((name,), 1.0, 0.0) for name in names))
    colours = [f["properties"]["stroke"] for f in geojson_features(instance, answer)[:200]]
    assert all(len(colour) == 7 and int(colour[1:], 16) >= 0 for colour in colours)
    assert len(set(colours)) == 200


def test_geojson_without_a_place():
    reason = {"code": "TOO_FEW_VEHICLES", "error": "max, too many", "warnings": []}
    expected = {
        "type": "Feature",
        "geometry": None,
        "properties": {"instance": "u", "status": "infeasible", **reason},
    }
    assert geojson_features(make(), UNSOLVED) == [expected]
    assert geojson_features(INVALID, UNSOLVED) == [expected]
    matrix = make(coords=None, distances=np.ones((3, 3)))
    assert [feature["geometry"] for feature in geojson_features(matrix, TWO)] == [None] * 3
    (depot,) = geojson_features(make(()), solved(cost=0.0))
    assert depot["geometry"] == {"type": "Point", "coordinates": [0, 0]}


def test_geojson_knows_no_nan():
    answer = solved((("a", 7), NOT_STATED, NOT_STATED), cost=None)
    route, depot, *_ = document(*geojson_features(make(), answer))["features"]
    assert route["properties"]["load"] is route["properties"]["cost"] is None
    assert depot["properties"]["cost"] is None
    answer = solved((("a", 7), 1.0, 1.0), cost=math.nan)
    with pytest.raises(ValueError, match="Out of range float values"):
        solution_to_geojson(make(), answer)


@given(TEXTS, TEXTS)
def test_geojson_is_ascii_and_one_line_a_feature(name, identifier):
    instance, answer = make((identifier,)), solved(((identifier,), 2.0, 10.0), name=name)
    for line in solution_to_geojson(instance, answer).split(GEOJSON_SEPARATOR):
        assert line.isascii()
        assert line.isprintable()
        assert json.loads(line)["properties"]["instance"] == name


BY_BIKE = RouteSchedule(
    vehicle="bike", start="=s", end=None, distance=7.5, duration=7.5, departure=0.0, return_=7.5,
    arrivals=(7.5,), begins=(7.5,),
)  # fmt: skip
PART = Solution(
    name="t", status="partial", cost=9.5, code="UNSERVED", error="1 of",
    routes=(RouteReport((7,), (2.0, 0.0), 7.5, BY_BIKE),),
    unserved=(Unserved(8, "PRIZE", "x"), Unserved("s", "FLEET", "y")),
)  # fmt: skip


def test_csv_with_times_and_who_is_not_served():
    assert solution_to_csv(MANY, PART) == (
        "t,partial,1,1,7,2 0,3,4,2 0,7.5,9.5,,,,UNSERVED,1 of,bike,'=s,,"
        "7.5,7.5,0,7.5,7.5,7.5,,,,,\n"
        "t,partial,,,8,1 0.5,6,8,,,9.5,,,,UNSERVED,1 of,,,,,,,,,,,,,,PRIZE\n"
        "t,partial,,,s,,,,,,9.5,,,,UNSERVED,1 of,,,,,,,,,,,,,,FLEET\n"
    )


def test_goods_on_board_that_are_not_delivered_have_their_delivery_as_point():
    box = {"id": "s", "delivery": {"x": 3, "y": 4}, "on_board": "v"}
    van = {"id": "v", "count": 1}
    instance = constrained(depots=[{"x": 0, "y": 0}], vehicles=[van], shipments=[box])
    answer = Solution(name="t", status="partial", cost=0.0, unserved=(Unserved("s", "FLEET", "y"),))
    (left,) = geojson_features(instance, answer)[1:]
    assert left["geometry"] == {"type": "Point", "coordinates": [3, 4]}


def reloading():
    """The two depots' instance where the van reloads, and an answer."""
    types = MANY.constraints.vehicles
    vans = (replace(types[0], reloads=(0, 1)), *types[1:])
    instance = replace(MANY, constraints=replace(MANY.constraints, vehicles=vans))
    schedule = RouteSchedule(
        vehicle="van", start="n", end="n", arrivals=(5.0, 20.0), begins=(5.0, 21.0),
        reloads=(RouteReload(depot="=s", after=1, arrival=10.0, begin=12.0),),
    )  # fmt: skip
    route = RouteReport((7, 8), (2.0, 0.5), 30.0, schedule)
    left = (Unserved("s", "FLEET", "y"),)
    return instance, Solution(name="t", status="partial", cost=30.0, routes=(route,), unserved=left)


def test_csv_has_types_and_a_row_for_each_reload_where_vehicles_reload():
    instance, answer = reloading()
    assert csv_header(MANY) == CSV_HEADER
    assert csv_header(instance) == CSV_HEADER.rstrip() + ",type\n"
    assert solution_to_csv(instance, answer) == (
        "t,partial,1,1,7,2 0,3,4,2 0.5,30.0,30.0,,,,,,van,n,n,5,5,,,,,,,,,,customer\n"
        "t,partial,1,,'=s,,9,9,2 0.5,30.0,30.0,,,,,,van,n,n,10,12,,,,,,,,,,reload\n"
        "t,partial,1,2,8,1 0.5,6,8,2 0.5,30.0,30.0,,,,,,van,n,n,20,21,,,,,,,,,,customer\n"
        "t,partial,,,s,,,,,,30.0,,,,,,,,,,,,,,,,,,,FLEET,\n"
    )


def test_lines_pass_by_the_depots_of_reloads():
    route, *_ = document(*geojson_features(*reloading()))["features"]
    assert route["geometry"]["coordinates"] == [[0, 0], [3, 4], [9, 9], [6, 8], [0, 0]]


def test_lines_follow_roads_where_they_are_known():
    way = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 0.0))
    first, second = TWO.routes
    answer = replace(TWO, routes=(replace(first, way=way), replace(second, way=way[:1])))
    one, other, *_ = document(*geojson_features(make(), answer))["features"]
    assert one["geometry"]["coordinates"] == [list(point) for point in way]
    assert other["geometry"]["coordinates"] == [[0, 0], [0.1, -2.5], [0, 0]]


def test_geojson_with_depots_and_who_is_not_served():
    found = document(*geojson_features(MANY, PART))["features"]
    route, first, second, stop, left, shipment = found
    assert stop["geometry"] == {"type": "Point", "coordinates": [3, 4]}
    told = {"instance": "t", "route": 1, "stop": 1, "customer": 7, "arrival": 7.5, "begin": 7.5}
    assert stop["properties"] == {**told, "marker-color": route["properties"]["stroke"]}
    assert route["geometry"]["coordinates"] == [[9, 9], [3, 4]]
    assert route["properties"]["load"] == [2, 0]
    assert (route["properties"]["vehicle"], route["properties"]["end"]) == ("bike", None)
    assert first["geometry"] == {"type": "Point", "coordinates": [0, 0]}
    assert (first["properties"]["id"], first["properties"]["code"]) == ("n", "UNSERVED")
    assert (second["properties"]["id"], second["geometry"]["coordinates"]) == ("=s", [9, 9])
    assert left["geometry"] == {"type": "Point", "coordinates": [6, 8]}
    assert (left["properties"]["unserved"], left["properties"]["reason"]) == (8, "PRIZE")
    assert shipment["geometry"] == {"type": "Point", "coordinates": [1, 2]}
    alone = replace(BY_BIKE, start=None)
    answer = replace(PART, routes=(replace(PART.routes[0], schedule=alone),))
    assert geojson_features(MANY, answer)[0]["geometry"] == {"type": "Point", "coordinates": [3, 4]}


def test_csv_has_the_parts_of_split_stops():
    customers = on_a_line(3, 7, demand=[6, 2], split=[True, False])
    instance = constrained(capacity=4, customers=customers)
    own = RouteSchedule(vehicle=None, start="0", end="0", amounts=(2.0, 2.0))
    other = replace(own, amounts=(4.0,))
    routes = RouteReport((1, 2), 4, 14, own), RouteReport((1,), 4, 6, other)
    answer = Solution(name="t", status="solved", cost=20, routes=routes)
    found = [row["demand"] for row in rows(solution_to_csv(instance, answer))]
    assert found == ["2", "2", "4"]
