"""The options of a solve, declared and validated once."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal, TypedDict, get_args

from vrpcore.config.option import Option, check_options
from vrpcore.errors import ConfigError, advice, describe
from vrpcore.instance.clock import read_clock, read_dated

Decode = Literal["greedy", "multistart", "sample"]
Improve = Literal["none", "fast", "deep"]
IMPROVES: tuple[Improve, ...] = get_args(Improve)

MAX_ROLLOUTS = 10_000
_MAX_THREADS = 1024
_MAX_ITERATIONS = 10**15
_SAMPLES, _TEMPERATURE = 32, 1.0  # unless others are asked for
_OF_SEARCH = ("fewest_vehicles", "iterations", "no_improvement", "target_cost")


def _time(text: float | str) -> float | str:
    """A number, or a time of day as it is written."""
    if isinstance(text, str) and (read_clock(text.strip()) or read_dated(text.strip())):
        return text.strip()
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    raise ConfigError(f"freeze: {describe(text)}, expected a number or a time of day such as 9:40")


def _batch(text: str) -> int | None:
    if text == "auto":
        return None
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise ValueError(f"{text!r}: expected auto or a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """Options of the construction by a policy.

    Attributes:
        decode: `greedy`: one construction; `multistart`: one from each of `starts` first
            customers; `sample`: `samples` random constructions, from scores / `temperature`.
        starts: First customers per instance; None: by size, to evaluate a policy all.
        samples: Constructions per instance when sampling.
        temperature: Of sampling.
        augment: Symmetric copies per instance, 1 to 8.

    Raises:
        ConfigError: A value out of range, or one of sampling without it.
    """

    decode: Annotated[Decode, Option("How the policy constructs.")] = "multistart"
    starts: Annotated[
        int | None,
        Option("First customers to try; default by size, in vrp eval all.", 1, MAX_ROLLOUTS),
    ] = None
    samples: Annotated[int, Option("Samples with --decode sample.", 1, MAX_ROLLOUTS)] = _SAMPLES
    temperature: Annotated[
        float, Option("Temperature of sampling; below 1: nearer to greedy.", 0.01, 100.0)
    ] = _TEMPERATURE
    augment: Annotated[int, Option("Symmetric copies to solve.", 1, 8)] = 1

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> None:
        check_options(self)
        for name, usual in (("samples", _SAMPLES), ("temperature", _TEMPERATURE)):
            value = getattr(self, name)
            if self.decode != "sample" and value != usual:
                message = f"{value} means nothing with decode {self.decode}"
                raise ConfigError(f"{name}: {message}; it needs decode sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions(Decoding):
    """The options of `vrp solve` that change answers or speed; how it decodes: see `Decoding`.

    Attributes:
        improve: Amount of search on the host.
        fewest_vehicles: The number of routes comes before their cost.
        keep_cost: What each stop costs in the search that another vehicle serves than in the known
            plan: the warm start, else the instance's own routes. The answer's cost leaves it out,
            and counts the stops that stay (`kept`) and move (`moved`). None: nothing, uncounted.
        freeze: A number, or a time of day such as "9:40" where the instance has them. What known
            routes begin before it stays, and nothing else begins before it. None: everything may
            change.
        lost: With `freeze`: vehicles that have broken down: their ids, or the numbers of their
            known routes from 1 (`route:1`, where an id is that number), with commas between them.
            What they have not delivered is loaded anew.
        goods: With `freeze`, `any`: what a vehicle has on board it can deliver to any stop. None:
            as the instance says.
        time_limit: Seconds for the whole call; None: no limit. The cheapest construction (where the
            insertion of a stop may take long: what it does in ten seconds), checking and writing
            always finish; the search runs until the time is up.
        time_per_instance: Seconds of search per instance, from the start of that search;
            with a time limit as well, the earlier end counts.
        iterations: Of the search of each instance, in place of the amount that `improve` says.
            With a time as well, the earlier end counts.
        no_improvement: The search of an instance ends after so many seconds without a better plan.
            Annealing cools within three quarters of them, again and again.
        target_cost: The search of an instance ends at a plan that costs no more, or a millionth
            more.
        seed: Random seed.
        batch: Instances per batch; None: by size.
        workers: Search threads; None: one per core. With fewer instances than threads, a search
            uses several; without a time limit this changes no answer.
        threads: Construction threads; None: one per core.

    Raises:
        ConfigError: A value out of range, `freeze` is no time, an option about the search without
            a search, or `target_cost` where the search counts other costs than the answer.
    """

    improve: Annotated[Improve, Option("Amount of search.")] = "fast"
    fewest_vehicles: Annotated[
        bool, Option("Fewest routes first, even before prizes; then the lowest cost.")
    ] = False
    keep_cost: Annotated[
        float | None,
        Option("Price of each stop that leaves its known route.", 0.0, 1e15, flags=("--keep",)),
    ] = None
    freeze: Annotated[
        float | str | None,
        Option("Keep what known routes begin before this time: a number, or 9:40."),
    ] = None
    lost: Annotated[
        str | None,
        Option("With --freeze: vehicles that broke down, by id or number of their known route."),
    ] = None
    goods: Annotated[
        Literal["own", "any"] | None,
        Option("With --freeze: any, where all that is on board is alike, such as oil."),
    ] = None
    time_limit: Annotated[
        float | None, Option("Seconds for the whole call, shared among all instances.", low=0.0)
    ] = None
    time_per_instance: Annotated[
        float | None, Option("Seconds of search for each instance.", low=0.0)
    ] = None
    iterations: Annotated[
        int | None, Option("Iterations of each search, for any --improve.", 1, _MAX_ITERATIONS)
    ] = None
    no_improvement: Annotated[
        float | None,
        Option("Ends a search after so many seconds without a better plan.", low=0.0),
    ] = None
    target_cost: Annotated[
        float | None, Option("Ends a search at a plan that costs no more.", -1e15, 1e15)
    ] = None
    seed: Annotated[int, Option("Random seed.", 0, 2**31 - 1)] = 1234
    batch: Annotated[
        int | None,
        Option("Instances per batch: auto or N.", 1, 100_000, written="auto", read=_batch),
    ] = None
    workers: Annotated[
        int | None, Option("Search threads; default: one per core.", 1, _MAX_THREADS)
    ] = None
    threads: Annotated[
        int | None, Option("Construction threads; default: one per core.", 1, _MAX_THREADS)
    ] = None

    def __post_init__(self) -> None:
        self._check()
        if self.freeze is not None:
            object.__setattr__(self, "freeze", _time(self.freeze))
        if self.improve == "none" and self.of_search:
            raise ConfigError(f"{self.of_search[0]}: needs a search: improve fast or deep")
        for name in self._given(("lost", "goods")):
            if self.freeze is None:
                raise ConfigError(f"{name}: means nothing without freeze; give that, too")
        others = ("fewest_vehicles", "keep_cost", "freeze")
        given = self._given(others)
        if self.target_cost is not None and given:
            raise ConfigError(f"target_cost: given with {given[0]}, which changes what counts")

    def greedily(self) -> "SolveOptions":
        """Copy the options, with a single construction of each instance."""
        return replace(self, decode="greedy", augment=1, samples=_SAMPLES, temperature=_TEMPERATURE)

    def untimed(self) -> "SolveOptions":
        """Copy the options, without what ends a search."""
        return replace(
            self,
            time_limit=None,
            time_per_instance=None,
            iterations=None,
            no_improvement=None,
            target_cost=None,
        )

    @property
    def of_search(self) -> list[str]:
        """The options that are given and mean nothing without a search."""
        return self._given(_OF_SEARCH)

    def _given(self, names: Sequence[str]) -> list[str]:
        """Names of options that are neither None nor false."""
        values = {name: getattr(self, name) for name in names}
        return [name for name, value in values.items() if not (value is None or value is False)]

    @property
    def keeps(self) -> bool:
        """Return whether known plans are more than a start for the search."""
        return self.keep_cost is not None or self.freeze is not None

    @property
    def says_how_to_decode(self) -> bool:
        """True if an option about decoding is not the default."""
        return any(getattr(self, item.name) != item.default for item in fields(Decoding))

    @property
    def asks_for_policy(self) -> bool:
        """True where nothing searches, or an option is about decoding."""
        return self.improve == "none" or self.says_how_to_decode


class ModelSolveArguments(TypedDict, total=False):
    """`SolveOptions` but the time limit, which `Model.solve` names itself."""

    decode: Decode
    starts: int | None
    samples: int
    temperature: float
    augment: int
    improve: Improve
    fewest_vehicles: bool
    keep_cost: float | None
    freeze: float | str | None
    lost: str | None
    goods: Literal["own", "any"] | None
    time_per_instance: float | None
    iterations: int | None
    no_improvement: float | None
    target_cost: float | None
    seed: int
    batch: int | None
    workers: int | None
    threads: int | None


class SolveArguments(ModelSolveArguments, total=False):
    """`SolveOptions` as keyword arguments for type checkers, which cannot derive them."""

    time_limit: float | None


def changed(options: SolveOptions | None, changes: Mapping[str, object]) -> SolveOptions:
    """Options with single ones in place of their values.

    Args:
        options: None: the defaults.
        changes: By the names of `SolveArguments`.

    Raises:
        ConfigError: There is no such option, or its value is not what it should be.
    """
    if options is not None and not isinstance(options, SolveOptions):
        raise ConfigError(f"options: {describe(options)}, expected SolveOptions")
    known = SolveArguments.__annotations__.keys()
    for name in changes:
        if name not in known:
            raise ConfigError(f"{name}: not an option of solve; {advice(name, known)}")
    given: Any = changes
    return SolveOptions(**given) if options is None else replace(options, **given)
