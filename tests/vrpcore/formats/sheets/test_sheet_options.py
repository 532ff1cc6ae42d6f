import pytest

from vrpcore.errors import ConfigError
from vrpcore.formats.sheets.sheet_options import NO_OPTIONS, SheetOptions


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
