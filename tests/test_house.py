"""docs/house.md and the tree agree: every module is named there, and nothing else is."""

import fnmatch
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST = 400
# What the house names by folder and not file by file.
UNNAMED = {"__init__.py"}


def named():
    """Names of modules by folder, as the tree in docs/house.md has them."""
    tree = (ROOT / "docs/house.md").read_text().split("```")[1]
    found, part = {}, ""
    for line in tree.splitlines():
        place = re.match(r"(  )?([\w.]+)/", line)
        if place and (place[1] is None or part.startswith("vrpcore")):
            part = f"vrpcore/{place[2]}" if place[1] else place[2]
        elif re.match(r"  \w+\.py", line):
            part = "vrpcore"
        found.setdefault(part, set()).update(re.findall(r"[\w*]+\.py\b", line))
    return found


def modules(folder):
    """Names of the modules of a folder and of the folders below it."""
    below = (ROOT / folder).glob("*.py") if folder == "vrpcore" else (ROOT / folder).rglob("*.py")
    return {file.name for file in below} - UNNAMED


FOLDERS = sorted(file.parent.name for file in (ROOT / "vrpcore").glob("*/__init__.py"))
PARTS = ["cli", "export", "vrpcore", *(f"vrpcore/{name}" for name in FOLDERS if name != "models")]


@pytest.mark.parametrize("part", PARTS)
def test_every_module_is_named_and_every_name_is_one(part):
    names = named().get(part, set())
    there = modules(part)
    forgotten = {file for file in there if not any(fnmatch.fnmatch(file, name) for name in names)}
    gone = {name for name in names if not fnmatch.filter(there, name)}
    assert (forgotten, gone) == (set(), set())


def test_no_file_is_longer_than_the_house_allows():
    files = [
        file
        for folder in ("vrpcore", "cli", "export")
        for ending in ("py", "hpp", "cpp")
        for file in (ROOT / folder).rglob(f"*.{ending}")
    ]
    assert [file for file in files if len(file.read_text().splitlines()) > LONGEST] == []
