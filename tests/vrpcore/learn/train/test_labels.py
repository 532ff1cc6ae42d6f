import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.variants import labelled
from vrpcore.config.sections import TrainConfig
from vrpcore.cost.tour_routes import routes_to_tour, tour_to_routes
from vrpcore.learn.train.data import arrange
from vrpcore.learn.train.label_files import read_labels
from vrpcore.learn.train.labels import lots, shuffle_routes


@given(st.integers(0, 2**32 - 1))
def test_shuffling_keeps_the_routes(seed):
    rng = np.random.default_rng(seed)
    tours, all_routes = np.zeros((3, 16), np.int64), []
    for row in range(3):
        customers = list(rng.permutation(8) + 1)
        cuts = np.sort(rng.choice(np.arange(1, 8), rng.integers(0, 4), replace=False))
        routes = [part.tolist() for part in np.split(customers, cuts)]
        tours[row] = routes_to_tour(routes, 16)
        all_routes.append(routes)
    shuffled = shuffle_routes(tours, 5, rng)
    for row, writing in np.ndindex(3, 5):
        found = tour_to_routes(shuffled[row, writing])
        undirected = [{tuple(route), tuple(route[::-1])} for route in all_routes[row]]
        assert len(found) == len(undirected)
        assert all(sum(tuple(route) in both for both in undirected) == 1 for route in found)
        assert shuffled[row, writing, -1] == 0


def test_lots_are_those_of_the_instance_whatever_else_the_file_has(tmp_path):
    day = {"capacity": 9, "depot": [0, 0], "coords": [[3, 1], [5, 2], [4, 4]], "demands": [1, 2, 3]}
    turned = day | {"coords": day["coords"][::-1], "demands": day["demands"][::-1]}
    heavy = day | {"demands": [1, 2, 4]}
    moved = day | {"depot": [0, 1]}
    large = {"capacity": 9, "depot": [0, 0], "coords": [[1, 1]] * 9, "demands": [1] * 9}

    def drawn(*days):
        (tmp_path / "days.json").write_text(json.dumps(days))
        return lots(read_labels(str(tmp_path / "days.json"), needs_routes=False)).tolist()

    (lot,) = drawn(day)
    assert drawn(day, large)[0] == lot
    assert drawn(turned) == [lot]
    assert len({lot, *drawn(heavy), *drawn(moved), *drawn(large)}) == 4


def test_writings_differ():
    shuffled = shuffle_routes(np.array([[1, 2, 3, 0, 4, 5, 0]]), 64, np.random.default_rng(0))
    assert len({tuple(tour) for tour in shuffled[0].tolist()}) == 8  # 2 orders x 2 x 2 directions


def test_other_writings_of_variants_are_the_same_routes():
    labels = labelled()
    batch = arrange(labels, TrainConfig(orders=3), np.random.default_rng(0), symmetric_copies=True)
    lengths = batch.costs(batch.tours.numpy())
    assert np.allclose(lengths, labels.cost[:, None], rtol=1e-5)
    assert (batch.tours[:, 0] != batch.tours[:, 1]).any()
