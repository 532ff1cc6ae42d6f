"""`vrp check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import EXIT_INFEASIBLE, Messages, edge
from vrpcore.cli.flags import with_flags
from vrpcore.cli.reading import ReadOptions
from vrpcore.errors import visible

if TYPE_CHECKING:
    from vrpcore.instance.instance import Instance, InvalidInstance
    from vrpcore.instance.solution import Solution

_SHOWN = 20  # problems of one answer
HELP = """Recompute every cost and check every route, independently of the solver.

Prints one line per instance; the exit code is 6 if any answer is wrong. Solutions are
matched by position. A problem of VROOM's may have an answer of VROOM's, by whatever program.

[bold]Examples[/]

  vrp solve instances.json -o solutions.json
  vrp check instances.json solutions.json
  vrp check A-n32-k5.vrp A-n32-k5.sol
  vrp check C101.txt C101.sol --round dimacs
  vrp check problem.json answer.json                     VROOM's JSON, with --matrix as well
  vrp check towns.json routes.json --matrix osrm=http://localhost:5000    the same as for vrp solve
  vrp check stops.csv routes.csv --fleet vans.csv        CSV: all but its times
"""


@edge()
@with_flags
def check(
    instances: Annotated[str, typer.Argument(help="Instances, as for vrp solve.")],
    solutions: Annotated[
        str,
        typer.Argument(help="JSON, JSON Lines, .sol (or a folder); of spreadsheets CSV or .xlsx."),
    ],
    source: ReadOptions,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print wrong answers only.")] = False,
) -> None:
    """Checks solutions against their instances."""
    from vrpcore.cli.pairs import read_pairs

    messages = Messages(quiet=quiet)
    reading, roads = source.opened(messages.print)
    pairs = read_pairs(instances, solutions, reading)
    if roads is not None:
        from vrpcore.roads.instances import with_matrices

        with roads:
            pairs = [(with_matrices(problem, roads), answer) for problem, answer in pairs]
    wrong = 0
    for problem, answer in pairs:
        name = visible(problem.name)
        good, text = _verdict(problem, answer)
        wrong += not good
        if not (quiet and good):
            typer.echo(f"{'ok' if good else 'WRONG'}\t{name}\t{visible(text)}")
    messages.print(f"{len(pairs)} checked, {wrong} wrong")
    if wrong:
        raise SystemExit(EXIT_INFEASIBLE)


def _verdict(problem: Instance | InvalidInstance, answer: Solution) -> tuple[bool, str]:
    """Check an answer; return whether it is right, and the message."""
    from vrpcore.instance.instance import InvalidInstance
    from vrpcore.referee.referee import check_solution, untimed

    if answer.kind == "csv":
        answer = untimed(answer)
    if isinstance(problem, InvalidInstance):
        reasons = "; ".join(problem.error.splitlines())
        return answer.status == "invalid", f"invalid instance: {reasons}"
    if answer.kind == problem.kind == "vroom":
        return _vroom_verdict(problem, answer)
    has_routes = answer.routes or (problem.constraints and answer.has_routes)
    bare = answer.status != "solved" and not has_routes
    if bare and answer.status != "infeasible":
        return answer.status != "invalid", f"not solved: {answer.status}"
    result = check_solution(problem, answer)
    if bare and result.ok:
        return True, f"not solved: {answer.status}"
    left = f"{answer.status}, {len(answer.unserved)} not served, "
    text = "" if answer.status == "solved" else left
    if result.ok and result.cost is None:
        why = "what had begun breaks limits; its times, and so its cost, are not known"
        return True, f"{text}{why}"
    text = f"{text}cost {result.cost:.10g}" if result.ok else "; ".join(result.problems)
    if not result.ok and answer.cost_slack and problem.integer_cost and (answer.cost or 0) % 1:
        text += "; lengths are rounded here, --round none takes them as they are"
    return result.ok, text


def _vroom_verdict(problem: Instance, answer: Solution) -> tuple[bool, str]:
    """Check an answer to a problem of VROOM's; see `_verdict`."""
    from vrpcore.referee.vroom_check import check_vroom

    if answer.parsed is None:
        return False, f"not solved: {answer.error}"
    problems = check_vroom(problem, answer)
    if problems:
        return False, "; ".join(problems[:_SHOWN])
    left = len(answer.parsed["unassigned"])
    return True, f"{f'partial, {left} not served, ' if left else ''}cost {answer.cost}"
