"""Options declared once."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_type_hints

import numpy as np
import pytest

from vrpcore.config.option import Option, check_options, declared
from vrpcore.errors import ConfigError
from vrpcore.solve.solve_options import SolveArguments, SolveOptions


@dataclass(frozen=True)
class Drink:
    kind: Annotated[Literal["tea", "water"], Option("What.")] = "tea"
    cups: Annotated[int | None, Option("How many.", 1, 3)] = None
    brew_s: Annotated[float, Option("How long.", low=0.0)] = 60.0
    price: Annotated[float, Option("Each.", positive=True)] = 1.0
    sugar: Annotated[float, Option("Grams.", high=9.0, positive=True)] = 1.0
    name: Annotated[str, Option("Whose.")] = "any"
    milk: Annotated[Literal["cow", "oat"] | None, Option("Which.")] = None
    iced: Annotated[bool, Option("Whether.")] = False
    hidden: float = -1.0

    def __post_init__(self):
        check_options(self)


def test_fields_with_an_option_are_declared():
    found = {item.name: item for item in declared(Drink)}
    assert list(found) == ["kind", "cups", "brew_s", "price", "sugar", "name", "milk", "iced"]
    assert found["brew_s"].public == "brew"
    assert found["kind"].choices == ("tea", "water")
    assert found["milk"].choices == ("cow", "oat")
    assert found["cups"].choices == ()
    assert (found["cups"].kind, found["cups"].default) == (int | None, None)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"cups": None, "milk": None},
        {"cups": 1},
        {"cups": np.int64(3)},
        {"brew_s": 0},
        {"brew_s": np.float32(2)},
        {"price": float("inf")},
        {"sugar": 9},
        {"iced": True},
    ],
)
def test_values_in_range_pass(values):
    drink = Drink(**values)
    assert {name: getattr(drink, name) for name in values} == values
    assert not any(isinstance(getattr(drink, name), np.generic) for name in values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "mud"}, "kind: 'mud' is not one of tea, water"),
        ({"milk": "soy"}, "milk: 'soy' is not one of cow, oat"),
        ({"cups": 0}, "cups: 0 is not between 1 and 3"),
        ({"cups": 4}, "cups: 4 is not between 1 and 3"),
        ({"brew_s": -0.5}, "brew_s: -0.5 is not a time in seconds"),
        ({"brew_s": float("inf")}, "brew_s: inf is not a time in seconds"),
        ({"brew_s": float("nan")}, "brew_s: nan is not a time in seconds"),
        ({"cups": 2.0}, "cups: 2.0 is not a whole number"),
        ({"cups": "2"}, "cups: '2' is not a whole number"),
        ({"cups": True}, "cups: true is not a whole number"),
        ({"brew_s": "1"}, "brew_s: '1' is not a number"),
        ({"brew_s": None}, "brew_s: null is not a number"),
        ({"brew_s": [1]}, "brew_s: a list of 1 is not a number"),
        ({"iced": 1}, "iced: 1 is not true or false"),
        ({"name": 5}, "name: 5 is not text"),
        ({"name": ["any"]}, "name: a list of 1 is not text"),
        ({"kind": None}, "kind: null is not one of tea, water"),
        ({"kind": ["tea"]}, "kind: a list of 1 is not one of tea, water"),
        ({"price": 0}, "price: 0 is not a positive number"),
        ({"sugar": 0}, "sugar: 0 is not a positive number up to 9.0"),
        ({"sugar": 9.5}, "sugar: 9.5 is not a positive number up to 9.0"),
        ({"price": float("nan")}, "price: nan is not a positive number"),
    ],
)
def test_others_are_refused(values, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        Drink(**values)


def test_keyword_arguments_of_a_solve_are_its_options():
    assert get_type_hints(SolveArguments) == get_type_hints(SolveOptions)
