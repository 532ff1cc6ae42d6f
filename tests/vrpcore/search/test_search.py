"""One search for every instance: the engine that it needs, and plans in and out."""

from tests.build import constrained, on_a_line
from tests.vrpcore.solve.doubles import problems
from vrpcore.instance.plan import Plan, Route
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.search import search_instance


def test_a_plain_instance_gets_the_plan_of_its_own_search():
    for instance in problems([5, 14, 30]):
        size = instance.num_customers
        alone = [[customer] for customer in range(1, size + 1)]
        found = search_instance(instance, [Plan.of(alone)], seed=3)
        assert found == Plan.of(improve_instance(instance, [alone], seed=3))


def test_without_effort_the_first_start_stays():
    (instance,) = problems([6])
    starts = [Plan.of([[1], [2], [3], [4], [5], [6]]), Plan.of([[1, 2], [3, 4], [5, 6]])]
    assert search_instance(instance, starts, Effort("none")) == starts[0]


def test_the_fewest_vehicles_come_first_where_they_are_asked_for():
    # Two customers on either side: one vehicle drives farther than two, and each costs nothing.
    instance = constrained(customers=on_a_line(1, -1), vehicles=[{"distance_cost": 1}])
    assert search_instance(instance, [], fewest_vehicles=True).num_vehicles == 1
    (plain,) = problems([4])
    roomy = Plan.of([[1], [2], [3], [4]])
    few = search_instance(plain, [roomy], fewest_vehicles=True)
    assert few.num_vehicles <= search_instance(plain, [roomy]).num_vehicles
    assert few.routes[0] == Route(0, few.routes[0].stops)
