"""Simulated annealing by ruin and recreate."""

import math

from tests.vrpcore.native.hgs.model.arithmetic import exp_of, log_of
from tests.vrpcore.native.hgs.model.randomness import Random
from tests.vrpcore.native.hgs.model.recreate import recreate
from tests.vrpcore.native.hgs.model.ruin import ruin
from tests.vrpcore.native.hgs.model.solution import Solution

STEP = 50
SCATTER_NOISE = 0.3


class Annealer:
    """Takes what `native.Annealer` takes, and no clock.

    Attributes:
        solution: The one that is being changed.
        best: The best one on its way.
    """

    def __init__(self, problem, vehicles):
        self.problem, self.vehicles = problem, vehicles

    def begin(self, routes, seed):
        self.random = Random(seed)
        kept = routes
        if len(routes) > self.vehicles:
            kept = sorted(routes, key=len, reverse=True)[: self.vehicles]
        self.complete(Solution(self.problem, self.vehicles, kept))
        return self.solution.cost()

    def complete(self, solution):
        """Goes on from a solution, in which who is missing is inserted first."""
        recreate(solution, self.random, solution.missing())
        self.solution = solution
        self.best = solution.copy()

    def anneal(self, iterations, temperature, seconds=math.inf):
        assert math.isinf(seconds)
        warmest, coolest = temperature
        for done in range(iterations):
            if done % STEP == 0:
                share = done / iterations
                warmth = warmest * exp_of(log_of(coolest / warmest) * share)
            self.iterate(warmth)
        return iterations

    def iterate(self, warmth):
        changed = self.solution.copy()
        removed = ruin(changed, self.random)
        recreate(changed, self.random, removed + changed.unserved)
        if self.accepts(changed, warmth):
            self.solution = changed
            if changed.rank() < self.best.rank():
                self.best = changed.copy()

    def accepts(self, changed, warmth):
        """Nobody unserved, then the cost; while somebody is, how the room is scattered."""
        old = self.solution
        if not old.unserved:
            difference = changed.cost() - old.cost()
            return not changed.unserved and difference < warmth * self.random.exponential()
        if len(changed.unserved) < len(old.unserved):
            return True
        most = scatter(old) * (1.0 + SCATTER_NOISE * self.random.exponential())
        return scatter(changed) <= most


def scatter(solution):
    """0 where one vehicle has all the room that is left."""
    problem = solution.problem
    rooms = [float(problem.limit - problem.load(route)) for route in solution.routes]
    return sum(rooms) ** 2 - sum(room * room for room in rooms)
