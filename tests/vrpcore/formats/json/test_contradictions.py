import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.contradictions import check_relations
from vrpcore.formats.json.documents import CustomerRow, VisitRow
from vrpcore.formats.json.stop_rows import Stops
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.relations import Relation
from vrpcore.instance.vehicle_types import VehicleType

TYPES = [VehicleType(id="van", capacity=(1,), count=1), VehicleType(id="bike", capacity=(1,))]
STOPS = Stops("i", ids=(*(f"c{number}" for number in range(1, 13)), "s:pickup", "s:delivery"))
for number, end in enumerate((*[""] * 12, PICKUP, DELIVERY)):
    STOPS.add(VisitRow(), CustomerRow(), end, 0 if end else number)


def check(*relations):
    check_relations([(each, f"r{row}") for row, each in enumerate(relations)], STOPS, TYPES)


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
