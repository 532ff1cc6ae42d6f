"""How customers are cut into pieces, and pieces made visits again."""

import dataclasses
import math

import numpy as np
import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.division import Division
from vrpcore.instance.plan import Goods, KnownDay, Plan, Reload, Route
from vrpcore.search.pieces import Pieces, is_plain

SHARES = (0.2, 0.1, 0.05, 0.01)


def line(*demands, capacity=10, **keys):
    """Customers on a line, all of whom may be split."""
    customers = on_a_line(*range(1, len(demands) + 1), demand=demands)
    return constrained(**{"capacity": capacity, "customers": customers, "split": True} | keys)


def cut(amount, shares, instance, **options):
    return Pieces(instance).cut(1, amount, shares, **options)


def test_pieces_are_shares_of_a_vehicle_in_steps():
    assert cut((7.0,), SHARES, line(7)) == [(2.0,)] * 3 + [(1.0,)]
    assert cut((7.0,), (1.0,), line(7)) == [(7.0,)]
    assert cut((25.0,), (1.0,), line(25)) == [(10.0,), (10.0,), (5.0,)]
    assert cut((8.0,), (0.5, 0.1), line(8, split_step=4)) == [(4.0,), (4.0,)]
    # No multiple of the step: any part will do.
    found = cut((2.5,), (0.2, 0.1), line(2.5))
    assert [round(each, 9) for (each,) in found] == [2.0, 0.5]
    assert math.fsum(each for (each,) in found) == 2.5


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_all_of_an_amount(seed, apart):
    rng = np.random.default_rng(seed)
    amount = [float(rng.integers(0, 30)), float(rng.integers(1, 40)) / 4]
    instance = line(amount, capacity=[10, float(rng.integers(2, 9))])
    shares = sorted(rng.random(3) + 0.01, reverse=True)
    found = cut(tuple(amount), shares, instance, apart=apart)
    assert np.allclose(np.sum(found, axis=0), amount)
    assert all(min(each) >= 0 and max(each) > 0 for each in found)
    assert all(each[0] == round(each[0]) for each in found)
    assert (max(np.array(found)[:, 0]) <= 10) and not (apart and any(all(each) for each in found))


def test_pieces_in_a_trip_become_one_visit():
    pieces = Pieces(line(7, 4, 6))
    division = Division((1, 2, 1, 3, 1, 3), [(2.0,), (4.0,), (2.0,), (4.0,), (3.0,), (2.0,)])
    plan = Plan([Route(0, (1, 2, 3), (Reload(0, 2),)), Route(0, (4, 6, 5))])
    found = pieces.merged(division, plan)
    assert [route.stops for route in found.routes] == [(1, 2, 1), (3, 1)]
    assert found.parts == (((2.0,), (4.0,), (2.0,)), ((6.0,), (3.0,)))
    assert found.routes[0].reloads == (Reload(0, 2),)


def test_of_two_places_the_cheaper_one_stays():
    pieces = Pieces(line(4, 4, 4))
    division = Division((1, 3, 1, 2), [(2.0,), (4.0,), (2.0,), (4.0,)])
    (route,) = pieces.merged(division, Plan([Route(0, (1, 2, 3, 4))])).routes
    assert route.stops == (1, 3, 2)


def test_stops_that_do_not_get_all_are_left_out():
    pieces = Pieces(line(7, 4))
    plan = Plan([Route(0, (1, 2)), Route(0, (1,))], parts=(((2.0,), (4.0,)), ((4.0,),)))
    assert pieces.complete(plan) == Plan([Route(0, (2,))], parts=(((4.0,),),))
    whole = plan._replace(parts=(((3.0,), (4.0,)), ((4.0,),)))
    assert pieces.complete(whole) is whole


