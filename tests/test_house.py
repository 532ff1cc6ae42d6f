"""docs/house.md, docs/adding.md and the tree agree: folders, names, test files."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 400
TOP = {"vrpcore", "export", "cli", "benchmarks", "configs", "examples", "tests", "docs"}
VENDORED = {"vrpcore/serve/page/ort"}  # of other projects
# Modules without a test file of their name, each with the reason.
UNTESTED = (("benchmarks/rl4co_worker.py", "a script for another interpreter, the one with rl4co"),)

# Files that release a lock or a job, or name a release of a program.
OTHER_RELEASES = {
    *("export/triton.py", "vrpcore/search/label.py", "vrpcore/search/hgs_library.py"),
    *("vrpcore/serve/jobs.py", "vrpcore/serve/runner.py", "vrpcore/threads.py"),
}


def modules():
    """The files of all modules."""
    for folder in ("vrpcore", "cli", "export", "benchmarks"):
        yield from (ROOT / folder).rglob("*.py")


def test_the_tree_names_every_folder_and_no_other():
    tree = (ROOT / "docs/house.md").read_text().split("```")[1]
    named, path = set(), []
    for line in tree.splitlines():
        if found := re.match(r"( *)(\w+)/", line):
            path = [*path[: len(found[1]) // 2], found[2]]
            named.add("/".join(path))
    code = {
        file.parent
        for ending in ("py", "hpp", "js")
        for file in ROOT.glob(f"vrpcore/**/*.{ending}")
    }
    there = {folder.relative_to(ROOT).as_posix() for folder in code} | {"vrpcore/models"}
    assert {each for each in named if each.startswith("vrpcore")} == there - VENDORED
    assert {each for each in named if "/" not in each} == {
        file.name for file in ROOT.iterdir() if file.is_dir() and file.name in TOP
    }


def test_every_module_says_what_it_holds():
    for file in modules():
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        assert text and text.splitlines()[0].endswith((".", ":")), file


def test_no_two_modules_have_the_same_name():
    names = Counter(file.name for file in modules() if not file.name.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


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
