import pytest

from vrpcore.api import Model
from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import (
    BreakRow,
    CustomerRow,
    DepotRow,
    GroupRow,
    InstanceDocument,
    RelationRow,
    ShipmentRow,
    VehicleRow,
)
from vrpcore.formats.json.synonyms import answer_to, synonyms, value_advice
from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_documents import VroomOptions

KINDS = {
    "instance": InstanceDocument,
    "customer": CustomerRow,
    "vehicle": VehicleRow,
    "shipment": ShipmentRow,
    "depot": DepotRow,
    "break": BreakRow,
    "group": GroupRow,
    "relation": RelationRow,
    "options": VroomOptions,
}
LEVELS = {level: kind.__struct_encode_fields__ for level, kind in KINDS.items()}


@pytest.mark.parametrize(
    ("level", "word", "said"),
    [
        ("customer", "time_windows", "here it is called 'windows'"),
        ("customer", "tw_early", 'write "window": [earliest, latest]'),
        ("customer", "amount", "here it is called 'demand'"),
        ("customer", "quantity", "here it is called 'demand'"),
        ("customer", "load", "here it is called 'demand'"),
        ("shipment", "load", "here it is called 'amount'"),
        ("vehicle", "load", "here it is called 'capacity'"),
        ("customer", "penalty", "prize is what it costs to leave it out"),
        ("customer", "serviceTime", "here it is called 'service'"),
        ("customer", "lng", 'write x (longitude) and y (latitude), and "metric": "haversine"'),
        ("depot", "lat", 'write x (longitude) and y (latitude), and "metric": "haversine"'),
        ("vehicle", "lat", "start and end are ids of depots"),
        ("customer", "location", "a place has x and y"),
        ("vehicle", "shift_duration", "here it is called 'max_duration'"),
        ("vehicle", "max_tasks", "here it is called 'max_customers'"),
        ("vehicle", "start_location", "start is the id of a depot"),
        ("vehicle", "shift_start", 'a shift is "window": [earliest, latest]'),
        ("vehicle", "unit_distance_cost", "here it is called 'distance_cost'"),
        ("vehicle", "profile", "here it is called 'matrix'"),
        ("break", "time_windows", "here it is called 'windows'"),
        ("instance", "jobs", "here it is called 'customers'"),
        ("instance", "fleet", "here it is called 'vehicles'"),
        ("instance", "num_vehicles", "here it is called 'max_vehicles'"),
        ("instance", "duration_matrix", "here it is called 'durations'"),
        ("instance", "mutually_exclusive_group", "one of them is served"),
        ("customer", "group", "the instance lists alternatives: "),
        ("group", "clients", "here it is called 'members'"),
        ("relation", "ids", "here it is called 'stops'"),
        ("relation", "type", "here it is called 'kind'"),
        ("vehicle", "max_trips", "max_reloads is the number of trips less one"),
        ("vehicle", "reload_depots", '"reloads": ["hub"] lists the ids of depots'),
        ("instance", "reloads", "a vehicle type says where it may load again"),
        ("vehicle", "overtime", "max_overtime is how much longer than max_duration"),
        ("vehicle", "unit_overtime_cost", "here it is called 'overtime_cost'"),
        ("vehicle", "startLoadIntervals", "initial_load is on board from the start"),
        ("customer", "softEndTime", "late_cost is what a unit of time after the close"),
        ("customer", "costPerHourAfterSoftEndTime", "here it is called 'late_cost'"),
        ("customer", "softStartTime", "an early begin at a price is not supported"),
        ("customer", "required_vehicle", "lists the ids of the only types that may serve it"),
        ("shipment", "allowedVehicleIndices", '"vehicles": ["van-1"] lists the ids'),
        ("shipment", "costsPerVehicle", '"vehicle_cost": {"van-1": 5} is what it costs more'),
        ("shipment", "onBoard", "here it is called 'on_board'"),
        ("vehicle", "allowed_clients", 'a customer lists its own vehicles: "vehicles"'),
        ("instance", "same_vehicle", '"relations": [{"kind": "together"'),
        ("customer", "relations", "the instance says what holds between stops: "),
        ("customer", "service_at", "a relation pins stops to a vehicle"),
        ("instance", "globalSpanCost", '"balance": {"duration": 2} prices the largest value'),
        ("vehicle", "min_jobs", "a least work of a vehicle is not supported"),
        ("shipment", "max_ride_time", "here it is called 'max_ride'"),
        ("vehicle", "max_driving_before_break", "breaks on the road, or after so much driving"),
        ("vehicle", "lifo", '"loading": "lifo" of a vehicle type unloads first what'),
        ("shipment", "loadingPolicy", "loading is a key of a vehicle type"),
        ("vehicle", "fifo", "unloading in the order of loading (FIFO) is not supported"),
        ("instance", "traffic", "travel times do not depend on the time of day"),
    ],
)
def test_words_of_other_programs_have_an_answer(level, word, said):
    assert said in answer_to(word, LEVELS[level])


