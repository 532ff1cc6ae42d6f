"""Spreadsheets as such: columns, templates, workbooks; most of it is offered from `sheets`."""

import csv
import io
from collections.abc import Mapping, Sequence

from vrpcore.formats.files import Source, open_reader, source_label
from vrpcore.formats.sheets.opened import table_kinds as table_kinds
from vrpcore.formats.sheets.sheet_tables import columns_file as columns_file
from vrpcore.formats.sheets.table import parse_table, read_text, split_head
from vrpcore.formats.sheets.workbook_answers import AnswerRows as AnswerRows
from vrpcore.formats.sheets.workbook_answers import rows_of as rows_of
from vrpcore.formats.sheets.workbook_answers import table_workbook
from vrpcore.formats.sheets.workbook_answers import write_workbook as write_workbook

# Deliveries of a day in Berlin: file names and texts.
TEMPLATE: Mapping[str, str] = {
    "stops.csv": """\
id,name,lat,lon,demand,open,close,service,skills,prize,phone
1,Bakery Adler,52.5390,13.4240,4,07:30,10:00,0:08,,,030 100 001
2,Cafe Birne,52.5016,13.4187,2,08:00,11:30,0:05,,,030 100 002
3,Deli Citrus,52.4897,13.3846,6,09:00,12:00,0:10,cold,,030 100 003
4,Kiosk Dorn,52.5571,13.3494,1,,,0:04,,,030 100 004
5,Market Esche,52.5120,13.4530,8,08:30,13:00,0:12,,,030 100 005
6,School Fichte,52.5281,13.3424,5,10:00,11:00,0:10,,,030 100 006
7,Clinic Ginster,52.5265,13.3766,3,08:00,16:00,0:06,cold,,030 100 007
8,Hotel Hasel,52.5046,13.3326,7,09:30,14:00,0:10,,,030 100 008
9,Office Iris,52.5076,13.3700,2,12:00,15:00,0:05,,,030 100 009
10,Canteen Kiefer,52.4730,13.4260,9,10:30,12:30,0:15,,,030 100 010
11,Bistro Linde,52.5484,13.4131,3,,14:00,0:06,,,030 100 011
12,Allotment Mohn,52.6060,13.3140,1,,,0:05,,15,030 100 012
""",
    "vans.csv": """\
id,count,capacity,lat,lon,open,close,speed,fixed_cost,cost_per_hour,skills,break_start,break_end,\
break_duration
van,2,25,52.5200,13.4050,07:00,16:00,28,40,24,,11:00,13:00,0:30
truck,1,40,52.5200,13.4050,06:30,15:00,24,70,30,cold,11:30,13:30,0:30
""",
}


def read_columns(source: Source) -> tuple[Sequence[str], list[dict[str, str]]]:
    """Names of the columns of a CSV file that has one `name`, and its rows by them."""
    with open_reader(source) as reader:
        text, first_row, _ = read_text(reader)
    heads = split_head(text)
    delimiter = max(heads, key=lambda each: ("name" in heads[each], len(heads[each])))
    table = parse_table(text, delimiter, source_label(source), first_row)
    return table.header, [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]


def template_files(kind: str) -> dict[str, bytes]:
    """The files by their names, stops first.

    Args:
        kind: `csv` or `xlsx`.

    Raises:
        MissingExtraError: Workbooks need the extra `sheets`.
    """
    if kind == "csv":
        return {name: text.encode() for name, text in TEMPLATE.items()}
    found = {}
    for name, text in TEMPLATE.items():
        names, *rows = csv.reader(io.StringIO(text))
        found[name.replace(".csv", ".xlsx")] = table_workbook(names, rows)
    return found
