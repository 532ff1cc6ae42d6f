"""The table for users of PyVRP: both of its columns run, and find plans of the same cost."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "interface" / "python.md"
ROW = re.compile(r"^\| (?!PyVRP|-)(.+) \| (.+) \|$", re.MULTILINE)


def program(column):
    """The code of a column; what stands in parentheses is prose."""
    table = PAGE.read_text(encoding="utf-8").partition("### For users of PyVRP")[2]
    cells = [row[column] for row in ROW.findall(table.partition("\n## ")[0])]
    code = [re.findall(r"`([^`]+)`", cell) for cell in cells if not cell.startswith("(")]
    return "\n".join(line for lines in code for line in lines)


def test_both_columns_find_the_same():
    pytest.importorskip("pyvrp", reason="needs pyvrp 0.14")
    found = {}
    exec(program(0), found)  # noqa: S102
    exec(program(1), found)  # noqa: S102
    result, solution = found["result"], found["solution"]
    assert result.is_feasible()
    assert solution.status == "solved"
    assert result.cost() == solution.cost == 110
    assert len(result.best.routes()) == len(solution.routes)
