"""split.hpp, linked_routes.hpp, moves.hpp and exchanges.hpp: each step against trying all."""

import itertools
import math

import pytest

from tests.vrpcore.native.hgs.trials import Trial, placed

PAIR, START, EXCHANGE, PUT = range(4)
RATES = (0.0, 3.7, 900.0)


CASES = {"params": list(itertools.product(range(4), [False, True], RATES)), "ids": str}


@pytest.fixture(**CASES)
def case(windows, request):
    return Trial(windows, *request.param)


@pytest.fixture(**CASES)
def shortest(windows, request):
    return Trial(windows, *request.param, shortest=True)


def replaced(route, pieces):
    """A route with pieces, tuples of neighbours in it, replaced by others."""
    text, place = [], 0
    while place < len(route):
        for old, new in pieces:
            if tuple(route[place : place + len(old)]) == old:
                text += new
                place += len(old)
                break
        else:
            text.append(route[place])
            place += 1
    return text


def moved(mine, other, what, behind, turned=False):
    """A piece goes behind a customer, or to the beginning of the other route."""
    left = [c for c in mine if c not in what]
    into = left if other is mine else list(other)
    place = into.index(behind) + 1 if behind else 0
    into = into[:place] + list(what[::-1] if turned else what) + into[place:]
    return [into] if other is mine else [left, into]


def neighbours(mine, other, u, v):
    """What one move of u makes of both routes; v is a customer of the other, 0 its start."""
    same, at = mine is other, mine.index(u)
    there = other.index(v) if v else -1
    pair = tuple(mine[at : at + 2])
    y = other[there + 1] if there + 1 < len(other) else 0
    if y != u:
        yield moved(mine, other, (u,), v)
        if len(pair) == 2 and v != pair[1]:
            yield moved(mine, other, pair, v)
            yield moved(mine, other, pair, v, turned=True)
    pieces = [((u,), (v,)), (pair, (v,)), (pair, (v, y))] if v else []
    for one, two in pieces[: 1 if len(pair) == 1 else 3]:
        touch = same and at - len(two) <= there <= at + len(one)
        if 0 not in two and not touch:
            swap = [(one, two), (two, one)]
            yield [replaced(route, swap) for route in ([mine] if same else [mine, other])]
    if same and v:
        low, high = sorted((at, there))
        yield [mine[: low + 1] + mine[low + 1 : high + 1][::-1] + mine[high + 1 :]]
    if not same:
        yield [mine[: at + 1] + other[there + 1 :], other[: there + 1] + mine[at + 1 :]]
        yield [
            mine[: at + 1] + other[: there + 1][::-1],
            mine[at + 1 :][::-1] + other[there + 1 :],
        ]


def test_every_move_of_a_pair_is_the_best(case):
    for mine, other in itertools.product(case.routes, repeat=2):
        for u, v in itertools.product(mine, other):
            if u != v:
                rest = case.others(mine, other)
                prices = [case.price(rest + new) for new in neighbours(mine, other, u, v)]
                expected = min(case.price(case.routes), *prices)
                assert case.price(case.step(PAIR, u, v)) == expected, (mine, other, u, v)


def test_every_move_to_a_beginning_is_the_best(case):
    lanes = [*case.routes, []]
    for mine, (lane, other) in itertools.product(case.routes, enumerate(lanes)):
        for u in mine:
            rest = case.others(mine, other)
            prices = [case.price(rest + new) for new in neighbours(mine, other, u, 0)]
            expected = min([case.price(case.routes), *prices])
            assert case.price(case.step(START, u, lane)) == expected, (mine, other, u)


def test_every_exchange_is_the_best_where_no_way_round_is_shorter(shortest):
    """Elsewhere some that gain are passed over: that a place costs less than nothing."""
    case = shortest
    for first, second in itertools.permutations(range(3), 2):
        one, two = case.routes[first], case.routes[second]
        rest = case.others(one, two)
        prices = [case.price(case.routes)]
        for u, v in itertools.product([None, *one], [None, *two]):
            left = [c for c in one if c != u]
            right = [c for c in two if c != v]
            lefts = placed(left, v) if v else [left]
            rights = placed(right, u) if u else [right]
            prices += [case.price([*rest, *both]) for both in itertools.product(lefts, rights)]
        assert case.price(case.step(EXCHANGE, first, second)) == min(prices)


def test_who_was_taken_out_goes_where_it_costs_least(case):
    for lane, taken in enumerate(case.routes):
        routes = case.others(taken)
        for customer in taken:
            ways = [[*routes, [customer]]]
            for index, route in enumerate(routes):
                for changed in placed(route, customer):
                    ways.append([*routes[:index], changed, *routes[index + 1 :]])
            routes = min(ways, key=case.price)
        assert case.price(case.step(PUT, lane, 0)) == case.price(routes)


def cheapest_cuts(case, rate, most):
    """By number of routes; the load of several customers is at most `most`."""
    size = len(case.order)
    best = [[math.inf] * (size + 1) for _ in range(size + 1)]
    best[0][0] = 0
    for count, last in itertools.product(range(1, size + 1), repeat=2):
        for first in range(last):
            route = case.order[first:last]
            if len(route) == 1 or sum(case.demand[c] for c in route) <= most:
                price = best[count - 1][first] + case.price([route], rate)
                best[count][last] = min(best[count][last], price)
    return [row[size] for row in best]


def test_a_split_is_the_best_one(case):
    found = case.windows.split(case.problem, 9, case.rate, case.order)
    assert list(itertools.chain(*found[::-1])) == case.order  # the last one comes first
    assert case.price(found) == min(cheapest_cuts(case, case.rate, 1.5 * case.limit))


def test_a_split_for_few_vehicles_is_the_best_of_as_many_routes(case):
    for vehicles in (1, 2, 3):
        found = case.windows.split(case.problem, vehicles, case.rate, case.order)
        assert list(itertools.chain(*found[::-1])) == case.order  # the last one comes first
        assert len(found) <= vehicles
        limited = cheapest_cuts(case, case.rate, 1.5 * case.limit)[len(found)]
        free = cheapest_cuts(case, 0.0, math.inf)[len(found)]
        assert case.price(found) == limited or case.price(found, 0.0) == free
