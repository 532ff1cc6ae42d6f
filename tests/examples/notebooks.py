"""The notebooks of docs/notebooks: run in a folder of their own, and what they show stored.

`python -m tests.examples.notebooks [NAME...]` runs them and writes their outputs again. Without a
name: all of them.
"""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
_TIME_LIMIT_S = 300  # of one cell


def notebooks():
    """The notebooks, by their names."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.ipynb"))}


def run(name, folder):
    """The notebook after all its cells were run in this folder."""
    found = nbformat.read(notebooks()[name], as_version=4)
    place = {"metadata": {"path": str(folder)}}
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"  # where `vrp` is
    try:
        client = NotebookClient(found, timeout=_TIME_LIMIT_S, resources=place, record_timing=False)
        client.execute()
    finally:
        os.environ["PATH"] = before
    return found


if __name__ == "__main__":
    for name in sys.argv[1:] or notebooks():
        with tempfile.TemporaryDirectory() as temporary:
            found = run(name, temporary)
            found.metadata.pop("language_info", None)  # the version of this Python
            nbformat.write(found, notebooks()[name])
