"""A call that no later call could mend raises; what it would have added is nowhere."""

import random

import pytest

from tests.vrpcore.documents import detailed_document
from vrpcore.errors import InstanceError
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.modelling import agreement
from vrpcore.modelling.builder import ModelBuilder

HERE = {"x": 1, "y": 1}
BOTH = {"pickup": HERE, "delivery": HERE}
ONES = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
FAST = {"truck": {"durations": ONES}}


def ready(**whole):
    """A model with a depot, a vehicle and a customer, which fit each other."""
    model = ModelBuilder(**whole)
    model.add_depot(x=0, y=0)
    model.add_vehicle(id="van", capacity=10)
    model.add_customer(id="a", x=3, y=4, demand=1)
    return model


def refused(model, call, values):
    """The message of a call that leaves the model as it was."""
    before = model.document()
    with pytest.raises(InstanceError) as caught:
        getattr(model, call)(**values)
    assert model.document() == before
    return str(caught.value)


BREAKS = [
    ([{"window": [5, 1]}], "add_vehicle.breaks[0].window: opens at 5, after it closes at 1"),
    ([{"service": 3}], "add_vehicle.breaks[0]: unknown key 'service'; "),
    ([{}, {"duration": -3}], "add_vehicle.breaks[1].duration: -3 is negative"),
    ([{"id": 1}, {"id": "1"}], "add_vehicle.breaks[1].id: duplicate id '1', also at"),
    ([{"max_load": [1, 2]}], "add_vehicle.breaks[0].max_load: a list of 2, but add_vehicle."),
    ("noon", "add_vehicle.breaks: 'noon', expected a list of breaks"),
    ([{}] * 101, "add_vehicle.breaks: 101 breaks, the limit is 100"),
]
AMOUNTS = [
    (
        "add_customer",
        {**HERE, "demand": [1, 2]},
        "add_customer.demand: a list of 2, but add_vehicle.capacity of 'van' is a number; give",
    ),
    ("add_customer", {**HERE, "pickup": [1]}, "add_customer.pickup: a list of 1, but add_veh"),
    ("add_vehicle", {"capacity": [10, 3]}, "add_vehicle.capacity: a list of 2, but add_vehicle"),
    ("add_vehicle", {"initial_load": [1]}, "add_vehicle.initial_load: a list of 1, but add_veh"),
    ("add_vehicle", {"capacity": 3, "initial_load": 4}, "add_vehicle.initial_load: 4 exceeds cap"),
    ("add_shipment", {**BOTH, "id": 1, "amount": [1, 2]}, "add_shipment.amount: a list of 2, "),
]


@pytest.mark.parametrize(
    ("call", "values", "said"),
    [
        *(("add_vehicle", {"breaks": breaks}, said) for breaks, said in BREAKS),
        *AMOUNTS,
        ("add_vehicle", {"matrix": "truck"}, "add_vehicle.matrix: 'truck' is none of the inst"),
    ],
)
def test_the_call_that_is_wrong_adds_nothing(call, values, said):
    model = ready()
    assert refused(model, call, values).startswith(said)
    model.add_customer(**HERE)
    assert model.instance().num_customers == 2


def test_the_first_amount_decides_whatever_it_is_of():
    model = ModelBuilder()
    model.add_customer(id="a", **HERE, demand=[1, 2])
    model.add_customer(**HERE)
    model.add_depot(**HERE)
    said = "add_vehicle.capacity: a number, but add_customer.demand of 'a' is a list of 2; give"
    assert refused(model, "add_vehicle", {"capacity": 10}).startswith(said)
    model.add_vehicle(breaks=[{"max_load": [1, 0]}])
    assert model.instance().own_constraints.vehicles[0].breaks[0].max_load == (1, 0)


def test_names_of_shipments_are_kept_for_them():
    model = ready()
    model.add_shipment(id="q", **BOTH)
    said = refused(model, "add_customer", {"id": "q:pickup", **HERE})
    assert said.startswith("add_customer.id: 'q:pickup' ends like a stop of a shipment; choose")
    model = ready()
    model.add_customer(id="b:delivery", **HERE)
    said = refused(model, "add_shipment", {"id": "s", **BOTH})
    assert (
        said == "add_shipment: a shipment, but customer 'b:delivery' is called like a stop of one"
    )
    assert model.instance().ids == ("a", "b:delivery")


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ({"durations": [[0, -1], [1, 0]]}, "Model.durations[0][1]: -1 is negative, expected at"),
        ({"durations": [[0, 1, 2], [1, 0, 3]]}, "Model.durations[0]: 3 numbers, expected a squ"),
        ({"distances": "abc"}, "Model.distances: 'abc', expected a list of lists of numbers"),
        ({"distances": []}, "Model.distances: no rows, expected one for each depot and stop"),
        ({"costs": [[0, "a"], [1, 0]]}, "Model.costs[0][1]: 'a', expected a number"),
        (
            {"distances": ONES, "durations": [[0]]},
            "Model.durations: 1 rows, expected a square matrix, 3 x 3 (as many as Model.distances",
        ),
        ({"matrices": {"truck": {}}}, "Model.matrices.truck: empty, expected distances or dur"),
        ({"matrices": {"truck": {"durations": [[0], [1]]}}}, "Model.matrices.truck.durations[0]"),
        ({"matrices": 3}, "Model.matrices: 3, expected an object"),
    ],
)
def test_matrices_are_told_at_once(whole, said):
    with pytest.raises(InstanceError) as caught:
        ModelBuilder(**whole)
    assert str(caught.value).startswith(said)


