import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError
from vrpcore.formats.text.cvrplib import read_vrp

SMALL = """NAME : small
COMMENT : (Augerat et al, No of trucks: 2, Optimal value: 1)
TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 50 50
2 10 20.5
3 -9e1 40
DEMAND_SECTION
1 0
2 3
3 4
DEPOT_SECTION
1
-1
EOF
"""
EXPLICIT = """TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : {layout}
CAPACITY : 10
EDGE_WEIGHT_SECTION
{numbers}
DEMAND_SECTION
1 0
2 3
3 4
DEPOT_SECTION
1
-1
EOF
"""


def without(line):
    return SMALL.replace(line + "\n", "")


def test_hand_computed():
    found = read_vrp(SMALL, "fallback")
    assert (found.name, found.capacity, found.metric, found.ids) == ("small", 10, "euc_2d", (1, 2))
    assert found.coords.tolist() == [[50, 50], [10, 20.5], [-90, 40]]
    assert found.demand.tolist() == [0, 3, 4]
    assert (found.distances, found.max_vehicles) == (None, None)


@given(
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([" ", "\t", "  \t "]),
    st.sampled_from(["", "\n", " \n\t\n"]),
)
def test_layout_does_not_matter(end, space, blank):
    text = SMALL.replace(" ", space).replace("\n", space + "\n" + blank).replace("\n", end)
    found, plain = read_vrp(text, ""), read_vrp(SMALL, "")
    assert np.array_equal(found.coords, plain.coords)
    assert (found.name, found.ids, found.capacity) == (plain.name, plain.ids, plain.capacity)


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("EOF\n", ""),
        SMALL.replace("-1\n", ""),
        SMALL.replace("EUC_2D", "CEIL_2D"),
        SMALL.replace("TYPE : CVRP", "TYPE: CVRP\nNODE_COORD_TYPE: TWOD_COORDS"),
        SMALL.replace("DEPOT_SECTION", "DISPLAY_DATA_SECTION\n1 2 3\nDEPOT_SECTION"),
        SMALL.replace("2 10 20.5\n3 -9e1 40", "3 -9e1 40\n2 10 20.5"),
        SMALL.replace("20.5", "20.5 ALPHA").replace("40", "40\t7th Street 12"),
        SMALL.replace("EUC_2D", "EXACT_2D"),
        SMALL.replace("CAPACITY", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT : km\nCAPACITY"),
        without("NAME : small"),
    ],
)
def test_legal_variants(text):
    found = read_vrp(text, "fallback")
    assert found.coords[2].tolist() == [-90, 40]
    metric = "euclidean" if "EXACT" in text else "ceil_2d" if "CEIL" in text else "euc_2d"
    assert found.metric == metric
    assert found.constraints is None
    assert found.name == ("small" if "NAME" in text else "fallback")


def test_any_node_may_be_the_depot():
    text = SMALL.replace("1 0\n2 3\n", "1 3\n2 0\n").replace("SECTION\n1\n", "SECTION\n2\n")
    found = read_vrp(text, "")
    assert found.ids == (0, 2)
    assert found.coords[:, 0].tolist() == [10, 50, -90]
    assert found.demand.tolist() == [0, 3, 4]


def test_without_a_depot_section_node_1_is_the_depot():
    found = read_vrp(without("DEPOT_SECTION\n1\n-1"), "")
    assert (found.ids, found.constraints) == ((1, 2), None)
    assert found.coords[0].tolist() == [50, 50]


def test_lines_of_comments_do_not_count():
    found = read_vrp(SMALL.replace("2 3\n", "# the first customer\n2 3\n"), "")
    assert found.demand.tolist() == [0, 3, 4]


def test_vehicles_are_a_limit():
    assert read_vrp(SMALL.replace("TYPE : CVRP", "TYPE : CVRP\nVEHICLES : 2"), "").max_vehicles == 2


