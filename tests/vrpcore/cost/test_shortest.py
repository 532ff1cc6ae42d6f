import numpy as np

from tests.build import constrained, on_a_line
from vrpcore.cost.shortest import obeys_triangle_inequality, shortest_from


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
