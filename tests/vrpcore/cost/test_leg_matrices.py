from tests.build import constrained, on_a_line
from vrpcore.cost.leg_matrices import costs_of, legs_of, matrices_of


def test_matrices_and_speeds():
    lengths, times = [[0, 2], [3, 0]], [[0, 8], [6, 0]]
    instance = constrained(
        distances=lengths,
        durations=times,
        customers=[{"demand": 0}],
        vehicles=[{"speed": 2}, {"matrix": "truck", "speed": 4}],
        matrices={"truck": {"distances": times, "durations": lengths}},
    )
    found = matrices_of(instance, instance.own_constraints.vehicles[0])
    assert (found.distances.tolist(), found.durations.tolist()) == (lengths, [[0, 4], [3, 0]])
    found = matrices_of(instance, instance.own_constraints.vehicles[1])
    assert (found.distances.tolist(), found.durations.tolist()) == (times, [[0, 0.5], [0.75, 0]])
    instance = constrained(customers=on_a_line(4), vehicles=[{}, {}], speed=1)
    found = matrices_of(instance, instance.own_constraints.vehicles[0])
    assert found.durations is found.distances
    half = constrained(customers=on_a_line(4), vehicles=[{}], speed=2)
    assert matrices_of(half, half.own_constraints.vehicles[0]).durations.tolist() == [
        [0, 2],
        [2, 0],
    ]


def test_a_matrix_of_durations_alone_leaves_lengths_to_the_coordinates():
    slow = {"durations": [[0, 8], [6, 0]]}
    instance = constrained(
        customers=on_a_line(4), vehicles=[{"matrix": "slow", "speed": 2}], matrices={"slow": slow}
    )
    found = matrices_of(instance, instance.own_constraints.vehicles[0])
    assert found.distances.tolist() == [[0, 4], [4, 0]]
    assert found.durations.tolist() == [[0, 4], [3, 0]]


def test_legs_of_a_path_and_given_costs():
    costs = [[0, 2, 9], [9, 0, 3], [4, 9, 0]]
    instance = constrained(customers=on_a_line(3, 7), vehicles=[{"speed": 2}], costs=costs)
    vehicle = instance.own_constraints.vehicles[0]
    found = legs_of(instance, vehicle, [0, 2, 1])
    assert (found.distances.tolist(), found.durations.tolist()) == ([7, 4], [3.5, 2])
    assert costs_of(instance, vehicle).tolist() == costs
    assert costs_of(instance, vehicle, ([0, 2], [2, 0])).tolist() == [9, 4]
    bare = constrained(customers=on_a_line(3), vehicles=[{}])
    assert costs_of(bare, bare.own_constraints.vehicles[0]) is None
