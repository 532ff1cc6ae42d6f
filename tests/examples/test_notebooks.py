"""The notebooks run, and what they store is what a run shows."""

import nbformat
import pytest

from tests.examples.notebooks import notebooks, run

NAMES = list(notebooks())
LARGEST = 200_000  # bytes, with pictures


def kinds(found):
    """The kinds of what each cell shows."""
    return [
        sorted({each.output_type for each in cell.get("outputs", ())} - {"stream"})
        for cell in found.cells
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, tmp_path):
    stored = nbformat.read(notebooks()[name], as_version=4)
    assert kinds(run(name, tmp_path)) == kinds(stored)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_is_small_whole_and_has_no_times(name):
    stored = nbformat.read(notebooks()[name], as_version=4)
    assert notebooks()[name].stat().st_size < LARGEST
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert [cell.metadata for cell in stored.cells] == [{}] * len(stored.cells)
    outputs = [each for cell in code for each in cell.outputs]
    assert outputs
    assert [each for each in outputs if each.get("name") == "stderr"] == []
