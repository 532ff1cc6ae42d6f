"""Instances and their solutions, matched by position."""

from vrpcore.errors import InstanceError
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.jsonio import read_instances
from vrpcore.instance.solution import Solution
from vrpcore.instance.solutionio import read_solutions


def read_pairs(instances: str, solutions: str) -> list[tuple[Instance | InvalidInstance, Solution]]:
    """Reads both files.

    Raises:
        InstanceError: A file is not what it should be, or they differ in number.
        OutputError: A file cannot be read.
    """
    problems, answers = read_instances(instances), read_solutions(solutions)
    if len(problems) != len(answers):
        raise InstanceError(
            f"{solutions}: {len(answers)} solutions for {len(problems)} instances in "
            f"{instances}; they are matched by position"
        )
    return list(zip(problems, answers, strict=True))