@pytest.mark.parametrize("word", ["", "colour", "demnad", "min_distanc"])
def test_other_words_have_none(word):
    assert all(answer_to(word, keys) is None for keys in LEVELS.values())


def test_every_row_is_reached_and_names_keys_that_there_are():
    known = {key for keys in LEVELS.values() for key in keys}
    for row in synonyms():
        assert not row.key or row.key in known
        assert row.key or row.says
        answers = [answer_to(word, keys) for word in row.words.split() for keys in LEVELS.values()]
        expected = row.says or f"here it is called '{row.key}'"
        assert expected in answers, row


def test_a_key_that_is_there_is_no_synonym_of_another_in_its_object():
    with pytest.raises(InstanceError, match="unknown key 'Window'; did you mean 'window'"):
        Model().add_depot(id=1, x=0, y=0, Window=[0, 1])


def test_a_plain_customer_with_latitude_is_told_of_haversine():
    stop = {"lat": 52.5, "lon": 13.4, "demand": 1}
    (item,) = read_instances({"capacity": 3, "depot": [13.4, 52.5], "customers": [stop]})
    assert item.error.startswith("instances[0].customers[0]: unknown key 'lat'; write x (long")
    assert '"metric": "haversine"' in item.error


def test_a_model_answers_alike():
    model = Model()
    model.add_depot(x=0, y=0)
    with pytest.raises(InstanceError, match="add_customer: unknown key 'penalty'; prize is what"):
        model.add_customer(x=1, y=2, penalty=3)
    with pytest.raises(InstanceError, match="add_vehicle: unknown key 'fifo'; unloading in the"):
        model.add_vehicle(fifo=True)
    with pytest.raises(
        InstanceError, match=r"Model\.relations: not an argument of a model; add it"
    ):
        Model(relations=[])


TIME = "; times are numbers of one unit, e.g. minutes or seconds after midnight"
NONE = "; leave it out, or in a list write null, where there is no limit"
UNIT = "; write only the number; its unit is that of all lengths, times or amounts"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("3", "; write it without quotes, with a decimal point"),
        ("1,5", "; write it without quotes, with a decimal point"),
        *((each, TIME) for each in ("08:00", "2026-11-28T08:00:00Z", "PT15M", "P1D", "600s")),
        *((each, UNIT) for each in ("15m", "30 km/h", "4.5 kg", "80%")),
        *((each, NONE) for each in (-1, -1.0, float("inf"), "inf")),
        *((each, "") for each in (True, None, -3, 0.5, "now", [], float("nan"))),
    ],
)
def test_values_of_other_conventions(value, said):
    assert value_advice(value) == said


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"demand": -3}, ".demand: -3 is negative, expected at least 0; what is collected is a pi"),
        ({"pickup": -3}, ".pickup: -3 is negative, expected at least 0"),
        ({"window": ["08:00", 9]}, f".window[0]: '08:00', expected a number{TIME}"),
        ({"service": -1}, f".service: -1 is negative, expected at least 0{NONE}"),
    ],
)
def test_errors_say_what_to_write_instead(keys, said):
    stop = {"id": 1, "x": 1, "y": 2, "demand": 3} | keys
    document = {"depot": [0, 0], "capacity": 9, "customers": [stop]}
    for more in ({}, {"speed": 2}):
        (found,) = read_instances(document | more)
        assert found.error.startswith(f"instances[0].customers[0]{said}")