def test_matrices_wait_for_all_their_nodes_and_for_no_more():
    model = ModelBuilder(distances=ONES)
    model.add_depot()
    model.add_vehicle()
    model.add_customer()
    with pytest.raises(InstanceError, match=r"model\.distances: 3 rows, expected a square matrix"):
        model.instance()
    said = refused(model, "add_shipment", {"id": "s", "pickup": {}, "delivery": {}})
    assert said.startswith("add_shipment.delivery: 4 depots and stops, but the model's matrices")
    model.add_customer()
    for call in ("add_depot", "add_customer"):
        said = f"{call}: 4 depots and stops, but the model's matrices have 3 rows"
        assert refused(model, call, {}).startswith(said)
    assert model.instance().num_customers == 2


def test_matrices_are_named_as_they_are_called():
    model = ready(matrices=FAST)
    said = "add_vehicle.matrix: 'truk' is none of the instance's matrices"
    assert refused(model, "add_vehicle", {"matrix": "truk"}) == said
    model.add_vehicle(matrix="truck")
    model.add_customer(**HERE)
    assert model.instance().own_constraints.vehicles[1].matrix == "truck"


def test_all_nodes_have_coordinates_or_none():
    model = ready(distances=ONES)
    said = "add_customer: has no coordinates, those before have some; give them to all or to none"
    assert refused(model, "add_customer", {}) == said
    model = ModelBuilder(matrices=FAST)
    model.add_depot()
    said = "add_customer: has coordinates, those before have none; give them to all or to none"
    assert refused(model, "add_customer", HERE) == said
    said = "add_vehicle.matrix: missing; the depots have no coordinates, name one of the model's"
    assert refused(model, "add_vehicle", {}).startswith(said)
    model.add_vehicle(matrix="truck")
    said = "add_shipment.delivery: has coordinates, those before have none"
    values = {"id": "s", "pickup": {}, "delivery": HERE}
    assert refused(model, "add_shipment", values).startswith(said)
    model.add_shipment(id="s", pickup={}, delivery={})
    assert model.instance().num_customers == 2
    said = refused(ModelBuilder(distances=None), "add_depot", {})
    assert said == "add_depot: no x and y, and the model has no matrix"


@pytest.mark.parametrize(
    ("call", "values", "said"),
    [
        ("add_depot", {"x": 0, "y": 95}, "add_depot: latitude 95, expected -90 to 90"),
        ("add_customer", {"x": 400, "y": 0}, "add_customer: longitude 400, expected -360 to 360"),
        (
            "add_shipment",
            {"id": 1, "pickup": HERE, "delivery": {"x": 0, "y": -91}},
            "add_shipment.delivery: latitude -91, expected -90 to 90",
        ),
    ],
)
def test_degrees_are_in_range(call, values, said):
    assert refused(ready(metric="haversine"), call, values) == said


def test_backhauls_that_are_last():
    model = ready(backhauls="last")
    said = refused(model, "add_shipment", {"id": 1, **BOTH})
    assert said.startswith("add_shipment: a shipment, but the model's backhauls are 'last'")
    said = refused(model, "add_customer", {**HERE, "demand": 1, "pickup": 2})
    assert said.startswith("add_customer.pickup: given with 'demand', but the model's backhauls")
    model.add_customer(**HERE, demand=1, pickup=0)
    assert model.instance().num_customers == 2


def test_a_vehicle_that_service_by_vehicle_names_may_follow():
    model = ready()
    model.add_customer(**HERE, service_by_vehicle={"truck": 3})
    with pytest.raises(InstanceError, match=r"service_by_vehicle\.truck: no vehicle type has the"):
        model.instance()
    model.add_vehicle(id="truck", capacity=3)
    assert model.instance().own_constraints.service_by_type.tolist() == [[0, 0], [0, 3]]


@pytest.mark.parametrize(
    ("limit", "call", "values", "said"),
    [
        ("MAX_DEPOTS", "add_depot", HERE, "add_depot: 2 depots, the limit is 1"),
        ("MAX_VEHICLE_TYPES", "add_vehicle", {}, "add_vehicle: 2 vehicle types, the limit is 1"),
        ("MAX_CUSTOMERS", "add_customer", HERE, "add_customer: 2 customers and stops, the limit"),
        ("MAX_CUSTOMERS", "add_shipment", {"id": 1, **BOTH}, "add_shipment: 3 customers and stop"),
    ],
)
def test_no_more_than_an_instance_may_have(monkeypatch, limit, call, values, said):
    monkeypatch.setattr(agreement, limit, 1)
    assert refused(ready(), call, values).startswith(said)