@pytest.mark.parametrize(
    ("layout", "numbers", "matrix"),
    [
        ("FULL_MATRIX", "0 1 2\n5 0 3\n2 9 0", [[0, 1, 2], [5, 0, 3], [2, 9, 0]]),
        ("FULL_MATRIX", "9 1 2 5 9 3\n2 9\n9", [[0, 1, 2], [5, 0, 3], [2, 9, 0]]),
        ("LOWER_ROW", "1\n2 3.5", [[0, 1, 2], [1, 0, 3.5], [2, 3.5, 0]]),
        ("UPPER_ROW", "1 2\n3.5", [[0, 1, 2], [1, 0, 3.5], [2, 3.5, 0]]),
        ("LOWER_DIAG_ROW", "0\n1 0\n2 3.5 0", [[0, 1, 2], [1, 0, 3.5], [2, 3.5, 0]]),
        ("UPPER_DIAG_ROW", "0 1 2\n0 3.5\n0", [[0, 1, 2], [1, 0, 3.5], [2, 3.5, 0]]),
    ],
)
def test_explicit_matrices(layout, numbers, matrix):
    found = read_vrp(EXPLICIT.format(layout=layout, numbers=numbers), "m")
    assert found.distances.tolist() == matrix
    assert found.coords is None


def test_an_explicit_matrix_follows_the_depot():
    text = EXPLICIT.format(layout="FULL_MATRIX", numbers="0 1 2\n5 0 3\n2 9 0")
    text = text.replace("1 0\n2 3\n3 4", "1 4\n2 3\n3 0").replace("SECTION\n1\n", "SECTION\n3\n")
    found = read_vrp(text, "m")
    assert found.distances.tolist() == [[0, 2, 9], [2, 0, 1], [3, 5, 0]]
    assert found.ids == (0, 1)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("layout", ["LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW"])
def test_triangles_of_any_size(size, layout):
    matrix = np.arange(size * size).reshape(size, size)
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    offset = 0 if "DIAG" in layout else 1
    picked = np.tril(np.ones_like(matrix), -offset).astype(bool)
    numbers = matrix[picked if "LOWER" in layout else picked.T]
    text = EXPLICIT.format(layout=layout, numbers=" ".join(map(str, numbers)))
    demands = "".join(f"{node} {int(node > 1)}\n" for node in range(1, size + 1))
    text = text.replace("DIMENSION : 3", f"DIMENSION : {size}").replace("1 0\n2 3\n3 4\n", demands)
    assert read_vrp(text, "m").distances.tolist() == matrix.tolist()


