"""Workbooks as bodies."""

from io import BytesIO

import xlsxwriter


def workbook(*sheets: list[list[object]]) -> bytes:
    """The bytes of a workbook."""
    data = BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        for rows in sheets:
            sheet = made.add_worksheet()
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return data.getvalue()