def test_no_more_skills_than_an_instance_may_have():
    model = ready()
    model.add_customer(**HERE, skills=[str(each) for each in range(256)])
    said = "add_customer.skills: 257 different skills, the limit is 256"
    assert refused(model, "add_customer", {**HERE, "skills": ["more"]}) == said
    model.add_customer(**HERE, skills=["7"])
    assert model.instance().num_customers == 3


WHOLE = (
    "metric", "speed", "distances", "durations", "costs", "matrices", "backhauls",
    "pickup_only_routes",
)  # fmt: skip


NOWHERE = {"x": None, "y": None}
PLACES = [NOWHERE, {"x": 2, "y": 3}, {"x": 2, "y": 95}, {"x": "a"}, {"x": None}]
ANY = [{"id": 1}, {"id": "s0"}, {"window": [4, 2], "windows": None}, {"name": 1}]
# What a row gets in place of what it has: it may be wrong, or not fit the others.
CHANGES = {
    "add_depot": [*PLACES, *ANY],
    "add_vehicle": [
        *ANY, {"capacity": [3, 3]}, {"capacity": 4}, {"capacity": -1}, {"start": "no"},
        {"matrix": "truck"}, {"matrix": "no"}, {"matrix": None},
        {"breaks": [{"window": [3, 1]}]}, {"breaks": [{"id": 1}, {"id": 1}]},
        {"breaks": [{"max_load": [1]}]}, {"breaks": [{"max_load": 1}]}, {"breaks": [{"at": 1}]},
    ],
    "add_customer": [
        *PLACES, *ANY, {"demand": [1, 2]}, {"demand": 1, "pickup": 2}, {"demand": 1},
        {"id": "s0:pickup"}, {"id": "s0:pickup"}, {"id": "s0:pickup"},
        {"service_by_vehicle": {"no": 3}}, {"place": -1},
    ],
    "add_shipment": [
        *ANY, {"amount": 1}, {"amount": [1]}, {"pickup": NOWHERE}, {"delivery": NOWHERE},
        {"delivery": {"x": 1, "y": 2}}, {"delivery": {"x": 1, "y": 99}}, {"pickup": 3},
    ],
}  # fmt: skip


def calls(draw, document):
    """Rows in a random order, but that depots come before vehicles; some are distorted."""
    depots = [row if isinstance(row, dict) else {"x": row[0], "y": row[1]}
              for row in document["depots"]]  # fmt: skip
    rows = [("add_depot", "depots", row) for row in depots]
    rows += [("add_vehicle", "vehicles", row) for row in document["vehicles"]]
    stops = [("add_customer", "customers", row) for row in document["customers"]]
    stops += [("add_shipment", "shipments", row) for row in document.get("shipments", [])]
    for stop in stops:
        rows.insert(draw.randint(0, len(rows)), stop)
    for call, kind, row in rows:
        if draw.random() < 0.4:
            yield call, kind, row | draw.choice(CHANGES[call])
        yield call, kind, row


def unnamed(row):
    """The same where no times are of single vehicles; no object stays as it is."""
    if not isinstance(row, dict):
        return row
    return {key: {} if "_by_vehicle" in key else unnamed(item) for key, item in row.items()}


def with_what_may_follow(document):
    """The same without what waits for later calls: rows of matrices, and vehicles by name."""
    found = unnamed(document)
    for kind in ("customers", "shipments"):
        found[kind] = [unnamed(row) for row in document.get(kind, [])]
    named = document.get("matrices") or {}
    found["vehicles"] = document["vehicles"] or [{"matrix": "truck"} if named else {}]
    nodes = len(found["depots"]) + len(found["customers"]) + 2 * len(found["shipments"])
    for owner in (found, *found.get("matrices", {}).values()):
        for key in ("distances", "durations", "costs"):
            if owner.get(key):
                owner[key] = [row[:nodes] for row in owner[key][:nodes]]
    return found


def code_of(document):
    """What the reader of JSON says of a document; None where it is an instance."""
    try:
        build_instance(with_what_may_follow(document), "i", "i")
    except InstanceError as error:
        return error.code
    return None


def test_the_calls_accept_what_the_reader_of_json_accepts():
    accepted = refusals = 0
    for seed in range(100):
        draw, document = random.Random(seed), detailed_document(seed, 1 + seed % 7)
        if "vehicles" not in document or "customers" not in document:
            continue
        if draw.random() < 0.3:
            document["backhauls"] = "last"
        model = ModelBuilder(**{key: document[key] for key in WHOLE if key in document})
        for call, kind, row in calls(draw, document):
            before = model.document()
            if kind == "vehicles" and not before["depots"]:
                continue
            try:
                getattr(model, call)(**row)
            except InstanceError as error:
                assert model.document() == before
                longer = before | {kind: [*before.get(kind, []), row]}
                if longer["depots"]:
                    assert code_of(longer) is not None, (seed, call, row, str(error))
                    refusals += 1
            else:
                now = model.document()
                if now["depots"]:
                    assert code_of(now) is None, (seed, call, row)
                    accepted += 1
    assert accepted > 400
    assert refusals > 100