def test_known_routes_get_the_parts_that_they_state_or_that_fit():
    pieces = Pieces(line(15, 4))
    routes = [Route(0, (1, 2)), Route(0, (2, 1))]
    found = pieces.with_parts(Plan(routes))
    assert [route.stops for route in found.routes] == [(1,), (2, 1)]
    assert found.parts == (((10.0,),), ((4.0,), (5.0,)))
    goods = (Goods(1, (6.0,)), Goods(2, (4.0,))), (Goods(2, (0.0,)), Goods(1, (9.0,)))
    stated = pieces.with_parts(Plan(routes, days=tuple(KnownDay(goods=own) for own in goods)))
    assert [route.stops for route in stated.routes] == [(1, 2), (1,)]
    assert stated.parts == (((6.0,), (4.0,)), ((9.0,),))
    # Who may not be split has all of it, where it comes first.
    customers = on_a_line(1, 2, demand=[15, 4], split=[True, False])
    mixed = Pieces(constrained(capacity=10, customers=customers)).with_parts(Plan(routes))
    assert mixed.parts == (((6.0,), (4.0,)), ((9.0,),))


def test_prizes_of_pieces():
    customers = on_a_line(1, 2, 3, 4, demand=[20, 20, 20, 5], prize=[0, 8, None, 8])
    pieces = Pieces(line(customers=customers))
    division = Division((1, 1, 2, 2, 3, 3, 4), [(15.0,), (5.0,)] * 3 + [(5.0,)])
    for must, prizes in ((False, [0, 0, 6, 2]), (True, [0, 0, math.inf, math.inf])):
        found = pieces.searched(division, must=must).own_constraints.prize
        assert found.tolist() == [*prizes, math.inf, math.inf, 8]


def test_service_of_pieces_is_a_setup_at_a_place_of_their_own():
    customers = on_a_line(1, 1, demand=[6, 3], service=[5, 4], prize=[12, 7], split=[True, True])
    pieces = Pieces(constrained(capacity=6, customers=customers))
    division = Division((1, 2, 1), [(4.0,), (3.0,), (2.0,)])
    found = pieces.searched(division, must=False)
    constraints = found.own_constraints
    assert constraints.service.tolist() == [0, 4, 0]
    assert constraints.setup.tolist() == [5, 0, 5]
    assert constraints.prize.tolist() == [8, 7, 4]
    places = found.place_numbers()
    assert places[1] == places[3] != places[2]
    must = pieces.searched(division, must=True).own_constraints
    assert must.prize.tolist() == [math.inf, 7, math.inf]


def test_services_by_vehicle_are_setups_too():
    customers = on_a_line(1, demand=[6], service_by_vehicle=[{"a": 3}], setup=[1], split=[True])
    vehicles = [{"id": "a", "capacity": 4}, {"id": "b", "capacity": 5}]
    pieces = Pieces(constrained(vehicles=vehicles, customers=customers))
    found = pieces.searched(Division((1, 1), [(4.0,), (2.0,)]), must=False).own_constraints
    assert found.setup_by_type.tolist() == [[4, 4], [1, 1]]
    assert found.service_by_type.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("plain", "keys"),
    [
        (True, {}),
        (True, {"max_vehicles": 3}),
        (True, {"metric": "euc_2d"}),
        (False, {"return_to_depot": False}),
        (False, {"depot": {"x": 0, "y": 0, "window": [0, 9]}}),
        (False, {"vehicles": [{"capacity": 10}, {"capacity": 9}], "capacity": None}),
        (True, {"vehicles": [{"capacity": 10}], "capacity": None}),
        (False, {"vehicles": [{"capacity": 10, "fixed_cost": 2}], "capacity": None}),
        (False, {"vehicles": [{}], "capacity": None}),
        (
            False,
            {"capacity": [10], "customers": on_a_line(1, demand=[[5]])} | {"balance": {"load": 1}},
        ),
    ],
)
def test_what_the_plain_search_can_do(plain, keys):
    assert is_plain(line(4, 3, **keys)) is plain


def test_stops_that_ask_for_more_are_not_plain():
    for key, value in {"window": [0, 5], "service": 1, "prize": 3, "pickup": 2}.items():
        customers = [{"x": 1, "y": 0, "demand": 3}, {"x": 2, "y": 0, key: value}]
        assert not is_plain(line(customers=customers))
    pickups = line(customers=on_a_line(1, 2, pickup=[3, 4]))
    assert is_plain(pickups)
    missing = dataclasses.replace(pickups, distances=np.full((3, 3), math.inf))
    assert not is_plain(missing)
