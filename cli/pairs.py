"""Instances and their solutions, matched by position."""

import re
from pathlib import Path

from vrpcore.errors import InstanceError
from vrpcore.formats.options import AS_IT_IS, Reading
from vrpcore.formats.read import read_sources
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution

_SOL_NAME = re.compile(r"([0-9]+)-.*\.sol")


def read_pairs(
    instances: str, solutions: str, reading: Reading = AS_IT_IS
) -> list[tuple[Instance | InvalidInstance, Solution]]:
    """Reads both files.

    Args:
        instances: A file, or - for standard input.
        solutions: The same, or a folder that `vrp solve --format sol` wrote.
        reading: What the instances' file does not say itself.

    Raises:
        InstanceError: A file has the wrong content, or the files differ in number.
        OutputError: A file cannot be read.
    """
    found = read_sources(instances, reading=reading)
    if found.errors:
        raise found.errors[0]
    problems = found.items
    if Path(solutions).is_dir():
        answers = _read_folder(Path(solutions), problems)
    else:
        answers = read_solutions(solutions)
    if len(problems) != len(answers):
        raise InstanceError(
            f"{solutions}: {len(answers)} solutions for {len(problems)} instances in "
            f"{instances}; they are matched by position"
        )
    return [
        (item, with_own_ids(item, answer) if isinstance(item, Instance) else answer)
        for item, answer in zip(problems, answers, strict=True)
    ]


def _read_folder(folder: Path, problems: list[Instance | InvalidInstance]) -> list[Solution]:
    """The `.sol` files by the positions in their names; one without a file was not solved."""
    answers = [Solution(name=item.name, status="partial") for item in problems]
    for file in sorted(folder.iterdir()):
        found = _SOL_NAME.fullmatch(file.name)
        if not found:
            continue
        if int(found[1]) >= len(problems):
            raise InstanceError(f"{file}: there are only {len(problems)} instances")
        (answers[int(found[1])],) = read_solutions(file)
    return [
        Solution(name=item.name, status="invalid") if isinstance(item, InvalidInstance) else answer
        for item, answer in zip(problems, answers, strict=True)
    ]
