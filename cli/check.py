"""`vrp check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import EXIT_INFEASIBLE, edge, stderr_console
from vrpcore.cli.flags import with_flags
from vrpcore.cli.reading import ReadOptions
from vrpcore.errors import visible

if TYPE_CHECKING:
    from vrpcore.instance.instance import Instance, InvalidInstance
    from vrpcore.instance.solution import Solution
    from vrpcore.roads.matrices import Roads

    Pair = tuple[Instance | InvalidInstance, Solution]

HELP = """Recompute every cost and check every route, independently of the solver.

Prints one line per instance; the exit code is 6 if any answer is wrong. Solutions are
matched by position.

[bold]Examples[/]

  vrp solve instances.json -o solutions.json
  vrp check instances.json solutions.json
  vrp check A-n32-k5.vrp A-n32-k5.sol
  vrp check C101.txt C101.sol --round dimacs
  vrp check towns.json routes.json --matrix osrm=http://localhost:5000    as vrp solve was told
  vrp check stops.csv answer.json --fleet vans.csv
"""


@edge()
@with_flags
def check(
    instances: Annotated[str, typer.Argument(help="Instances, as for vrp solve.")],
    solutions: Annotated[
        str, typer.Argument(help="Solutions: JSON, JSON Lines, .sol, a folder of .sol.")
    ],
    source: ReadOptions,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print wrong answers only.")] = False,
) -> None:
    """Checks solutions against their instances."""
    from vrpcore.cli.pairs import read_pairs
    from vrpcore.cost.check import check_solution
    from vrpcore.instance.instance import InvalidInstance

    reading, roads = source.opened()
    pairs = read_pairs(instances, solutions, reading)
    if roads is not None:
        pairs = _with_matrices(pairs, roads)
    wrong = 0
    for problem, answer in pairs:
        name = visible(problem.name)
        if isinstance(problem, InvalidInstance):
            good, text = answer.status == "invalid", f"invalid instance: {problem.error}"
        elif not (answer.status == "solved" or (problem.constraints and answer.has_routes)):
            good, text = answer.status != "invalid", f"not solved: {answer.status}"
        else:
            result = check_solution(problem, answer)
            good = result.ok
            left = f"{answer.status}, {len(answer.unserved)} not served, "
            text = "" if answer.status == "solved" else left
            text = f"{text}cost {result.cost:.10g}" if good else "; ".join(result.problems)
        wrong += not good
        if not (quiet and good):
            typer.echo(f"{'ok' if good else 'WRONG'}\t{name}\t{visible(text)}")
    stderr_console(quiet=quiet).print(f"{len(pairs)} checked, {wrong} wrong")
    if wrong:
        raise SystemExit(EXIT_INFEASIBLE)


def _with_matrices(pairs: list[Pair], roads: Roads) -> list[Pair]:
    """The same, the instances with the matrices that they lack."""
    from vrpcore.roads.instances import with_matrices

    with roads:
        return [(with_matrices(problem, roads), answer) for problem, answer in pairs]
