"""A solution: the customers of each vehicle, and who is unserved. All else follows."""

import copy

UNSERVED_RANK = 2**46


class Solution:
    """Routes of R vehicles, some of them empty.

    Attributes:
        routes: R lists of customers.
        unserved: Customers in the order in which they found no place.
    """

    def __init__(self, problem, vehicles, routes=()):
        self.problem = problem
        self.routes = [list(route) for route in routes]
        self.routes += [[] for _ in range(vehicles - len(self.routes))]
        self.unserved = []

    def copy(self):
        twin = copy.copy(self)
        twin.routes = [list(route) for route in self.routes]
        twin.unserved = list(self.unserved)
        return twin

    def cost(self):
        return sum(self.problem.route_cost(route) for route in self.used())

    def rank(self):
        """Who is unserved counts before any cost."""
        return self.cost() + len(self.unserved) * UNSERVED_RANK

    def used(self):
        return [route for route in self.routes if route]

    def vehicle_of(self, customer):
        """None without one."""
        for vehicle, route in enumerate(self.routes):
            if customer in route:
                return vehicle
        return None

    def missing(self):
        """Customers on no route, by number."""
        return [
            customer for customer in self.problem.customers if self.vehicle_of(customer) is None
        ]

    def has_room(self, vehicle, customer):
        return self.problem.load([*self.routes[vehicle], customer]) <= self.problem.limit
