"""Which stop of a spreadsheet a row of an earlier answer means, also where stops have no ids."""

from collections import Counter
from collections.abc import Mapping, Sequence

from vrpcore.errors import describe, fault
from vrpcore.formats.sheets.clock import read_clock, read_dated
from vrpcore.formats.sheets.sheet import Sheet
from vrpcore.formats.sheets.sheet_routes import safe_cell
from vrpcore.instance.instance import CustomerId, Instance

ROWS_MOVED = "ROWS_MOVED"
PlanRow = Mapping[str, str]  # cells of the stops by their heading
_PLACE = ("lat", "lon", "x", "y")


def stops_of_rows(
    instance: Instance, sheet: Sheet, plan: Mapping[str, PlanRow]
) -> dict[str, CustomerId]:
    """The ids of the customers that an answer names, by what it calls them.

    Rows with an id mean the stop that has it. Others are matched by their names, where all of the
    answer and of the stops have different ones; else by their numbers, if no row has moved.

    Args:
        instance: The problem.
        sheet: The spreadsheet that it comes from.
        plan: Of each customer in the answer, by what it calls it, its row.

    Returns:
        What is no stop any more has a text that is no id.

    Raises:
        InstanceError: A row has moved (code ROWS_MOVED).
    """
    headings = {field: sheet.table.header[column] for field, column in sheet.columns.items()}
    ids = {form: own for own in instance.ids for form in (str(own), safe_cell(str(own)))}

    def said(row: PlanRow, field: str) -> str:
        return row.get(headings[field], "") if field in headings else ""

    found: dict[str, CustomerId] = {}
    unmarked: dict[str, PlanRow] = {}
    for called, row in plan.items():
        if own := said(row, "id"):
            found[called] = ids.get(own, own)
        else:
            unmarked[called] = row
    shipments = 0 if instance.constraints is None else 2 * instance.constraints.num_shipments
    rows = [  # of customers, which come before the stops of shipments
        dict(zip(sheet.table.header, row.cells, strict=True))
        for row in sheet.rows[: len(sheet.rows) - shipments]
    ]
    before = {called: safe_cell(said(row, "name")) for called, row in unmarked.items()}
    now = {safe_cell(said(row, "name")): own for row, own in zip(rows, instance.ids, strict=False)}
    names = {*before.values()}
    if "" not in {*names, *now} and len(names) == len(before) and len(now) == len(rows):
        return found | {called: now.get(name, name) for called, name in before.items()}
    shown = [headings[field] for field in ("name", *_PLACE) if field in headings]
    _check_rows(sheet, rows, unmarked, shown)
    numbers = {str(number): own for number, own in enumerate(instance.ids[: len(rows)], start=1)}
    return found | {called: numbers.get(called, called) for called in unmarked}


def _check_rows(
    sheet: Sheet, rows: Sequence[PlanRow], plan: Mapping[str, PlanRow], shown: Sequence[str]
) -> None:
    """Checks that each row of a plan still is what it was.

    Rows with the same name and place differ by any of their other cells.
    """

    def told(cells: PlanRow) -> str:
        return " ".join(filter(None, (cells.get(each, "") for each in shown)))

    alike = Counter(map(told, rows)), Counter(map(told, plan.values()))
    for number, row in enumerate(rows, start=1):
        before = plan.get(str(number))
        if before is None:
            continue
        others = []
        if alike[0][told(row)] > 1 or alike[1][told(before)] > 1:
            others = [each for each in row if each in before and each not in shown]
        for each in (*shown, *others):
            if _is_same(before.get(each, ""), row[each]):
                continue
            more = [each] if each in others else []
            was, is_now = (
                describe(" ".join([told(cells), *(cells[each] for each in more)]).strip())
                for cells in (before, row)
            )
            message = f"row {sheet.rows[number - 1].number} was {was}, now {is_now}; add an id"
            message += " to the stops and to the plan, or put the rows back: without ids or "
            message += "unique names, a plan is matched by rows"
            raise fault(sheet.table.label, message, ROWS_MOVED)


def _is_same(one: str, other: str) -> bool:
    """Whether two cells say the same: numbers and times as a workbook or a CSV file has them."""
    return one in (other, safe_cell(other)) or _value(one) == _value(other)


def _value(text: str) -> object:
    if time := read_clock(text):
        return time.minutes
    try:
        return read_dated(text) or float(text.replace(",", "."))
    except ValueError:
        return text
