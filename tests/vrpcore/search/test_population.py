"""Children whose parents do not depend on how fast threads are."""

import threading
import time

import numpy as np

from vrpcore.search.population import MOST_PLANS, Population
from vrpcore.search.rich_library import PackedPlan


def plan(cost):
    return PackedPlan(0, float(cost), np.array([int(cost)], np.int32), 1)


def made(width, threads, slow, number=60):
    """All pairs of parents by number, and the best plan, of children made by several threads."""
    population, pairs = Population([plan(900), plan(901), plan(902)], width, number, 3), {}

    def work(own):
        while (child := population.next()) is not None:
            pairs[child.number] = child.first.cost, child.second.cost
            if slow(own, child.number):
                time.sleep(0.002)
            population.born(child.number, plan(1000 - 7 * child.number % 400))

    others = [threading.Thread(target=work, args=(own,)) for own in range(1, threads)]
    for other in others:
        other.start()
    work(0)
    for other in others:
        other.join()
    return [pairs[index] for index in range(number)], population.best().cost


def test_parents_do_not_depend_on_threads():
    expected = made(4, 1, lambda own, number: False)
    assert len(set(expected[0])) > 20
    for slow in (
        lambda own, number: own == 0,
        lambda own, number: own > 0,
        lambda own, number: number % 3 == 0,
    ):
        for threads in (2, 3, 7):
            assert made(4, threads, slow) == expected


def test_parents_are_different_and_the_last_children_are_not_among_them():
    born = {number: 1000.0 - 7 * number % 400 for number in range(60)}
    for width in (1, 4):
        pairs, _ = made(width, 1, lambda own, number: False)
        for number, (first, second) in enumerate(pairs):
            assert first != second
            known = {900.0, 901.0, 902.0, *(born[n] for n in range(number - width + 1))}
            best = sorted(known)[:MOST_PLANS]
            assert first in best
            assert second in best


def test_the_best_of_parents_and_children_is_kept():
    population = Population([plan(5), plan(6)], 2, 3, 0)
    for cost in (7, 3, 9):
        population.born(population.next().number, plan(cost))
    assert population.next() is None
    assert population.best().cost == 3


def test_after_a_stop_no_child_is_begun():
    population = Population([plan(5), plan(6)], 2, 100, 0)
    first = population.next()
    population.stop()
    assert population.next() is None
    assert population.best().cost == 5  # waits for nobody
    population.born(first.number, plan(1))
    assert population.best().cost == 1
