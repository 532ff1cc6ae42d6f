import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.json_matrices import (
    Extent,
    check_lengths,
    first_extent,
    read_matrices,
    read_matrix,
    read_named,
)

TWO = [[0, 1], [2, 0]]
EXTENT = Extent(2, "nodes")


def document(**values):
    return read_as(InstanceDocument, values, "i")


def test_own_and_named_matrices():
    found = document(durations=TWO, matrices={"a": {"distances": TWO, "costs": TWO}})
    own = read_matrices(found, "i", EXTENT)
    assert (own.distances, own.costs) == (None, None)
    np.testing.assert_array_equal(own.durations, TWO)
    named = read_named(found, "i", EXTENT)["a"]
    assert named.durations is None
    np.testing.assert_array_equal(named.costs, TWO)
    assert first_extent(found, "i") == Extent(2, "as many as i.durations has rows")
    assert first_extent(document(matrices={}), "i") is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0.0, 1.0]], "m: 1 rows, expected a square matrix, 2 x 2 (nodes)"),
        ([[0.0], [1.0, 0.0]], "m[0]: 1 numbers, expected a square matrix, 2 x 2 (nodes)"),
        ([[0.0, 1.0], [-1.0, 0.0]], "m[1][0]: -1 is negative, expected at least 0"),
    ],
)
def test_matrices_are_square_and_not_negative(rows, said):
    with pytest.raises(InstanceError) as caught:
        read_matrix(rows, "m", 2, "nodes")
    assert str(caught.value) == said


def test_the_diagonal_is_never_travelled_and_null_is_no_road():
    assert read_matrix([[-0.0, None], [2.0, 7.0]], "m", 2, "nodes").tolist() == [
        [0, np.inf],
        [2, 0],
    ]
    lengths = np.array([[4.0, 1], [2, 4]])
    check_lengths(lengths, lambda row, column: f"{row}{column}")
    assert lengths.tolist() == [[0, 1], [2, 0]]


def test_names_have_lengths_and_the_first_matrix_has_rows():
    with pytest.raises(InstanceError, match=r"^i\.matrices\.'\\n': empty, expected distances or"):
        read_named(document(matrices={"\n": {"costs": TWO}}), "i", EXTENT)
    with pytest.raises(InstanceError, match=r"^i\.costs: no rows, expected one for each depot and"):
        first_extent(document(costs=[]), "i")


def test_rows_of_a_file_come_in_the_order_of_the_instance():
    extent = Extent(3, "why", [0, 2, 1])
    found = extent.read([[0, 1, 2], [3, 0, 5], [6, 7, 0]], "m")
    assert found.tolist() == [[0, 2, 1], [6, 0, 7], [3, 5, 0]]
