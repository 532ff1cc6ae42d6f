"""Messages to a caller while its instances are solved."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from vrpcore.instance.solution import Solution


class Improvement(NamedTuple):
    """A plan of an instance that is better than those before it.

    Attributes:
        position: Of the instance in the input.
        name: Of the instance.
        cost: Of the plan; None: it leaves out somebody who must be served, or a known plan is kept
            and the search counts what that costs as well.
        gap: (cost - reference) / reference; None: there is no reference, or no cost.
        iterations: Of the search by then.
        seconds: Since the call began.
    """

    position: int
    name: str
    cost: float | None
    gap: float | None
    iterations: int
    seconds: float


class Stage(NamedTuple):
    """Progress: a number of instances have passed a stage.

    Attributes:
        name: `construct`, `finish` (searched and checked), `improve` or `note`.
        done: Instances through it since the last report.
        answers: With `finish`: solutions by position.
        note: With `note`: what the user should know, in words.
        improvement: With `improve`: the plan that was found.
    """

    name: str
    done: int
    answers: Mapping[int, Solution] = MappingProxyType({})
    note: str = ""
    improvement: Improvement | None = None
