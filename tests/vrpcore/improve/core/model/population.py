"""The best different solutions found, and children of two of them."""

from tests.vrpcore.improve.core.model.solution import Solution


class Population:
    """Takes what `native.Population` takes.

    Attributes:
        members: Pairs of a rank and routes.
    """

    def __init__(self, problem, vehicles, capacity):
        self.problem, self.vehicles, self.capacity = problem, vehicles, capacity
        self.members = []

    def admit(self, annealer):
        rank, routes = annealer.best.rank(), annealer.best.used()
        ranks = [rank for rank, _ in self.members]
        if rank in ranks:
            return len(ranks)
        if len(ranks) < self.capacity:
            self.members.append((rank, routes))
        elif rank < max(ranks):
            self.members[ranks.index(max(ranks))] = (rank, routes)
        return len(self.members)

    def best(self):
        return min(self.members, key=lambda member: member[0])[1]

    def cross(self, child, mother, father):
        """The mother's routes with a region of them replaced by the father's."""
        solution = Solution(self.problem, self.vehicles, mother)
        dropped = drop_region(solution, len(mother), child.random)
        missing = set(solution.missing())
        shares = [1000 * len(missing.intersection(route)) // len(route) for route in father]
        ranked = sorted(range(len(father)), key=lambda index: -shares[index])
        free = [vehicle for vehicle, route in enumerate(solution.routes) if not route]
        for index, vehicle in list(zip(ranked, free, strict=False))[:dropped]:
            if shares[index] > 0:
                solution.routes[vehicle] = [node for node in father[index] if node in missing]
        child.complete(solution)

    def breed(self, child, children, temperature):
        count, iterations = children
        for _ in range(count):
            mother = child.random.below(len(self.members))
            father = child.random.below(len(self.members) - 1)
            if father >= mother:
                father += 1
            self.cross(child, self.members[mother][1], self.members[father][1])
            child.anneal(iterations, temperature)
            self.admit(child)
        return count


def drop_region(solution, num_routes, random):
    """Empties up to half of the routes, those around a random customer; returns how many."""
    wanted = 1 + random.below(max(1, num_routes // 2))
    wanted = max(1, min(num_routes - 1, wanted))
    seed = 1 + random.below(len(solution.problem.customers))
    dropped = 0
    for customer in [seed, *solution.problem.near[seed]]:
        vehicle = solution.vehicle_of(customer)
        if dropped < wanted and vehicle is not None:
            solution.routes[vehicle] = []
            dropped += 1
    return dropped
