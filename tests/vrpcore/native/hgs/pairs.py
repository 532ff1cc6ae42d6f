"""The search and its model side by side."""

import numpy as np

from tests.vrpcore.native.hgs.model.anneal import Annealer as ModelAnnealer
from tests.vrpcore.native.hgs.model.problem import Problem as ModelProblem
from vrpcore.cost.distance import distance_matrix
from vrpcore.search.hgs_library import Annealer, Problem, read_tour


class Pair:
    """One search made twice, compared after each call.

    Args:
        inside: The library with windows.
        instance: At least two customers.
        vehicles: Most routes.
    """

    def __init__(self, inside, instance, vehicles):
        self.inside = inside
        matrix = distance_matrix(instance)
        self.problems = (Problem(instance, matrix), ModelProblem(instance, matrix))
        self.annealers = (
            Annealer(self.problems[0], vehicles),
            ModelAnnealer(self.problems[1], vehicles),
        )

    @property
    def model(self):
        return self.annealers[1]

    def unit(self):
        """The mean length of an edge, as temperatures are given in it."""
        solution = self.model.solution
        edges = self.problems[1].num_nodes - 1 + len(solution.used())
        return max(1.0, solution.cost() / edges)

    def begin(self, routes, seed):
        costs = [annealer.begin(routes, seed) for annealer in self.annealers]
        assert costs[0] == costs[1]
        self.compare()

    def anneal(self, iterations, temperature):
        for annealer in self.annealers:
            assert annealer.anneal(iterations, temperature) == iterations
        self.compare()

    def compare(self):
        """Routes vehicle by vehicle, who is unserved, the best; and the books."""
        state, solution = self.inside.annealer(self.annealers[0]), self.model.solution
        routes = [
            row[1 : length + 1].tolist()
            for row, length in zip(state["route"], state["length"], strict=True)
        ]
        assert routes == solution.routes
        assert state["unserved"].tolist() == solution.unserved
        assert state["cost"] == solution.cost()
        assert state["best_rank"] == self.model.best.rank()
        assert read_tour(state["best_tour"]) == self.model.best.used()
        self.check_books(state, solution)

    def check_books(self, state, solution):
        """What the search keeps beside the routes is what follows from them."""
        problem, size = self.problems[1], len(solution.routes)
        where = np.full(problem.num_nodes, -1)
        for vehicle, route in enumerate(solution.routes):
            nodes, edges = state["route"][vehicle], state["edge"][vehicle]
            assert nodes[0] == nodes[len(route) + 1] == 0
            assert sum(edges[1 : len(route) + 2].tolist()) == problem.route_cost(route)
            for at, customer in enumerate(route, 1):
                where[customer] = vehicle
                assert edges[at] == problem.length[nodes[at - 1]][customer]
                assert state["place"][customer] == at
        assert state["where"][1:].tolist() == where[1:].tolist()
        assert state["load"].tolist() == [problem.load(route) for route in solution.routes]
        assert state["num_routes"] == len(solution.used()) <= size
