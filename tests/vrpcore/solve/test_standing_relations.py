import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import Plan, Reload, Route
from vrpcore.instance.relations import Relation
from vrpcore.instance.service_unit import units_of
from vrpcore.replan.going_on import AnswerTimes
from vrpcore.solve.standing_relations import StandingRelations, holds, inserted


def standing(routes, relations, customers=None, **vehicle):
    """Which relation stands in the way of the last unit."""
    instance = constrained(
        customers=customers or on_a_line(1, 2, 3, demand=[1, 1, 1]),
        vehicles=[{"id": "van", "count": 1, **vehicle}],
        relations=relations,
    )
    *_, unit = units_of(instance)
    return StandingRelations(instance, AnswerTimes(instance, Plan(routes)), routes).of(unit)


APART = {"kind": "apart", "stops": [1, 3]}
ORDER = {"kind": "order", "stops": [1, 3]}


def test_a_relation_that_stands_in_the_way_is_named():
    own = [Route(0, (1, 2))]
    assert standing(own, [APART]) == "relations[0] (apart)"
    assert standing(own, [{"kind": "order", "stops": [1, 2]}, APART]) == "relations[1] (apart)"
    assert standing(own, [ORDER]) is None  # it fits behind 1
    assert standing(own, []) is None
    # It does not fit whatever the relation says.
    assert standing(own, [APART], capacity=2) is None
    # There is another vehicle.
    assert standing(own, [APART], count=2) is None


def test_with_a_prize_it_must_be_worth_it():
    customers = on_a_line(1, 2, 9, demand=[1, 1, 1])
    for prize, expected in ((13, None), (15, "relations[0] (apart)")):
        customers[2]["prize"] = prize  # 14 further
        assert standing([Route(0, (1, 2))], [APART], customers) == expected


def test_all_insertions():
    assert [each.stops for each in inserted(Route(0, (1,)), (2,))] == [(2, 1), (1, 2)]
    pairs = [each.stops for each in inserted(Route(0, (1,)), (2, 3))]
    assert pairs == [(2, 3, 1), (2, 1, 3), (1, 2, 3)]
    found = list(inserted(Route(0, (1, 2), (Reload(4, 1),)), (3,)))
    assert [(each.stops, each.reloads[0].after) for each in found] == [
        ((3, 1, 2), 2), ((1, 3, 2), 1), ((1, 3, 2), 2), ((1, 2, 3), 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (Relation("together", (1, 3)), True),
        (Relation("together", (1, 4)), False),
        (Relation("together", (1, 9)), True),
        (Relation("together", (4,), vehicle=0), False),
        (Relation("together", (4,), vehicle=1), True),
        (Relation("apart", (1, 4)), True),
        (Relation("apart", (1, 2)), False),
        (Relation("order", (1, 3)), True),
        (Relation("order", (3, 1)), False),
        (Relation("chain", (1, 2, 9, 3)), True),
        (Relation("chain", (1, 3)), False),
        (Relation("chain", (1, 2), at="start"), True),
        (Relation("chain", (2, 3), at="start"), False),
        (Relation("chain", (2, 3), at="end"), True),
        (Relation("chain", (1, 2), at="end"), False),
        (Relation("chain", (9,), at="end"), True),
    ],
)
def test_whether_a_relation_holds(relation, expected):
    routes = [Route(0, (1, 2, 3)), Route(1, (4,))]
    visits = {1: (0, 0), 2: (0, 1), 3: (0, 2), 4: (1, 0)}
    assert holds(relation, routes, visits) == expected


def test_no_more_is_tried_than_a_moment_allows(monkeypatch):
    tried, load = [], AnswerTimes.load

    def counting(times, row, route):
        tried.append(len(route.stops))
        return load(times, row, route)

    monkeypatch.setattr(AnswerTimes, "load", counting)
    count = 400
    instance = constrained(
        customers=on_a_line(*range(1, count + 1), demand=[1] * count),
        vehicles=[{"id": "van", "count": 1, "capacity": 200}],
        relations=[{"kind": "apart", "stops": [1, 300]}],
    )
    routes = [Route(0, tuple(range(1, 201)))]
    found = StandingRelations(instance, AnswerTimes(instance, Plan(routes)), routes)
    assert [found.of(unit) for unit in units_of(instance)][200:] == [None] * 200
    assert tried[:201] == [201] * 201
    assert 50_000 < sum(tried) < 60_000


def test_trips_keep_shipments_together():
    shipment = {"id": "s", "amount": 1, "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    instance = constrained(
        customers=on_a_line(1, 2),
        shipments=[shipment],
        vehicles=[{"count": 1, "reloads": ["0"], "max_distance": 9}],
        relations=[{"kind": "apart", "stops": [1, "s:pickup"]}],
    )
    *_, unit = units_of(instance)
    routes = [Route(0, (1, 2), (Reload(0, 1),))]
    found = StandingRelations(instance, AnswerTimes(instance, Plan(routes)), routes).of(unit)
    assert found == "relations[0] (apart)"
