import json
import re

import numpy as np
import pytest

from tests.vrpcore.documents import mixed_document
from tests.vrpcore.formats.json.working_day import DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.formats.write import instance_to_dict, instance_to_line
from vrpcore.instance.instance import Instance
from vrpcore.instance.relations import Group, Relation
from vrpcore.modelling.builder import ModelBuilder

WHOLE = (
    *("metric", "speed", "distances", "durations", "matrices", "backhauls", "pickup_only_routes"),
    "balance",
)
HERE = {"x": 1, "y": 1}


def built(document):
    """The instance of a document, built call by call."""
    whole = {key: document[key] for key in WHOLE if key in document}
    model = ModelBuilder(document["name"], **whole)
    for depot in document["depots"]:
        model.add_depot(**(dict(zip("xy", depot)) if isinstance(depot, list) else depot))  # noqa: B905
    for vehicle in document["vehicles"]:
        model.add_vehicle(**vehicle)
    for customer in document["customers"]:
        model.add_customer(**customer)
    for shipment in document.get("shipments", ()):
        model.add_shipment(**shipment)
    for group in document.get("groups", ()):
        model.add_group(**group)
    for relation in document.get("relations", ()):
        model.add_relation(**relation)
    return model.instance()


def test_calls_make_the_instance_that_json_makes():
    compared = 0
    for seed in range(200):
        document = mixed_document(seed, 1 + seed % 7)
        (expected,) = read_instances(document)
        if "vehicles" not in document or "customers" not in document:
            continue
        assert isinstance(expected, Instance)
        assert instance_to_line(built(document)) == instance_to_line(expected)
        compared += 1
    assert compared > 50


def test_a_working_day():
    document = {key: value for key, value in DAY.items() if key != "routes"}
    assert instance_to_dict(built(document)) == document


def test_groups_and_relations_may_name_what_comes_later():
    model = ready()
    names = [model.add_group(members=["a"]), model.add_group(members=[2], id="g", prize=3)]
    assert names == ["group-0", "g"]
    model.add_relation(kind="chain", stops=["a", 2], vehicle="van", at="start")
    with pytest.raises(InstanceError, match=r"add_customer\.id: 'g' is taken"):
        model.add_customer(id="g", **HERE)
    model.add_vehicle(id="bus")
    model.add_customer(id="a", **HERE)
    with pytest.raises(InstanceError, match=r"model\.groups\[1\]\.members\[0\]: no customer or"):
        model.instance()
    model.add_customer(x=2, y=1)
    with pytest.raises(InstanceError, match=r"relations\[0\]\.vehicle: no vehicle type has the"):
        model.instance()
    model.add_vehicle(id="van")
    found = model.instance().own_constraints
    assert found.groups == (Group("group-0", (1,)), Group("g", (2,), prize=3))
    assert found.relations == (Relation("chain", (1, 2), vehicle=1, at="start"),)


def test_limits_of_groups_and_relations():
    model = ready()
    for _ in range(10_000):
        model.add_relation(kind="apart", stops=[])
    with pytest.raises(InstanceError, match="add_relation: 10001 relations, the limit is 10000"):
        model.add_relation(kind="apart", stops=[])


def test_ids_are_returned_and_have_defaults():
    model = ModelBuilder()
    assert [model.add_depot(x=0, y=0), model.add_depot(x=1, y=0, id="b")] == ["0", "b"]
    assert model.add_vehicle(start="b") == "0"
    assert [model.add_customer(**HERE), model.add_customer(**HERE, id="c")] == [1, "c"]
    visit = {"x": 1.0, "y": 2.0}
    assert model.add_shipment(id="s", pickup=visit, delivery=visit) == "s"
    found = model.instance()
    assert found.ids == (1, "c", "s:pickup", "s:delivery")
    (again,) = read_instances(json.loads(json.dumps(model.document())))
    assert instance_to_line(again) == instance_to_line(found)


def test_numpy_values_are_taken():
    model = ModelBuilder(distances=np.ones((2, 2)))
    model.add_depot()
    model.add_vehicle(capacity=np.array([3, 4]), count=np.int64(2))
    model.add_customer(demand=np.array([1.0, 2.0]), window=(np.float64(1), None))
    found = model.instance()
    assert found.own_constraints.vehicles[0].capacity == (3, 4)
    assert found.own_constraints.windows.tolist() == [[[1, np.inf]]]


def test_nobody_is_in_two_groups():
    """Ids are the same as numbers and as texts; a wrong call adds nothing."""
    model = ready()
    assert model.add_group(members=[1]) == "group-0"
    told = r"add_group\.members\[1\]: '1' is in group 'group-0', number 0"
    with pytest.raises(InstanceError, match=told):
        model.add_group(members=["2", "1"])
    assert model.add_group(members=[2, 3]) == "group-1"
    with pytest.raises(InstanceError, match=r"members\[0\]: '3' is in group 'group-1', number 1"):
        model.add_group(members=["3"])


