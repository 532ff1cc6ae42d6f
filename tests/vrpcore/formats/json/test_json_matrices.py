import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.json_matrices import Extent, first_extent, read_matrices, read_named
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.json.keys import INSTANCE

TWO = [[0, 1], [2, 0]]
THREE = [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
EXTENT = Extent(2, "nodes")


def fields(**values):
    return Fields(values, "i", INSTANCE)


def test_own_and_named_matrices():
    found = fields(durations=TWO, matrices={"a": {"distances": TWO, "costs": TWO}})
    own = read_matrices(found, "i", EXTENT)
    assert (own.distances, own.costs) == (None, None)
    np.testing.assert_array_equal(own.durations, TWO)
    named = read_named(found, "i", EXTENT)["a"]
    assert named.durations is None
    np.testing.assert_array_equal(named.costs, TWO)
    assert first_extent(found, "i") == Extent(2, "as many as i.durations has rows")
    assert first_extent(fields(matrices={}), "i") is None


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"matrices": [TWO]}, "i.matrices: a list of 1, expected an object"),
        ({"matrices": {"a": {}}}, "i.matrices.a: empty, expected distances or durations"),
        ({"matrices": {"a": {"costs": TWO}}}, "i.matrices.a: empty, expected distances or"),
        (
            {"matrices": {"a": {"times": TWO}}},
            "i.matrices.a: unknown key 'times'; here it is called 'durations'",
        ),
        ({"matrices": {"a": {"distances": THREE}}}, "i.matrices.a.distances: 3 rows, expected"),
        ({"matrices": {"\n": {"distances": THREE}}}, r"i.matrices.'\n'.distances: 3 rows"),
    ],
)
def test_named_matrices_are_checked(values, said):
    with pytest.raises(InstanceError) as caught:
        read_named(fields(**values), "i", EXTENT)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"distances": "abc"}, "i.distances: 'abc', expected a list of lists of numbers"),
        ({"costs": []}, "i.costs: no rows, expected one for each depot and stop"),
        ({"matrices": {"a": {"durations": 3}}}, "i.matrices.a.durations: 3, expected a list"),
    ],
)
def test_the_first_matrix_must_have_rows(values, said):
    with pytest.raises(InstanceError) as caught:
        first_extent(fields(**values), "i")
    assert str(caught.value).startswith(said)


def test_rows_of_a_file_come_in_the_order_of_the_instance():
    extent = Extent(3, "why", [0, 2, 1])
    found = extent.read([[0, 1, 2], [3, 0, 5], [6, 7, 0]], "m")
    assert found.tolist() == [[0, 2, 1], [6, 0, 7], [3, 5, 0]]
