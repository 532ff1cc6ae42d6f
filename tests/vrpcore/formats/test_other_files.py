"""Documents and files of other programs or roles: named, whatever command or call reads them."""

import json

import pytest

from vrpcore.errors import InstanceError, ModelError
from vrpcore.formats.other_files import documents, other_document
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.solve.backend import model_kind

# As the programs' own documentation has them, shortened.
PROBLEMS = {
    "HERE Tour Planning": [{"plan": {"jobs": []}, "fleet": {"types": [], "profiles": []}}],
    "vrp-cli, in its pragmatic format": [{"plan": {"jobs": [{"id": "j"}]}, "fleet": {}}],
    "Timefold": [
        {"config": {}, "modelInput": {"vehicles": [], "visits": []}},
        {
            "name": "demo",
            "vehicles": [{"id": "1", "capacity": 15, "homeLocation": [40.6, -75.4]}],
            "visits": [{"id": "1", "location": [40.8, -75.2], "demand": 2}],
        },
    ],
    "OptaPlanner": [{"depots": [{"location": {}}], "customers": [{"id": 1, "location": {}}]}],
    "Routific": [{"visits": {"order_1": {"location": {"lat": 49.2}}}, "fleet": {"v1": {}}}],
    "Google's Route Optimization": [
        {"model": {"shipments": [], "vehicles": []}, "timeout": "10s"},
        {"shipments": [{"deliveries": [{"arrivalLocation": {}}]}], "vehicles": [{}]},
        {"shipments": [{"pickups": [{}]}], "vehicles": [{"startLocation": {}}]},
    ],
    "GraphHopper's Route Optimization": [
        {"vehicles": [{"vehicle_id": "v", "start_address": {}}], "vehicle_types": []},
        {"services": [{"id": "s", "address": {"lon": 13.4, "lat": 52.5}}], "vehicles": [{}]},
    ],
    "Onfleet": [{"tasks": [{"destination": {"address": {}}}]}, {"container": {}, "tasks": ["x"]}],
    "OptimoRoute": [{"orders": [{"operation": "SYNC", "orderNo": "A"}]}],
    "Nextmv": [
        {"stops": [{"id": "s", "location": {"lon": 1.0, "lat": 2.0}}], "vehicles": [{"id": "v"}]}
    ],
    "Mapbox Optimization": [
        {"version": 1, "locations": [{"name": "a", "coordinates": [1, 2]}], "vehicles": [{}]}
    ],
    "Bing Maps": [{"agents": [{"shifts": []}], "itineraryItems": [{"name": "a"}]}],
    "Geoapify": [{"mode": "drive", "agents": [{}], "jobs": [{"location": [1, 2]}]}],
    "Solvice": [{"jobs": [{"name": "a"}], "resources": [{"name": "r", "shifts": []}]}],
    "NVIDIA cuOpt": [{"cost_matrix_data": {}, "task_data": {}, "fleet_data": {}}],
    "PTV Route Optimization": [{"locations": [], "vehicles": [], "transports": [{"id": "t"}]}],
    "Route4Me": [{"parameters": {"rt": True}, "addresses": [{"lat": 1.0}]}],
    "NextBillion.ai": [
        {"locations": {"location": ["1,2"]}, "jobs": [{"id": 1}], "vehicles": [{"id": 1}]}
    ],
    "OR-Tools' examples": [{"distance_matrix": [[0]], "num_vehicles": 4, "depot": 0}],
    "RL4CO": [{"locs": [[0.1, 0.2]], "demand": [0.1]}],
}
OTHERS = {
    "an instance as the package vrplib returns it": {"dimension": 3, "edge_weight_type": "EUC_2D"},
    "an answer of vrp-cli or HERE": {"statistic": {"cost": 1}, "tours": []},
    "an answer of Timefold": {"metadata": {}, "modelOutput": {}},
    "an answer of GraphHopper": {"job_id": "x", "solution": {"routes": []}},
    "an answer of Routific": {"status": "success", "num_unserved": 0, "solution": {}},
    "an answer of Google's": {"routes": [{"visits": []}], "metrics": {}},
    "GeoJSON": {"type": "FeatureCollection", "features": []},
    "a reply of OSRM": {"code": "Ok", "durations": [[0]]},
    "a reply of openrouteservice": {"durations": [[0]], "metadata": {}},
    "a request to Valhalla": {"sources": [], "targets": [], "costing": "auto"},
    "a stop": {"id": "a", "lat": 52.5, "lon": 13.4},
    "the card of a model": {"sha256": "0", "train_sizes": [10, 200]},
}
FOREIGN = [
    *((f"a problem of {name}", each) for name, found in PROBLEMS.items() for each in found),
    *OTHERS.items(),
]


