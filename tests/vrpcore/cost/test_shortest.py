import numpy as np

from tests.build import constrained, on_a_line
from vrpcore.cost.leg_matrices import matrices_of
from vrpcore.cost.shortest import (
    at_best,
    obeys_triangle_inequality,
    shortest_from,
    with_shortest_paths,
)


def test_shortest_ways_by_hand_and_by_all_pairs():
    lengths = np.array([[0.0, 1, 9, 5], [1, 0, 1, 9], [9, 1, 0, 1], [2, 9, 9, 0]])
    assert shortest_from(lengths, 0).tolist() == [0, 1, 2, 3]
    assert shortest_from(lengths, 2).tolist() == [2, 1, 0, 1]
    draw = np.random.default_rng(0)
    for size in (1, 2, 9, 30):
        lengths = draw.integers(0, 50, (size, size)).astype(float)
        np.fill_diagonal(lengths, 0.0)
        best = lengths.copy()
        for middle in range(size):  # Floyd 1962
            best = np.minimum(best, best[:, middle, None] + best[None, middle])
        found = [shortest_from(lengths, node).tolist() for node in range(size)]
        assert found == best.tolist()


def test_who_obeys_the_triangle_inequality():
    customers = on_a_line(1, 2)
    assert obeys_triangle_inequality(constrained(customers=customers, vehicles=[{}]))
    assert obeys_triangle_inequality(
        constrained(customers=customers, vehicles=[{}], metric="haversine")
    )
    for keys in (
        {"metric": "euc_2d"},
        {"distances": [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "depots": [{"x": 0, "y": 0}]},
        {"durations": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
    ):
        made = constrained(customers=customers, vehicles=[{}], **keys)
        assert not obeys_triangle_inequality(made)


def test_a_part_has_the_shortest_ways_of_the_whole():
    lengths = [[0, 1, 9, 9], [1, 0, 1, 9], [9, 1, 0, 1], [9, 9, 1, 0]]
    times = [[0, 3, 9, 9], [3, 0, 3, 9], [9, 3, 0, 3], [9, 9, 3, 0]]
    whole = constrained(
        distances=lengths,
        durations=times,
        customers=[{"id": name} for name in "abc"],
        vehicles=[{}, {"matrix": "own"}],
        matrices={"own": {"distances": times, "durations": lengths}},
    )
    part = with_shortest_paths(whole, [3])
    assert part.ids == ("c",)
    own, other = (matrices_of(part, vehicle) for vehicle in part.own_constraints.vehicles)
    assert own.distances.tolist() == other.durations.tolist() == [[0, 3], [3, 0]]
    assert own.durations.tolist() == other.distances.tolist() == [[0, 9], [9, 0]]


def test_a_named_matrix_of_durations_alone_leaves_lengths_to_the_instance():
    slow = {"slow": {"durations": [[0, 9, 1], [9, 0, 9], [9, 1, 0]]}}
    vehicles, customers = [{"matrix": "slow"}], [{"x": 3, "y": 4}, {"x": 9, "y": 9}]
    instance = constrained(vehicles=vehicles, customers=customers, matrices=slow)
    part = with_shortest_paths(instance, [1])
    found = matrices_of(part, part.own_constraints.vehicles[0])
    assert found.distances.tolist() == [[0, 5], [5, 0]]
    assert found.durations.tolist() == [[0, 2], [9, 0]]


def test_the_best_trip_has_neither_breaks_nor_setups_nor_releases():
    customers = on_a_line(1, 2, setup=[1, 0], release=[5, 6])
    van = {"breaks": [{"duration": 3}], "initial_load": 2, "start": None, "latest_start": 4}
    found = at_best(constrained(customers=customers, vehicles=[van]), [1]).own_constraints
    vehicle = found.vehicles[0]
    assert (vehicle.breaks, vehicle.latest_start, vehicle.initial_load) == ((), np.inf, (2.0,))
    assert not found.has_setups
    assert found.release.tolist() == [5, 6]
    found = at_best(constrained(customers=customers, vehicles=[van | {"reloads": ["0"]}]), [1])
    assert found.own_constraints.vehicles[0].initial_load is None
    assert np.isneginf(found.own_constraints.release).all()
    plain = constrained(customers=on_a_line(1), vehicles=[{}])
    assert at_best(plain, [1]) is plain


def test_in_the_best_trip_what_is_on_board_for_others_is_delivered():
    van = {"id": "van", "count": 1}
    given = [
        {"id": name, "amount": 2, "on_board": "van", "delivery": {"x": 3, "y": 0}} for name in "st"
    ]
    instance = constrained(customers=on_a_line(1), vehicles=[van], shipments=given)
    for stops, board in (([1], 0), ([2], 2)):
        best = at_best(instance, stops)
        assert best.own_constraints.board(0).tolist() == [board]
        assert best.take(stops).own_constraints.board(0).tolist() == [board]
