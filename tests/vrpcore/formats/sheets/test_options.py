import pytest

from vrpcore.errors import ConfigError
from vrpcore.formats.sheets.options import NO_OPTIONS, SheetOptions


def test_what_is_given_is_called_by_its_flag():
    assert NO_OPTIONS.given == []
    assert SheetOptions(fleet="a", speed=2).given == ["--fleet", "--speed"]


def test_a_speed_is_positive():
    with pytest.raises(ConfigError, match=r"speed: -1 is not a positive number"):
        SheetOptions(speed=-1)
