"""Plans mean the same stops where rows were added, deleted or moved, or are refused."""

import pytest

from tests.vrpcore.formats.sheets.days import read
from vrpcore.formats.sheets.sheet_routes import AnswerTable
from vrpcore.formats.sheets.workbook_answers import rows_of, write_workbook
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.solution import Unserved
from vrpcore.search import rich_library

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")

NAMED = (
    "name,lat,lon,demand\n",
    ["Ann,52.50,13.40,1\n", "Bob,52.51,13.40,1\n", "Cy,52.52,13.40,1\n"],
)
HOW = {"depot": (52.4, 13.4), "capacity": (9,), "speed": 30}
BY_ROWS = "; add an id to the stops and to the plan, or put the rows back: without ids or unique "
BY_ROWS += "names, a plan is matched by rows"


def planned(solver, head, rows, *, workbook=False):
    """The answer to stops, written and read again."""
    item = read(head + "".join(rows), **HOW)
    (answer,) = solver.solve([item])
    data = AnswerTable().text(item, answer).encode()
    if workbook:
        pytest.importorskip("xlsxwriter", reason="needs the extra sheets")
        pytest.importorskip("python_calamine", reason="needs the extra sheets")
        data = write_workbook([rows_of(item, answer)], None)
    (again,) = read_solutions(data)
    return again


def meant(plan, head, rows):
    """The first cells of the rows that a plan serves, by the stops of another day."""
    item = read(head + "".join(rows), **HOW)
    cells = dict(zip(item.ids, (row.cells[0] for row in item.origin.rows), strict=True))
    (route,) = with_own_ids(item, plan).routes
    return {cells.get(each, f"gone: {each}") for each in route.customers}


@pytest.mark.parametrize("workbook", [False, True])
def test_without_ids_names_say_which_stop_is_meant(solver, workbook):
    head, (ann, bob, cy) = NAMED
    plan = planned(solver, head, (ann, bob, cy), workbook=workbook)
    assert meant(plan, head, (ann, bob, cy)) == {"Ann", "Bob", "Cy"}
    assert meant(plan, head, (cy, "Dan,52.5,13.41,1\n", ann)) == {"Ann", "gone: Bob", "Cy"}
    moved = ann.replace("52.50", "52.55")
    assert meant(plan, head, (bob, cy, moved)) == {"Ann", "Bob", "Cy"}


@pytest.mark.parametrize("workbook", [False, True])
def test_without_names_rows_may_only_be_added_or_go_at_the_end(solver, workbook):
    head, rows = "lat,lon,demand,note\n", ["52.50,13.40,1,=a\n", "52.51,13.40,1,8:00\n"]
    plan = planned(solver, head, rows, workbook=workbook)
    assert meant(plan, head, [*rows, "52.6,13.4,1,\n"]) == {"52.50", "52.51"}
    assert meant(plan, head, [rows[0].replace(",1,=a", ",3,x"), rows[1]]) == {"52.50", "52.51"}
    assert meant(plan, head, rows[:1]) == {"52.50", "gone: 2"}


@pytest.mark.parametrize(
    ("head", "before", "now", "said"),
    [
        (*NAMED[:1], [*NAMED[1], "Ann,52.6,13.4,1\n"], [*NAMED[1][1:], "Ann,52.6,13.4,1\n"],
         "row 2 was 'Ann 52.50 13.40', now 'Bob 52.51 13.40'"),
        (*NAMED[:1], NAMED[1], [NAMED[1][0], NAMED[1][2], NAMED[1][2]],
         "row 3 was 'Bob 52.51 13.40', now 'Cy 52.52 13.40'"),
        ("lat,lon,demand\n", ["52.5,13.4,1\n", "52.51,13.4,1\n"],
         ["52.51,13.4,1\n", "52.5,13.4,1\n"],
         "row 2 was '52.5 13.4', now '52.51 13.4'"),
        ("name,lat,lon,demand,close\n", ["Ann,52.5,13.4,1,9:00\n", "Ann,52.5,13.4,2,9:30\n"],
         ["Ann,52.5,13.4,1,9:30\n", "Ann,52.5,13.4,1,9:00\n"],
         "row 2 was 'Ann 52.5 13.4 9:00', now 'Ann 52.5 13.4 9:30'"),
        (",lat,lon,demand\n", ["0,52.5,13.4,1\n", "1,52.5,13.4,2\n"], ["1,52.5,13.4,2\n"],
         "row 2 was '52.5 13.4 0', now '52.5 13.4 1'"),
    ],
)  # fmt: skip
def test_rows_that_moved_are_refused(solver, head, before, now, said):
    plan = planned(solver, head, before)
    item = read(head + "".join(now), **HOW)
    for options in ({}, {"keep_cost": 1.0}, {"freeze": 3.0}):
        (answer,) = solver.solve([item], warm_starts=[plan], **options)
        assert (answer.status, answer.code) == ("invalid", "FREEZE")
        assert answer.error == f"input: {said}{BY_ROWS}"


def test_ids_that_both_files_get_later_are_taken(solver):
    head, rows = NAMED
    plan = planned(solver, f"key,{head}", [f"k{n},{row}" for n, row in enumerate(rows)])
    assert set(plan.rows) == {"1", "2", "3"}
    turned = [f"k{n},{row.replace('n', 'm')}" for n, row in enumerate(rows)][::-1]
    assert meant(plan, f"key,{head}", turned) == {"gone: Ann", "k1", "k2"}
    with_ids = {each: {"id": cells["key"], **cells} for each, cells in plan.rows.items()}
    object.__setattr__(plan, "rows", with_ids)
    assert meant(plan, f"id,{head}", turned) == {"k0", "k1", "k2"}


def test_what_is_left_out_and_shipments_are_matched_as_well(solver):
    head = "name,type,shipment,lat,lon,demand,prize\n"
    rows = ["Far,,,59.5,13.4,1,0\n", "Ann,,,52.5,13.4,1,\n"]
    pair = ["Ann,pickup,s,52.5,13.4,1,\n", "Ann,delivery,s,52.51,13.4,1,\n"]
    plan = planned(solver, head, [*rows, *pair])
    item = read(head + "".join([*pair, *rows[::-1]]), **HOW)
    found = with_own_ids(item, plan)
    assert found.unserved == (Unserved(2, "PRIZE", found.unserved[0].detail),)
    assert set(found.routes[0].customers) == {1, "s:pickup", "s:delivery"}


def test_a_plan_that_is_no_spreadsheet_is_matched_by_numbers_with_a_note(solver):
    item = read(NAMED[0] + "".join(NAMED[1]), **HOW)
    (answer,) = solver.solve([item])
    notes = []
    solver.solve([item], warm_starts=[answer], report=lambda stage: notes.append(stage.note))
    said = "matched by row numbers, because the stops have no column id; make sure that no row has"
    assert any(said in note for note in notes), notes