@pytest.mark.parametrize(("what", "document"), FOREIGN, ids=lambda each: str(each)[:30])
def test_a_document_of_another_program_is_named(what, document):
    (item,) = read_instances(document)
    assert (item.code, item.error.partition(";")[0]) == (
        "FORMAT",
        f"instances[0]: {what}, expected instances",
    )
    (again,) = read_instances(json.dumps(document).encode())
    assert again.error == item.error
    with pytest.raises(InstanceError, match="expected solutions; ") as caught:
        read_solutions(json.dumps(document).encode())
    assert caught.value.code == "FORMAT"


def test_what_to_do_is_said():
    (item,) = read_instances(PROBLEMS["Nextmv"][0])
    assert item.error.endswith(
        "; write an instance (docs/interface/json.md), a problem of VROOM's, or a spreadsheet of "
        "stops; stops become customers, their quantity demand; start_location is a depot"
    )


def test_every_row_is_tested():
    named = {what for what, _ in FOREIGN}
    untested = {"solutions", "instances", "an answer of VROOM's"}  # see below
    untested |= {"a reply of Google's Distance Matrix", "a reply of Valhalla"}
    untested |= {"a request to openrouteservice"}
    assert {row.what for row in documents()} - untested == named


SOLUTION = {"name": "x", "status": "solved", "cost": 1.0, "routes": []}
INSTANCE = {"capacity": 9, "depot": [0, 0], "coords": [[1, 1]], "demands": [1]}


@pytest.mark.parametrize(
    "found",
    [
        SOLUTION,
        {"solutions": [SOLUTION]},
        {"format": "vrp-solutions/1", "solutions": [SOLUTION]},
        b"Route #1: 1 2\nCost 3\n",
    ],
    ids=str,
)
def test_solutions_in_place_of_instances(found):
    source = found if isinstance(found, bytes) else json.dumps(found).encode()
    try:
        (item,) = read_instances(source)
        error = item.error
    except InstanceError as raised:
        error = str(raised)
    assert "solutions, expected instances; give both as vrp check INSTANCES SOLUTIONS" in error
    assert read_solutions(source)


@pytest.mark.parametrize(
    "source",
    [
        *(
            json.dumps(each).encode()
            for each in (INSTANCE, [INSTANCE], {"format": "vrp-instances/1", "instances": []})
        ),
        json.dumps({"jobs": [], "vehicles": []}).encode(),
        b"NAME : x\nTYPE : CVRP\n",
    ],
    ids=str,
)
def test_instances_in_place_of_solutions(source):
    with pytest.raises(InstanceError, match=r"instance.*, expected solutions; give both as"):
        read_solutions(source)


FILES = {
    b"\x08\x09\x12\x03vrp": "a model (ONNX)",
    b"<?xml version='1.0'?><problem xmlns='http://x'>": "XML, e.g. of jsprit or VRP-REP",
    b"<!DOCTYPE html><html><body>Not found": "a web page",
    b"# A recipe.\n\n#   vrp train\npolicy: {embed_dim: 8}\n": "a configuration of vrp train",
    b"problem:\n  num_customers: 20\n": "a configuration of vrp train",
}


@pytest.mark.parametrize(("content", "what"), FILES.items(), ids=str)
def test_a_file_of_another_kind_is_named(content, what, tmp_path):
    for read, expected in ((read_instances, "instances"), (read_solutions, "solutions")):
        with pytest.raises(InstanceError) as caught:
            read(content)
        assert f"{what}, expected {expected}; " in str(caught.value)
    (tmp_path / "x").write_bytes(content)
    if b"\x08" not in content:
        with pytest.raises(ModelError, match="expected a model; "):
            model_kind(tmp_path / "x")


def test_what_is_known_of_no_other_program():
    for value in (None, [], {}, {"capacity": 1}, {"plan": 1}, {"visits": []}, [[1]]):
        assert other_document(value, "x", "instances") is None
