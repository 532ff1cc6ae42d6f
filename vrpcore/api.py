"""The Python interface: the same options and answers as the command line.

from vrpcore.api import Solver, read_instances

solutions = Solver().solve(read_instances("instances.json"))

A problem may also be put together call by call:

from vrpcore.api import Model

model = Model()
depot = model.add_depot(x=0, y=0)
model.add_vehicle(count=2, capacity=10, start=depot)
model.add_customer(x=3, y=4, demand=2, window=(0, 60), service=5)
solution = model.solve(time_limit=2)
"""

import dataclasses
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Unpack

from vrpcore.config.keywords import explicit
from vrpcore.errors import ConfigError, InternalError, describe
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions, reference_cost
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.modelling.builder import ModelBuilder
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.roads.instances import with_matrices
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.solve.checked import check_start
from vrpcore.solve.models import checkpoint_path
from vrpcore.solve.solve_options import ModelSolveArguments, SolveOptions, changed
from vrpcore.solve.solver import Solver
from vrpcore.solve.stage import Improvement

if TYPE_CHECKING:
    from vrpcore.learn.decode.loaded_policy import LoadedPolicy

__all__ = [
    "Improvement",
    "Instance",
    "InvalidInstance",
    "Model",
    "ModelSolution",
    "RoadOptions",
    "Roads",
    "RouteReport",
    "SheetOptions",
    "Solution",
    "SolveOptions",
    "Solver",
    "load_policy",
    "read_instances",
    "read_solutions",
    "with_matrices",
]


def load_policy(
    model: str | None = None, device: str = "auto", *, own: Collection[str] = ()
) -> "LoadedPolicy":
    """Loads a policy for experiments: its tours, scores and log-likelihoods.

    Args:
        model: A shipped name, a path to a checkpoint, or None for the default shipped model.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        own: Classes of your own code, `package.module:Class`, that the checkpoint may name.

    Raises:
        ModelError: No such model, or no checkpoint, or one that names other code of yours.
        ConfigError: One of `own` cannot be imported.
        OutputError: The file cannot be read.
        DeviceError: The device is not available.
    """
    from vrpcore.learn.decode.loaded_policy import LoadedPolicy  # PyTorch takes a second to load
    from vrpcore.learn.device import choose_device
    from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint

    place = checkpoint_path(model)
    policy = policy_from_checkpoint(load_checkpoint(place), str(place), own)
    return LoadedPolicy(policy, choose_device(device))


class Model(ModelBuilder):
    """A problem put together call by call, and solved.

    ```python
    model = Model()
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(count=2, capacity=10, start=depot)
    model.add_customer(id="a", x=3, y=4, demand=2, window=(0, 60), service=5)
    solution = model.solve(time_limit=2)
    solution.plot("day.png")
    ```
    """

    @explicit
    def solve(
        self,
        time_limit: float | None = None,
        *,
        solver: Solver | None = None,
        warm_start: Solution | None = None,
        on_improvement: Callable[[Improvement], object] | None = None,
        reference: float | None = None,
        **changes: Unpack[ModelSolveArguments],
    ) -> ModelSolution:
        """Solves the problem as it is now; more can be added afterwards.

        Ctrl-C ends the search with the best plan by then, which has the warning `INTERRUPTED`.

        Args:
            time_limit: Seconds for the call; None: a fixed amount of search.
            solver: One that has been opened before; None: one with the default model.
            warm_start: An earlier answer, also to an earlier problem; the new one is never worse
                than what is valid of it.
            on_improvement: As for `Solver.solve`.
            reference: A known cost; the answer and improvements then have a gap.
            **changes: Single options of `SolveOptions`, such as `improve="deep"`.

        Returns:
            The answer, which has passed an independent check. What cannot be served is in
            `unserved`.

        Raises:
            InstanceError: The problem is not complete, `warm_start` is no solution, or `reference`
                no number.
            ConfigError: An option that is unknown, of another type or out of range.
            InternalError: A bug left no answer.
        """
        begun = time.perf_counter()
        if not isinstance(solver, Solver | None):
            raise ConfigError(f"solver: {describe(solver)}, expected a Solver")
        check_start(warm_start, "warm_start")
        options = changed(SolveOptions(time_limit=time_limit), changes)
        known = None if reference is None else reference_cost(reference, "reference")
        instance, opened = self.instance(), solver or Solver()
        if options.time_limit is not None:
            left = max(0.0, options.time_limit - (time.perf_counter() - begun))
            options = dataclasses.replace(options, time_limit=left)
        (found,) = opened.solve(
            [instance],
            options,
            warm_starts=[warm_start],
            on_improvement=on_improvement,
            references=None if known is None else {instance.name: known},
        )
        if found.code == InternalError.default_code:
            raise InternalError(found.error or found.code)
        return found
