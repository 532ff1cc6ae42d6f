"""Spreadsheets as such: columns, templates, workbooks; most of it is offered from `sheets`."""

from collections.abc import Sequence

from vrpcore.formats.files import Source, open_reader, source_label
from vrpcore.formats.sheets.opened import table_kinds as table_kinds
from vrpcore.formats.sheets.sheet_tables import columns_file as columns_file
from vrpcore.formats.sheets.table import parse_table, read_text, split_head
from vrpcore.formats.sheets.template import template_files as template_files
from vrpcore.formats.sheets.workbook_answers import AnswerRows as AnswerRows
from vrpcore.formats.sheets.workbook_answers import rows_of as rows_of
from vrpcore.formats.sheets.workbook_answers import write_workbook as write_workbook


def read_columns(source: Source) -> tuple[Sequence[str], list[dict[str, str]]]:
    """Names of the columns of a CSV file that has one `name`, and its rows by them."""
    with open_reader(source) as reader:
        text, first_row, _ = read_text(reader)
    heads = split_head(text)
    delimiter = max(heads, key=lambda each: ("name" in heads[each], len(heads[each])))
    table = parse_table(text, delimiter, source_label(source), first_row)
    return table.header, [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]
