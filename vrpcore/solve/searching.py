"""The search of plans, by the options of a solve and by what is installed."""

import dataclasses

from vrpcore.errors import MissingSearchError
from vrpcore.instance.plan import Plan
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_library import is_built
from vrpcore.search.search import search_instance
from vrpcore.solve.order import Task
from vrpcore.solve.solve_options import SolveOptions


def search_task(task: Task, end: float | None, cores: int) -> Plan:
    """The best plan that the search of a task finds.

    Args:
        task: With the order that says how.
        end: When it ends, by `time.perf_counter`; None: counts end it.
        cores: That it may use.
    """
    options = task.order.options
    return search_instance(
        task.instance,
        task.starts,
        Effort(options.improve, end, cores, options.iterations, task.watch),
        options.seed,
        fewest_vehicles=options.fewest_vehicles,
        keep=task.keep,
    )


def usable_options(options: SolveOptions) -> SolveOptions:
    """The options that can be had here: without the compiled search nothing improves.

    The command line says so on stderr and in `summary.improve`.

    Raises:
        MissingSearchError: An option is about the search, which was not built.
    """
    if options.improve != "none" and not is_built():
        if options.of_search:
            raise MissingSearchError(f"{options.of_search[0]} needs it")
        return dataclasses.replace(options, improve="none")
    return options
