"""What several tests of the page ask of its answers."""

import csv
import io
import json
from collections.abc import Sequence

import pytest

from tests.vrpcore.serve.page.chromium import Page, downloaded
from vrpcore.api import Solver, read_instances
from vrpcore.formats.answers.solution_json import solution_to_dict
from vrpcore.formats.answers.solutionio import read_solutions
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.plot.activities import bars
from vrpcore.plot.gantt import timeline_rows
from vrpcore.plot.style import route_styles
from vrpcore.referee.referee import check_solution
from vrpcore.serve.preview import previews


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


def compare_bars(page: Page, items: Sequence[Instance]) -> int:
    """Compares the bars of the page with those that `vrp plot` draws; how many routes had some."""
    solver = Solver(device="cpu")
    compared = 0
    for item in items:
        (solution,) = solver.solve([item], improve="none")
        rows = timeline_rows(item, solution, route_styles(item, solution))
        found = page.module(
            "const { previewItems } = await import('/page/instances.js');"
            "const { Scene } = await import('/page/scene.js');"
            "const [item] = previewItems(values[0]);"
            "const { routes } = new Scene(item.problem, values[1], 1);"
            "return routes.map(({ bars }) => bars && bars.filter(({ begin, end }) => end > begin)"
            "  .map(({ kind, begin, end, stop }) => [kind, begin, end, stop]));",
            previews([item]),
            solution_to_dict(solution),
        )
        expected = [
            [
                [bar.kind, bar.begin, bar.end, -1 if bar.stop is None else bar.stop]
                for bar in bars(row.schedule, row.services, row.vehicle.breaks, row.loading)
            ]
            for row in rows
        ]
        told = [route for route in found if route is not None]
        assert len(told) == len(expected)
        for mine, theirs in zip(told, expected, strict=True):
            assert [each[0] for each in mine] == [each[0] for each in theirs]
            assert [each[3] for each in mine] == [each[3] for each in theirs]
            for one, other in zip(mine, theirs, strict=True):
                assert one[1:3] == pytest.approx(other[1:3], abs=1e-6)
            compared += 1
    return compared