WRONG = {
    "no TYPE": (without("TYPE : CVRP"), "TYPE: missing"),
    "no DIMENSION": (without("DIMENSION : 3"), "DIMENSION: missing"),
    "no CAPACITY": (without("CAPACITY : 10"), "CAPACITY: missing"),
    "no metric": (without("EDGE_WEIGHT_TYPE : EUC_2D"), "EDGE_WEIGHT_TYPE: missing"),
    "time windows": (
        SMALL.replace("CVRP", "VRPTW"),
        "line 3: TYPE: 'VRPTW', but the file has no T",
    ),
    "both": (
        SMALL.replace("NODE_COORD", "EDGE_WEIGHT_SECTION\n0\nNODE_COORD"),
        "line 5: EDGE_WEIGHT_TYPE: 'EUC_2D', but there is an EDGE_WEIGHT_SECTION; write EXPLICIT",
    ),
    "GEO": (SMALL.replace("EUC_2D", "GEO"), "line 5: EDGE_WEIGHT_TYPE: 'GEO', expected one of"),
    "floor": (SMALL.replace("EUC", "FLOOR"), "CEIL_2D, EXACT_2D, EXPLICIT; give other lengths as"),
    "no limit": (SMALL.replace("DIM", "DISTANCE : 0\nDIM"), "line 4: DISTANCE: '0', expected more"),
    "words": (
        SMALL.replace(": 10", ": 10 units"),
        "line 6: CAPACITY: '10 units', expected a number; if only '10' is meant, put the rest on",
    ),
    "words of a type": (SMALL.replace("CVRP", "CVRP (1)"), "if only 'CVRP' is meant, put the rest"),
    "words of a size": (SMALL.replace("N : 3", "N : 3 nodes"), "if only '3' is meant, put the re"),
    "words of a section": (
        SMALL.replace("DEMAND_SECTION", "DEMAND_SECTION (kg)"),
        r"line 11: 'DEMAND_SECTION \(kg\)', expected 'KEYWORD : value' or a section's name",
    ),
    "two names": (
        SMALL.replace("20.5", "20.5 3 ALPHA"),
        "line 9: .*'ALPHA' is not a finite number",
    ),
    "name in between": (SMALL.replace("20.5", "ALPHA 20.5"), "line 9: .*'ALPHA' is not a finite"),
    "another problem": (SMALL.replace("CVRP", "TSP"), "line 3: TYPE: 'TSP', one tour through all"),
    "unknown": (SMALL.replace("DIM", "FOO : 9\nDIM"), "line 4: FOO: unknown keyword or section"),
    "no value": (SMALL.replace("CAPACITY : 10", "CAPACITY"), "line 6: CAPACITY: has no value"),
    "no colon": (SMALL.replace("CAPACITY : 10", "CAPACITY 10"), "line 6: 'CAPACITY 10', expected"),
    "twice": (SMALL.replace("DIM", "TYPE : CVRP\nDIM"), "line 4: TYPE: duplicate, also .* line 3"),
    "section twice": (SMALL.replace("EOF", "DEPOT_SECTION\n1\n-1\nEOF"), "DEPOT_SECTION: dupli"),
    "after EOF": (SMALL + "1 2\n", "line 19: '1 2' after EOF"),
    "capacity 0": (SMALL.replace(": 10", ": 0"), "line 6: CAPACITY: 0 is not a positive number"),
    "capacity text": (SMALL.replace(": 10", ": ten"), "line 6: CAPACITY: 'ten' is not a finite"),
    "capacity huge": (SMALL.replace(": 10", ": 1e400"), "'1e400' is not a finite number up to"),
    "dimension big": (SMALL.replace("N : 3", "N : 4"), "line 11: .*3 nodes, DIMENSION says 4"),
    "dimension small": (SMALL.replace("N : 3", "N : 2"), "line 14: .*id 3 is out of range"),
    "dimension 2e9": (SMALL.replace("N : 3", "N : 2000000000"), "DIMENSION: '2000000000', the"),
    "dimension 0": (SMALL.replace("N : 3", "N : 0"), "DIMENSION: '0', expected at least 1"),
    "dimension 3.0": (SMALL.replace("N : 3", "N : 3.0"), "DIMENSION: '3.0', expected a positive"),
    "dimension ٣": (SMALL.replace("N : 3", "N : ٣"), "expected a positive integer"),
    "nan": (SMALL.replace("20.5", "nan"), "line 9: NODE_COORD_SECTION: 'nan' is not a finite"),
    "underscore": (SMALL.replace("20.5", "2_0"), "'2_0' is not a finite number"),
    "huge": (
        SMALL.replace("20.5", "1e101"),
        r"line 9: .*'1e101' is not a finite number up to 1e\+100",
    ),
    "missing column": (SMALL.replace(" 20.5", ""), "line 9: .*2 columns, expected 3 .node x y"),
    "extra column": (SMALL.replace("20.5", "20.5 1"), "line 9: .*4 columns, expected 3"),
    "duplicate node": (SMALL.replace("3 -9", "2 -9"), "line 10: .*duplicate node id 2, .* line 9"),
    "node 1.5": (SMALL.replace("3 -9", "1.5 -9"), "node id 1.5 is out of range"),
    "demand missing": (without("3 4"), "line 11: DEMAND_SECTION: 2 nodes, DIMENSION says 3"),
    "demand negative": (SMALL.replace("3 4\nDE", "3 -4\nDE"), "line 14: .*demand: -4 is negative"),
    "demand too big": (SMALL.replace("3 4\nDE", "3 11\nDE"), "demand: 11 exceeds capacity 10"),
    "cut before the depot": (SMALL[: SMALL.index("DEPOT")], "DEPOT_SECTION: missing section"),
    "depot 99": (
        SMALL.replace("SECTION\n1\n-", "SECTION\n99\n-"),
        "line 16: .*id 99 is out of range",
    ),
    "depot text": (SMALL.replace("SECTION\n1\n-", "SECTION\nx1y!\n-"), "'x1y!' is not a finite"),
    "no depot": (SMALL.replace("SECTION\n1\n-1", "SECTION\n-1"), "0 depots, expected exactly one"),
    "two depots": (SMALL.replace("SECTION\n1\n-", "SECTION\n1 2\n-"), "2 depots, expected exact"),
    "depot demand": (SMALL.replace("\n1 0\n", "\n1 2\n"), "depot 1 has a demand of 2, expected 0"),
    "after -1": (SMALL.replace("-1\n", "-1\n2\n"), "numbers after the final -1"),
    "cut in the depot": (SMALL.replace("-1\nEOF\n", ""), "neither a final -1 nor EOF"),
    "only a header": (SMALL[: SMALL.index("NODE")], "DEMAND_SECTION: missing section"),
    "cut in the nodes": (
        SMALL[: SMALL.index("2 10")],
        "DEMAND_SECTION: missing section .is the fi",
    ),
    "prose": ("NAME : x\nhello world\n", "line 2: 'hello world', expected 'KEYWORD : value'"),
    "matrix format": (
        EXPLICIT.format(layout="UPPER_COL", numbers="1"),
        "'UPPER_COL', expected one",
    ),
    "matrix short": (EXPLICIT.format(layout="UPPER_ROW", numbers="1 2"), "2 numbers, .* ask for 3"),
    "matrix long": (EXPLICIT.format(layout="LOWER_ROW", numbers="1 2 3 4"), "4 numbers, .* for 3"),
    "negative": (EXPLICIT.format(layout="LOWER_ROW", numbers="1 2 -3"), "node 2 to node 3: -3 is"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_each_error_by_its_message(text, message):
    with pytest.raises(InstanceError, match=message) as caught:
        read_vrp(text, "x")
    assert str(caught.value).isprintable()
    assert caught.value.code.isupper()


def test_rows_are_counted_while_they_are_read():
    rows = ("0 " * 9999 + "0\n") * 101
    with pytest.raises(InstanceError, match="the limit is 100000 customers") as caught:
        read_vrp("NODE_COORD_SECTION\n" + rows, "x")
    assert caught.value.code == "TOO_LARGE"


def test_a_line_has_a_limit():
    with pytest.raises(InstanceError, match="line 2: a line of 20000000 characters"):
        read_vrp("NAME : x\n" + "1" * 20_000_000, "x")


@given(st.text(max_size=100), st.integers(0, len(SMALL)))
def test_junk_is_an_instance_error_or_legal(junk, position):
    try:
        read_vrp(SMALL[:position] + junk + SMALL[position:], "x")
    except InstanceError as error:
        assert str(error).isprintable()


def test_there_may_be_several_comments():
    text = SMALL.replace("COMMENT", "COMMENT : of two lines\nCOMMENT")
    assert read_vrp(text, "").num_customers == 2


def test_an_asymmetric_problem_is_plain():
    text = EXPLICIT.format(layout="FULL_MATRIX", numbers="0 1 2\n3 0 4\n5 6 0")
    found = read_vrp(text.replace("CVRP", "ACVRP"), "")
    assert found.constraints is None
    assert found.distances.tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def test_what_is_said_of_one_tour_can_be_read():
    text = "TYPE : {0}\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n{1}NODE_COORD_SECTION\n"
    text += "1 0 0\n2 3 4\n3 0 4\n{2}EOF\n"
    with pytest.raises(InstanceError, match="write TYPE : CVRP, CAPACITY : the number of nodes"):
        read_vrp(text.format("TSP", "", ""), "")
    demands = "DEMAND_SECTION\n1 0\n2 1\n3 1\n"
    assert read_vrp(text.format("CVRP", "CAPACITY : 3\n", demands), "").num_customers == 2
