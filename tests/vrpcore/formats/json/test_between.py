import pytest

from tests.vrpcore.formats.json.cases import with_
from tests.vrpcore.formats.json.working_day import COMPACT, DAY, R0, SHORT, WRONG
from vrpcore.errors import InstanceError
from vrpcore.formats.json.between import check_contradictions
from vrpcore.formats.json.documents import CustomerRow, ShipmentRow, VisitRow
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.json.stop_rows import Stops
from vrpcore.instance.relations import Balance, Group, Relation
from vrpcore.instance.vehicle_types import VehicleType


def build(value):
    return build_instance(value, "i", "name")


def test_by_hand():
    """Stops are a, b, 3, d, the box that is on board, then the crate's two ends."""
    found = build(DAY).own_constraints
    assert build(DAY).ids[4:] == ("box:delivery", "crate:pickup", "crate:delivery")
    assert found.groups == (
        Group("group-0", (3, 6), prize=5, priority=2),
        Group("group-1", (4,)),
    )
    assert found.relations == (
        Relation("chain", (1, 5), vehicle=0, at="start"),
        Relation("order", (1, 7, 2)),
        Relation("together", (4,), vehicle=2),
        Relation("apart", (2, 4, 3)),
    )
    assert found.balance == Balance(duration=2, load=0.5)


@pytest.mark.parametrize(("base", "path", "changes", "code", "message"), WRONG)
def test_each_error_by_its_message(base, path, changes, code, message):
    with pytest.raises(InstanceError) as caught:
        build(with_(base, *path, **changes))
    assert str(caught.value).startswith(message)
    assert caught.value.code == code


def test_the_short_form_has_them_too():
    keys = {
        "groups": [{"members": ["a"]}],
        "relations": [{"kind": "chain", "stops": ["a"], "at": "end"}],
        "balance": {"load": 0},
    }
    found = build(SHORT | keys).own_constraints
    assert found.groups == (Group("group-0", (1,)),)
    assert found.relations == (Relation("chain", (1,), at="end"),)
    assert found.balance == Balance()
    late = build(with_(SHORT, "customers", 0, window=[0, 3], late_cost=2)).own_constraints
    assert (late.late_cost.tolist(), late.max_late.tolist()) == ([2], [float("inf")])


@pytest.mark.parametrize("key", ["groups", "relations", "balance"])
def test_each_makes_an_instance_more_than_plain(key):
    value = {"load": 1} if key == "balance" else []
    assert build(SHORT).constraints is None
    assert build(SHORT | {key: value}).constraints is not None
    assert build(SHORT | {key: None}).constraints is None
    assert build(COMPACT).constraints is None


def test_what_cannot_be_kept_is_not_invalid():
    relations = [
        {"kind": "apart", "stops": ["a", "b"]},
        {"kind": "together", "stops": ["a", "d"]},
        {"kind": "together", "stops": ["d", "b"]},  # not directly apart
        {"kind": "together", "stops": ["a"], "vehicle": "bike"},
        {"kind": "chain", "stops": ["a"], "vehicle": "car", "at": "start"},
        {"kind": "chain", "stops": ["b"], "vehicle": "car", "at": "start"},
        {"kind": "chain", "stops": ["d"], "at": "start"},
        {"kind": "chain", "stops": ["b"], "at": "start"},
        {"kind": "chain", "stops": ["b"], "vehicle": "van", "at": "end"},
        {"kind": "chain", "stops": ["d"], "vehicle": "van", "at": "start"},
    ]
    assert len(build(DAY | {"relations": relations}).own_constraints.relations) == 10


def test_relations_without_a_stop_say_nothing():
    assert len(build(with_(DAY, *R0, stops=[])).own_constraints.relations) == 3


def test_ids_are_texts():
    groups = [{"id": 7, "members": ["3"]}]
    assert build(DAY | {"groups": groups}).own_constraints.groups == (Group("7", (3,)),)


TYPES = [VehicleType(id="van", capacity=(1,), count=1), VehicleType(id="bike", capacity=(1,))]
STOPS = Stops(
    "i",
    [CustomerRow(id=f"c{number}") for number in range(1, 13)],
    [ShipmentRow(id="s", pickup=VisitRow(), delivery=VisitRow())],
)


def check(*relations):
    check_contradictions([(each, f"r{row}") for row, each in enumerate(relations)], STOPS, TYPES)


def refusal(*relations):
    with pytest.raises(InstanceError) as caught:
        check(*relations)
    return caught.value.code, str(caught.value)


def order(*stops):
    return Relation("order", stops)


def test_no_circle():
    check()
    check(order(1, 2, 3), order(1, 3), Relation("chain", (2, 3, 4)), order(13, 14))
    check(order(1, 2), Relation("together", (2, 1)), Relation("together", (1, 2)))
    check(*(order(first, first + 1) for first in range(11, 0, -1)))


def test_a_circle_is_named_at_its_last_relation():
    code, said = refusal(order(5, 6), order(3, 1), order(1, 2), Relation("chain", (2, 3)), order(7))
    assert (code, said) == (
        "CONFLICT",
        "r3: a circle: 'c1' before 'c2' before 'c3' before 'c1', with r1, r2; leave one out",
    )


def test_a_circle_through_a_shipment():
    assert refusal(order(14, 1), order(1, 13))[1].startswith(
        "r1: a circle: 'c1' before 's:pickup' before 's:delivery' before 'c1', with r0"
    )


def test_long_circles_are_cut():
    said = refusal(order(*range(1, 13)), order(12, 1))[1]
    assert "'c8' before ..., with r0" in said


def test_who_is_apart_and_in_one_route():
    apart = Relation("apart", (2, 5, 9))
    for kind in ("together", "order", "chain"):
        code, said = refusal(Relation(kind, (1, 9, 3, 5)), apart)
        assert code == "CONFLICT"
        assert said.startswith("r1: 'c5' and 'c9' apart, but r0 puts them into one route")
    check(Relation("together", (2, 1)), Relation("together", (1, 5)), apart)
    said = refusal(Relation("apart", (13, 1, 14)))[1]
    assert said.startswith("r0: 's:pickup' and 's:delivery' apart, but i.shipments[0] puts")


def test_two_chains_at_one_end_of_a_single_vehicle():
    start, end = (Relation("chain", (row,), 0, at) for row, at in ((1, "start"), (2, "end")))
    check(start, end, Relation("chain", (3,), 1, "start"), Relation("chain", (4,), 1, "start"))
    code, said = refusal(start, end, Relation("chain", (3,), 0, "start"))
    assert (code, said) == (
        "CONFLICT",
        "r2: a second chain at the start of 'van', of which there is one vehicle; the other is r0",
    )
