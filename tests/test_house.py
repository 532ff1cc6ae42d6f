"""docs/house.md, docs/adding.md and the tree agree: folders, names, test files."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST, WIDEST = 600, 100
TOP = {"vrpcore", "export", "cli", "benchmarks", "configs", "examples", "tests", "docs"}
ROOTS = ("vrpcore", "benchmarks")
# Modules without a test file of their name, each with the reason.
UNTESTED = (
    ("benchmarks/rl4co_worker.py", "a script for another interpreter, the one with rl4co"),
    *(
        (
            f"vrpcore/learn/decode/{name}.py",
            "a program of Triton's; the tests of persistent.py run it",
        )
        for name in ("kernel_parts", "likelihood_kernel", "tiled_kernel", "tour_kernel")
    ),
)
# Public, whatever they look like: of named tuples, and what notebooks ask for.
PUBLIC = {"_asdict", "_fields", "_replace", "_repr_html_", "_repr_png_"}
# Private names of the product that tests use all the same: sizes that make a test small, and
# steps of training, decoding and export that no public name gives one by one.
INSIDE = {
    "cli/test_commands.py": {"_SIZES"},
    "cli/test_export.py": {"_SIZES"},
    "export/conftest.py": {"_SIZES"},
    "export/test_onnx.py": {"_convert"},
    "vrpcore/learn/decode/test_accelerated.py": {"_PATIENCE_S", "_eager", "_small_bucket"},
    "vrpcore/learn/decode/test_fixed_shape.py": {
        "_MOST_GRAPHS",
        "_graph",
        "_graph_pool",
        "_record",
    },
    "vrpcore/learn/decode/test_lowering.py": {"_advance"},
    "vrpcore/learn/decode/test_persistent.py": {"_WORKS"},
    "vrpcore/learn/policy/test_own_code.py": {"_SIZES"},
    "vrpcore/learn/test_fake_solving.py": {"_PATIENCE_S", "_compile"},
    "vrpcore/learn/train/test_engine.py": {"_gather", "_learn"},
    "vrpcore/learn/train/test_fused_pass.py": {"_measured", "_tried"},
    "vrpcore/learn/train/test_validate.py": {"_CHUNK_ELEMENTS_CPU"},
}


# Where a name in the documents may begin, and what it may leave out at its end.
BEGINNINGS = ("", "vrpcore", "vrpcore/formats", "vrpcore/native", "vrpcore/serve")
ENDINGS = ("", ".py", ".hpp", ".cpp", ".js")
TO_WRITE = "NAME"  # stands for a name of the reader's own
MADE = {"build/"}  # by setuptools
# What is installed, and what of it counts as lines.
SHIPPED, CODE = ("vrpcore", "cli", "export"), {".py", ".hpp", ".cpp", ".js", ".css", ".html"}
REST = ("all others",)  # the row of what no other row names


def files_named(text):
    """The names of files and folders that a document has in backticks, outside its trees."""
    for name in re.findall(r"`([\w./-]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        is_file = "/" in name or name.endswith((".py", ".hpp", ".cpp", ".js", ".sh"))
        if is_file and TO_WRITE not in name and name not in MADE:
            yield name


def private(name):
    """Whether a name is private to a module or a class."""
    return name.startswith("_") and not name.startswith("__")


def private_names(tree):
    """The private names that a module defines, its own and those of its objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
        else:
            continue
        if private(name):
            yield name


def called(call):
    """The last part of the name that is called; None where it has none."""
    return getattr(call.func, "attr", getattr(call.func, "id", None))


