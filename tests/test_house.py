"""docs/house.md, docs/adding.md and the tree agree: modules are named and have their test files."""

import fnmatch
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST = 400
# What the house names by folder and not file by file.
UNNAMED = {"__init__.py"}
# Modules without a test file of their name, each with the reason.
UNTESTED = (("benchmarks/rl4co_worker.py", "a script for another interpreter, the one with rl4co"),)

# Files that release a lock or a job, or name a release of a program.
OTHER_RELEASES = {
    *("export/triton.py", "vrpcore/improve/label.py", "vrpcore/improve/native.py"),
    *("vrpcore/serve/jobs.py", "vrpcore/serve/runner.py", "vrpcore/threads.py"),
}


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
PARTS = [
    "benchmarks",
    "cli",
    "export",
    "vrpcore",
    *(f"vrpcore/{name}" for name in FOLDERS if name != "models"),
]


@pytest.mark.parametrize("part", PARTS)
def test_every_module_is_named_and_every_name_is_one(part):
    names = named().get(part, set())
    there = modules(part)
    forgotten = {file for file in there if not any(fnmatch.fnmatch(file, name) for name in names)}
    gone = {name for name in names if not fnmatch.filter(there, name)}
    assert (forgotten, gone) == (set(), set())


def test_every_module_has_a_test_file_of_its_name():
    files = [
        file.relative_to(ROOT)
        for folder in ("vrpcore", "cli", "export", "benchmarks")
        for file in (ROOT / folder).rglob("*.py")
        if not file.name.startswith("__")
    ]
    without = {
        str(file)
        for file in files
        if not (ROOT / "tests" / file.with_name(f"test_{file.name}")).exists()
    }
    assert without == {name for name, _ in UNTESTED}


def test_no_test_file_is_imported_by_another():
    imports = re.compile(r"^\s*(?:from|import) tests\.\S*\btest_\w+", re.MULTILINE)
    files = (ROOT / "tests").rglob("*.py")
    assert [file for file in files if imports.search(file.read_text())] == []


def test_no_file_is_longer_than_the_house_allows():
    files = [
        file
        for folder in ("vrpcore", "cli", "export", "benchmarks")
        for ending in ("py", "hpp", "cpp")
        for file in (ROOT / folder).rglob(f"*.{ending}")
    ]
    assert [file for file in files if len(file.read_text().splitlines()) > LONGEST] == []


def test_the_files_of_a_constraint_are_those_that_name_it():
    table = (ROOT / "docs/adding.md").read_text().split("| station | file |")[1].split("\n\n")[0]
    listed = set(re.findall(r"`((?:vrpcore|benchmarks)/[\w/]+\.\w+)`", table))
    files = {
        str(file.relative_to(ROOT))
        for folder in ("vrpcore", "cli", "export", "benchmarks")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".py", ".hpp", ".cpp", ".js"}
        if re.search(r"release", file.read_text(encoding="utf-8"), re.IGNORECASE)
    }
    assert listed == files - OTHER_RELEASES
