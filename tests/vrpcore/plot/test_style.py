import pytest

from tests.vrpcore.plot.pictures import answer, day
from vrpcore.errors import InstanceError
from vrpcore.plot.style import route_colour, route_styles, route_types, type_style, words


def test_texts_are_harmless_and_short():
    assert words("a $x$\n\x1b", 20) == r"a \$x\$\x0a\x1b"
    assert words("abcdefghij", 10) == "abcdefghij"
    assert words("abcdefghijk", 10) == "abcdefg..."


def test_colours_of_routes_differ():
    assert len({route_colour(index) for index in range(20)}) == 20


def test_each_type_has_a_colour_and_a_line():
    styles = [type_style(rank) for rank in range(4)]
    assert len({style.line for style in styles}) == 4
    assert len({style.colour for style in styles}) == 4
    shades = [type_style(0, number) for number in range(3)]
    assert len({style.colour for style in shades}) == 3
    assert {style.line for style in shades} == {"-"}


def test_routes_look_like_their_type():
    van, bike = route_styles(day(), answer())
    assert van == type_style(0)
    assert bike == type_style(1)


def test_routes_of_one_type_have_colours_of_their_own():
    colours = [style.colour for style in route_styles(day(), answer(vehicle="van"))]
    assert colours == [route_colour(0), route_colour(1)]


def test_a_type_that_is_none_is_reported():
    with pytest.raises(InstanceError, match=r"day: no vehicle type .* is called 'truck'"):
        route_types(day(), answer(vehicle="truck"))