def reached(tree):
    """The private names that a module takes from others: imported, read or replaced."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ROOTS):
            yield from filter(private, (name.name for name in node.names))
        elif isinstance(node, ast.Attribute):
            of_itself = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            yield from filter(private, () if of_itself else (node.attr,))
        elif isinstance(node, ast.Call) and called(node) in ("setattr", "getattr"):
            texts = (each.value for each in node.args if isinstance(each, ast.Constant))
            yield from filter(
                private, (str(text).rpartition(".")[2] for text in texts if isinstance(text, str))
            )


# Files that release a lock or a job, or name a release of a program.
OTHER_RELEASES = {
    *("vrpcore/search/label.py", "vrpcore/search/hgs_library.py"),
    *("vrpcore/native/shared/watch.hpp", "vrpcore/serve/jobs.py"),
    *("vrpcore/serve/job_events.py", "vrpcore/serve/runner.py", "vrpcore/threads.py"),
}


def modules():
    """The files of all modules."""
    for folder in ("vrpcore", "cli", "export", "benchmarks"):
        yield from (ROOT / folder).rglob("*.py")


@cache
def parsed(file):
    """The tree of a file of Python."""
    return ast.parse(file.read_text(encoding="utf-8"))


def budgets():
    """The rows of the table of sizes in docs/house.md: names of folders, and thousands of lines."""
    table = (ROOT / "docs/house.md").read_text().split("| folder | thousands of lines |")[1]
    rows = re.findall(r"^\| (.+) \| ([\d.]+) \|$", table.split("\n\n")[0], re.MULTILINE)
    return {tuple(re.findall(r"`([\w/]+)`", names)) or REST: float(most) for names, most in rows}


def sizes(rows):
    """The lines of each row: a file counts in the row that names the innermost of its folders."""
    rows_of = {folder: row for row in rows for folder in row}
    found = Counter(dict.fromkeys(rows, 0))
    for file in (path for top in SHIPPED for path in (ROOT / top).rglob("*")):
        if file.suffix in CODE:
            path = file.relative_to(ROOT).as_posix().removeprefix("vrpcore/")
            inside = [folder for folder in rows_of if path.startswith(f"{folder}/")]
            row = rows_of[max(inside, key=len)] if inside else REST
            found[row] += len(file.read_text(encoding="utf-8").splitlines())
    return found


def test_no_folder_is_larger_than_its_budget():
    rows = budgets()
    found = sizes(rows)
    assert all(found.values()), f"no such folder: {found}"
    assert [
        f"{', '.join(row)}: {found[row]} lines, expected at most {most * 1000:.0f}; take out as "
        "much as you add, or raise the row in docs/house.md and say in the commit why"
        for row, most in rows.items()
        if found[row] > round(most * 1000)
    ] == []


def test_the_pages_have_no_more_words_than_their_budget():
    text = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    most = float(re.findall(r"have at most ([\d.]+) thousand words", text)[0])
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in pages)
    assert words <= round(most * 1000), "take out as much as you add, or say in the commit why not"


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
    assert {each for each in named if each.startswith("vrpcore")} == there
    assert {each for each in named if "/" not in each} == {
        file.name for file in ROOT.iterdir() if file.is_dir() and file.name in TOP
    }


@pytest.mark.parametrize("page", ["how_it_works", "adding", "house"])
def test_the_files_that_a_page_names_are_there(page):
    found = list(files_named((ROOT / f"docs/{page}.md").read_text(encoding="utf-8")))
    written = {file.name for folder in sorted(TOP) for file in (ROOT / folder).rglob("*.*")}
    assert found
    assert [
        name
        for name in found
        if not ("/" not in name and name in written)
        and not any(
            (ROOT / beginning / f"{name}{ending}").exists()
            for beginning in BEGINNINGS
            for ending in ENDINGS
        )
    ] == []


def test_every_module_says_what_it_holds():
    for file in modules():
        text = ast.get_docstring(parsed(file))
        assert text and text.splitlines()[0].endswith((".", ":")), file


def test_no_docstring_begins_with_a_question():
    question = re.compile(r"(What|Who|Whom|Whose|Whether|By how much|The same)\b")
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    assert [
        f"{file}: {text.splitlines()[0]}"
        for file in modules()
        for node in ast.walk(parsed(file))
        if isinstance(node, kinds) and question.match(text := ast.get_docstring(node) or "")
    ] == []


def test_no_two_modules_have_a_class_of_the_same_name():
    names = Counter(
        node.name
        for file in modules()
        for node in parsed(file).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


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


def test_no_test_reaches_into_what_is_private_to_the_product():
    product = {name for file in modules() for name in private_names(parsed(file))}
    found = {}
    for file in (ROOT / "tests").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if product.isdisjoint(re.findall(r"\b_\w+", text)):
            continue  # before it is parsed: most reach for nothing of the kind
        tree = ast.parse(text)
        if names := set(reached(tree)) & product - set(private_names(tree)) - PUBLIC:
            found[file.relative_to(ROOT / "tests").as_posix()] = names
    assert found == INSIDE


def test_no_file_is_longer_than_the_house_allows():
    files = [
        file
        for folder in ("vrpcore", "cli", "export", "benchmarks", "tests")
        for ending in ("py", "hpp", "cpp")
        for file in (ROOT / folder).rglob(f"*.{ending}")
    ]
    assert [file for file in files if len(file.read_text().splitlines()) > LONGEST] == []


def test_no_line_of_c_plus_plus_is_wider_than_those_of_python():
    """Ruff looks at Python's."""
    wide = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in (ROOT / "vrpcore/native").rglob("*.[ch]pp")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > WIDEST
    ]
    assert wide == []


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
