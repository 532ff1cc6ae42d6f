"""The search of plans, by the options of a solve and by what is installed."""

import dataclasses

from vrpcore.errors import MissingSearchError
from vrpcore.instance.plan import Plan
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_library import is_built
from vrpcore.search.search import search_instance
from vrpcore.solve.order import Task
from vrpcore.solve.session import Search
from vrpcore.solve.solve_options import SolveOptions


def search_for(options: SolveOptions) -> Search | None:
    """The search that options ask for; None: none."""
    if options.improve == "none":
        return None

    def search(task: Task, end: float | None, cores: int) -> Plan:
        return search_instance(
            task.instance,
            task.starts,
            Effort(options.improve, end, cores, options.iterations, task.watch),
            options.seed,
            fewest_vehicles=options.fewest_vehicles,
            keep=task.keep,
        )

    return search


def usable_search(options: SolveOptions) -> Search | None:
    """The search as far as it can be had here; see `usable_options`."""
    return search_for(usable_options(options))


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
