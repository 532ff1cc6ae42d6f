import pytest

from vrpcore.errors import ConfigError
from vrpcore.formats.options import NO_OPTIONS, SheetOptions
from vrpcore.formats.read import read_instances


def test_what_is_given_is_called_by_its_flag():
    assert NO_OPTIONS.given == []
    assert SheetOptions(fleet="a", speed=2).given == ["--fleet", "--speed"]
    assert SheetOptions(ignore_columns=("a",)).given == ["--ignore-columns"]


def test_a_speed_is_positive():
    with pytest.raises(ConfigError, match=r"speed: -1 is not a positive number"):
        SheetOptions(speed=-1)


def test_a_decimal_sign_is_a_point_or_a_comma():
    assert SheetOptions(decimal=",").given == ["--decimal"]
    with pytest.raises(ConfigError, match=r"decimal: ';' is not one of \., ,"):
        SheetOptions(decimal=";")


def test_a_fleet_may_be_a_path(tmp_path):
    (tmp_path / "vans.csv").write_text("id,lat,lon,capacity\nvan,52.5,13.4,9\n")
    stops = b"id,lat,lon,demand\na,52.6,13.4,2\n"
    (found,) = read_instances(stops, sheet=SheetOptions(fleet=tmp_path / "vans.csv", speed=30))
    assert found.own_constraints.vehicles[0].id == "van"
    said = r"^fleet: 5, expected the name of a CSV file or a data frame$"
    with pytest.raises(ConfigError, match=said):
        SheetOptions(fleet=5)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"capacity": 9}, "capacity: 9, expected a number for each load dimension, such as (9,)"),
        ({"capacity": ("9",)}, "capacity: a list of 1, expected a number for each load dimension"),
        ({"depot": "52.5,13.4"}, "depot: '52.5,13.4', expected two numbers, such as (52.5, 13.4)"),
        ({"depot": (52.5,)}, "depot: a list of 1, expected two numbers"),
        ({"ignore_columns": "phone"}, "ignore_columns: 'phone', expected names of columns, such"),
        ({"balance": 2}, "balance: 2, expected a dict of prices"),
        ({"ignore_columns": None}, "ignore_columns: null, expected names of columns"),
    ],
)
def test_what_has_several_values_is_a_tuple(values, said):
    with pytest.raises(ConfigError) as raised:
        SheetOptions(**values)
    assert str(raised.value).startswith(said)
    SheetOptions(depot=[1, 2.5], capacity=[9], ignore_columns=["phone"])