def test_frames_are_taken():
    pandas = pytest.importorskip("pandas", reason="needs the extra frame")
    model = ModelBuilder(distances=pandas.DataFrame([[0, 3], [4, 0]]))
    model.add_depot()
    model.add_vehicle(capacity=pandas.Series([3, 4]))
    model.add_customer(demand=pandas.Series([1.0, 2.0]))
    found = model.instance()
    assert found.distances.tolist() == [[0, 3], [4, 0]]
    assert found.own_constraints.vehicles[0].capacity == (3, 4)


def test_a_missing_value_of_a_frame_is_no_number():
    pandas = pytest.importorskip("pandas", reason="needs the extra frame")
    frame = pandas.DataFrame([[0, None], [4, 0]], dtype="Int64")
    for matrix in (frame, frame.to_numpy().tolist()):
        with pytest.raises(InstanceError, match=r"distances\[0\]\[1\]: nan is not a finite number"):
            with_matrix(matrix)
    assert with_matrix(frame.fillna(3)) == [[0, 3], [4, 0]]


def test_what_is_given_is_copied():
    demand, matrix, rest = [1, 2], [[0, 1], [1, 0]], {"window": [1, 2]}
    model = ModelBuilder(distances=matrix)
    model.add_depot()
    model.add_vehicle(capacity=demand, breaks=[rest])
    model.add_customer(demand=demand)
    before = instance_to_line(model.instance())
    demand[0] = matrix[0][1] = rest["window"][0] = -9
    model.document()["customers"].clear()
    model.document()["vehicles"][0]["capacity"][0] = -9
    assert instance_to_line(model.instance()) == before


def ready():
    model = ModelBuilder()
    model.add_depot(x=0, y=0, id="hub")
    return model


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        ("depot", {"x": 1}, ".y: missing"),
        ("depot", {**HERE, "service": -1}, ".service: -1 is negative"),
        ("vehicle", {"max_reloads": 1}, ".max_reloads: the vehicle has no 'reloads"),
        ("vehicle", {"reloads": ["b"]}, ".reloads[0]: no depot has the id 'b'"),
        ("vehicle", {"late_cost": 1}, ".late_cost: the vehicle has no end of its"),
        ("vehicle", {"capacity": 1, "initial_load": 2}, ".initial_load: 2 exceeds capacity 1"),
        ("customer", {**HERE, "max_late": 1}, ".max_late: no window closes"),
        ("customer", {**HERE, "vehicles": []}, ".vehicles: 0 ids of vehicl"),
        (
            "shipment",
            {"id": 1, "pickup": {}, "delivery": {}, "on_board": "van"},
            ".pickup: given with 'on_board'",
        ),
        ("group", {"members": []}, ".members: 0 ids of customers and shipments"),
        ("group", {"members": ["a", "a"]}, ".members[1]: 'a' is there twice"),
        ("group", {}, ".members: missing"),
        ("relation", {"stops": []}, ".kind: missing"),
        ("relation", {"kind": "order", "stops": [1, 1]}, ".stops[1]: '1' is there "),
        (
            "relation",
            {"kind": "order", "stops": [], "at": "end"},
            ".at: given with the kind 'order', expected 'chain'",
        ),
        ("depot", {}, ": no x and y, and the model has no matrix"),
        ("depot", {**HERE, "id": "hub"}, ".id: 'hub' is taken"),
        ("depot", {**HERE, "window": (5, 1)}, ".window: opens at 5, after"),
        ("vehicle", {"start": "b"}, ".start: no depot has the id 'b'; known are 'hub'"),
        ("vehicle", {"capacity": -1}, ".capacity: -1 is negative"),
        ("vehicle", {"count": 1.5}, ".count: 1.5, expected an integer"),
        ("vehicle", {"speed": 0}, ".speed: 0 is not a positive number"),
        ("vehicle", {"capcity": 1}, ": unknown key 'capcity'; did you mean 'capac"),
        ("customer", {"x": "a", "y": 1}, ".x: 'a', expected a number"),
        ("customer", {**HERE, "demand": -2}, ".demand: -2 is negative"),
        ("customer", {"demand": 1}, ": no x and y, and the model has no matrix"),
        (
            "customer",
            {**HERE, "window": (0, 1), "windows": [(0, 1)]},
            ".windows: given with 'window'",
        ),
        ("shipment", {"pickup": {}, "delivery": {}}, ".id: missing"),
        ("shipment", {"id": 1, "pickup": HERE}, ".delivery: missing"),
        ("shipment", {"id": 1, "pickup": HERE, "delivery": {"x": 1}}, ".delivery.y: missing"),
        ("shipment", {"id": 1, "pickup": HERE, "delivery": {}}, ".delivery: no x and y"),
    ],
)
def test_the_call_that_is_wrong_names_its_argument(kind, values, said):
    model = ready()
    with pytest.raises(InstanceError) as caught:
        getattr(model, f"add_{kind}")(**values)
    assert str(caught.value).startswith(f"add_{kind}{said}")
    model.add_vehicle()
    model.add_customer(**HERE)
    assert model.instance().num_customers == 1  # nothing of the wrong call is left


