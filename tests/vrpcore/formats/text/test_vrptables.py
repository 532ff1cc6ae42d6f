import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.text.vrptables import read_depots, read_geometry, read_lists, read_table
from vrpcore.formats.text.vrptext import split_vrp


def table(text, size, columns="node value"):
    return read_table(split_vrp("PRIZE_SECTION\n" + text).section("PRIZE_SECTION"), size, columns)


def test_rows_in_the_order_of_the_nodes():
    found = table("2 5\n\n1 4\n", 2)
    assert (found.values.tolist(), list(found.lines)) == ([[4], [5]], [4, 2])
    assert found.place(0) == "line 4: PRIZE_SECTION"


def test_as_many_columns_as_the_first_row_has():
    assert table("1 4 5\n2 6 7\n", 2, "node value..").values.tolist() == [[4, 5], [6, 7]]
    with pytest.raises(InstanceError, match="line 3: PRIZE_SECTION: 2 columns, expected 3"):
        table("1 4 5\n2 6\n", 2, "node value..")
    with pytest.raises(InstanceError, match=r"line 2: .*1 columns, expected 2 .node value"):
        table("1\n", 1, "node value..")


def test_depots():
    assert read_depots(split_vrp("DEPOT_SECTION\n1\n2 -1\n"), 3, 2) == [1, 2]
    assert read_depots(split_vrp("DEPOT_SECTION\n2\nEOF\n"), 3) == [2]
    assert read_depots(split_vrp("NAME : x\nEOF\n"), 3) == [1]
    said = "DEPOT_SECTION: missing section .*; without it, end the file with EOF, and the depot is"
    with pytest.raises(InstanceError, match=said):
        read_depots(split_vrp("NAME : x\n"), 3)
    with pytest.raises(
        InstanceError, match=r"line 2: .*node id 4 is out of range, DIMENSION allows"
    ):
        read_depots(split_vrp("DEPOT_SECTION\n4\n-1\n"), 3)


def test_lists_of_nodes():
    section = split_vrp("VEHICLES_RELOAD_DEPOT_SECTION\n2 3 1\n1\n").sections.popitem()[1]
    assert read_lists(section, 2, "vehicle", 3) == [(3, []), (2, [3, 1])]
    with pytest.raises(InstanceError, match=r"line 2: .*node id 3 is out of range, DIMENSION"):
        read_lists(section, 2, "vehicle", 2)
    with pytest.raises(InstanceError, match="2 vehicles, VEHICLES says 3"):
        read_lists(section, 3, "vehicle", 3)


def test_a_matrix_with_coordinates():
    text = "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\n"
    text += "NODE_COORD_SECTION\n1 5 6\n2 7 8\nEDGE_WEIGHT_SECTION\n3\n"
    found = read_geometry(split_vrp(text), np.array([1, 0]))
    assert (found["metric"], found["coords"].tolist()) == ("euclidean", [[7, 8], [5, 6]])
    assert found["distances"].tolist() == [[0, 3], [3, 0]]
