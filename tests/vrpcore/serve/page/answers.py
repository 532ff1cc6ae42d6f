"""What several tests of the page ask of its answers."""

import csv
import io
import json

from tests.vrpcore.serve.page.chromium import Page, downloaded
from vrpcore.api import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.referee.referee import check_solution


def answered(page: Page, *instances: object) -> list[tuple[Instance, Solution]]:
    """Solves instances in the page; they, and the answers of its JSON, which pass the check."""
    text = instances[0] if isinstance(instances[0], str) else json.dumps(instances)
    page.paste(text)
    page.solve()
    found = read_solutions(downloaded(page, "json").encode())
    problems = [item for item in read_instances(text.encode()) if isinstance(item, Instance)]
    pairs = list(zip(problems, found, strict=True))
    assert all(check_solution(*pair).ok for pair in pairs)
    return pairs


def rows_of(text: str) -> list[list[str | float]]:
    """Cells of a CSV; in JavaScript 10 and 10.0 are one number."""
    return [[number(cell) for cell in row] for row in csv.reader(io.StringIO(text))]


def number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell


def labels(page: Page, selector: str) -> list[str]:
    """Names for screen readers."""
    return list(
        page.script(
            "[...document.querySelectorAll(arguments[0])].map((one) => one.ariaLabel)", selector
        )
    )