@pytest.mark.parametrize(
    ("call", "values", "wanted"),
    [
        (ModelBuilder, ("day", 1), "ModelBuilder(metric=..., speed=..., distances=..., "),
        (
            "add_depot",
            (0, 0),
            "add_depot(id=..., x=..., y=..., place=..., window=..., service=...)",
        ),
        ("add_vehicle", (3,), "add_vehicle(id=..., count=..., capacity=..., "),
        ("add_customer", (1, 1), "add_customer(x=..., y=..., place=..., window=..., "),
        ("add_shipment", ("s",), "add_shipment(release=..., prize=..., "),
        ("add_group", (["a"],), "add_group(id=..., members=..., prize=..., priority=...)"),
        ("add_relation", ("same", [1]), "add_relation(kind=..., stops=..., vehicle=..., at=...)"),
    ],
)
def test_values_without_names_are_told_which_there_are(call, values, wanted):
    with pytest.raises(InstanceError, match=re.escape(f" without a name; write {wanted}")):
        (getattr(ready(), call) if isinstance(call, str) else call)(*values)


def test_a_prize_of_none_is_none():
    model = ready()
    model.add_vehicle()
    model.add_customer(**HERE, id="a", prize=None)
    model.add_customer(**HERE, id="b", prize=2)
    assert model.instance().own_constraints.prize.tolist() == [np.inf, 2]


def test_customers_and_shipments_share_names():
    model = ready()
    model.add_customer(**HERE, id=7)
    with pytest.raises(InstanceError, match=r"add_customer\.id: '7' is taken"):
        model.add_customer(**HERE, id="7")
    with pytest.raises(InstanceError, match=r"add_shipment\.id: '7' is taken"):
        model.add_shipment(id=7, pickup=HERE, delivery=HERE)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"metric": "miles"}, "Model.metric: 'miles', expected one of ceil_2d"),
        ({"speed": -1}, "Model.speed: -1 is not a positive number"),
        ({"capacity": 5}, "Model.capacity: not an argument of a model; add it call by call"),
        ({"name": np.array([1, 2])}, "Model.name: a list of 2, expected text"),
        ({"balance": {}}, "Model.balance: empty, expected one or several of duration"),
        ({"groups": []}, "Model.groups: not an argument of a model; add it call by call"),
        ({"sped": 5}, "Model: unknown key 'sped'; did you mean 'speed'"),
        ({"foo": 5}, "Model: unknown key 'foo'; known are name, metric, speed, distances, "),
    ],
)
def test_what_holds_for_the_whole_is_checked(values, said):
    with pytest.raises(InstanceError) as caught:
        ModelBuilder(**values)
    assert str(caught.value).startswith(said)


def test_what_only_the_whole_shows_is_reported_with_its_place():
    with pytest.raises(InstanceError, match="model: there is no depot yet; call add_depot"):
        ModelBuilder().instance()
    with pytest.raises(InstanceError, match="model: there is no vehicle yet; call add_vehicle"):
        ready().instance()
    with pytest.raises(InstanceError, match="add_vehicle: there is no depot yet; call add_depot"):
        ModelBuilder().add_vehicle()


def with_matrix(matrix):
    model = ModelBuilder(distances=matrix)
    model.add_depot()
    model.add_vehicle()
    model.add_customer()
    return model.instance().distances.tolist()


def test_no_road_is_none_or_infinity():
    none = np.inf
    assert with_matrix([[0, None], [2, 0]]) == [[0, none], [2, 0]]
    assert with_matrix([[none, none], [2, 0]]) == [[0, none], [2, 0]]
    assert with_matrix(np.array([[0, none], [2, 0]])) == [[0, none], [2, 0]]
    assert with_matrix(np.array([[0, None], [2, 0]])) == [[0, none], [2, 0]]
    model = ModelBuilder(matrices={"car": {"durations": np.array([[0, none], [2, 0]])}})
    assert json.dumps(model.document()["matrices"], allow_nan=False) == (
        '{"car": {"durations": [[0.0, null], [2.0, 0.0]]}}'
    )
    with pytest.raises(InstanceError, match=r"distances\[0\]\[1\]: nan is not a finite number"):
        with_matrix(np.array([[0, np.nan], [2, 0]]))


def test_split_customers():
    model = ModelBuilder(split=True, split_step=0.5)
    model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=3)
    model.add_customer(x=1, y=0, demand=7)
    model.add_customer(x=2, y=0, demand=2, split=False)
    own = model.instance().own_constraints
    assert (own.split.tolist(), own.split_step) == ([True, False], 0.5)
    model.add_relation(kind="apart", stops=[1, 2])
    with pytest.raises(InstanceError, match="given with 'relations'; leave one of them out"):
        model.instance()
