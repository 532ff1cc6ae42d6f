import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.files import ByteReader
from vrpcore.formats.sheets.sheet_options import SheetOptions
from vrpcore.formats.sheets.sheet_tables import open_tables


def opened(text, **options):
    options = SheetOptions(**options)
    tables = open_tables(ByteReader(iter([text.encode()]), "stops.csv", None), options)
    return tables, tables.settled(options)


def test_cells_and_their_notation():
    tables, notation = opened("id;lat;lon;open\n1;52,5;13;8:00\n")
    assert (tables.stops.columns.of["open"], tables.fleet) == (3, None)
    assert (notation.decimal, notation.clock) == (",", "HH:MM")
    tables.faults.check()


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("stuff",), None),
        (("rest",), None),
        (("Rest",), None),
        (("stuf",), "NO_COLUMNS"),
        ((), "UNREAD_COLUMN"),
    ],
)
def test_columns_are_ignored_by_name_or_all(names, code):
    tables, _ = opened("id,x,y,stuff\n1,1,1,5\n2,1,1,7\n", ignore_columns=names)
    if code is None:
        return tables.faults.check()
    with pytest.raises(InstanceError) as raised:
        tables.faults.check()
    assert raised.value.code == code


def test_a_column_may_be_called_rest():
    tables, _ = opened("id,x,y,rest,stuff\n1,1,1,5,2\n2,1,1,7,3\n", ignore_columns=("rest",))
    with pytest.raises(InstanceError, match="stuff"):
        tables.faults.check()
