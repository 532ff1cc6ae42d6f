"""The product in Python: the same options and answers as the command line.

from vrpcore.api import Solver, read_instances

solutions = Solver().solve(read_instances("instances.json"))
"""

import dataclasses
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Unpack

from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.jsonio import read_instances
from vrpcore.instance.solution import Route, Solution
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.models import open_backend
from vrpcore.solve.options import SolveArguments, SolveOptions
from vrpcore.solve.pipeline import Deadline, Pipeline, Stage

__all__ = ["Instance", "InvalidInstance", "Route", "Solution", "Solver", "read_instances"]


class Solver:
    """Solves batches of instances with one model, loaded once.

    Args:
        model: A shipped name, a path (checkpoint, TorchScript or ONNX, told by content),
            or None for the model that ships as the default.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.

    Raises:
        ModelError: No such model.
        DeviceError: The device is not there.
    """

    def __init__(self, model: str | None = None, device: str = "auto") -> None:
        self._backend = open_backend(model, device)

    @property
    def model(self) -> ModelInfo:
        """Which model answers, and where it runs."""
        return self._backend.info

    def solve(
        self,
        instances: Sequence[Instance | InvalidInstance],
        *,
        report: Callable[[Stage], None] | None = None,
        **options: Unpack[SolveArguments],
    ) -> list[Solution]:
        """Solves every instance.

        Args:
            instances: From `read_instances`; invalid ones keep their place.
            report: Told of progress.
            **options: As `SolveOptions`; `improve="fast"` is the default.

        Returns:
            One solution for each instance, in order; each passed an independent check.

        Raises:
            ConfigError: An option out of range.
        """
        started = time.perf_counter()
        chosen = usable_options(SolveOptions(**options))
        limit = chosen.time_limit_s
        deadline = None if limit is None else (lambda: time.perf_counter() - started >= limit)
        said = report or (lambda _stage: None)
        if chosen.improve == "none":
            return Pipeline(self._backend, None, chosen, said).solve(instances)
        # Imported here: the search library loads a fifth of a second that the policy alone
        # does not need.
        from vrpcore.improve.search import improve_instance

        def search(
            problem: Instance, candidates: Sequence[Routes], deadline: Deadline | None
        ) -> Routes:
            return improve_instance(problem, candidates, chosen.improve, chosen.seed, deadline)

        return Pipeline(self._backend, search, chosen, said, deadline).solve(instances)


def usable_options(options: SolveOptions) -> SolveOptions:
    """The options that can be had here: without its extra, nothing improves.

    The command line says so on stderr and in `summary.improve`.
    """
    if options.improve != "none" and importlib.util.find_spec("pyvrp") is None:
        return dataclasses.replace(options, improve="none")
    return options
