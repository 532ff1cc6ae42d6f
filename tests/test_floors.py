"""Each floor imports only floors below it; siblings never import each other."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.late_folders import LATE, late_folders

ROOT = Path(__file__).parent.parent
FLOORS = {
    "errors": 0,
    "version": 0,
    "threads": 0,
    "config": 1,
    "native": 1,
    "client": 1,
    "learn/device": 1,
    "instance": 2,
    "arrays": 3,
    "cost": 3,
    "formats": 3,
    "plot": 4,
    "referee": 4,
    "replan": 4,
    "learn/env": 4,
    "roads": 5,
    "modelling": 5,
    "learn/policy": 5,
    "search": 6,
    "learn/decode": 6,
    "solve": 7,
    "learn/train": 7,
    "api": 8,
    "learn/torch_backend": 8,
    "bench": 9,
    "cluster": 9,
    "serve": 9,
    "export": 9,
    "learn/bench": 10,
    "models": 0,
    "configs": 0,
    "cli": 11,
    "benchmarks": 12,
}
# What parts, and single files, may import of libraries that others must be free of. Each but torch
# and onnxruntime may be missing, of an extra that is not installed; these two take long to load,
# and `vrp solve` with an ONNX model never loads torch.
HEAVY = {
    "numpy": {part for part, floor in FLOORS.items() if floor > 1},
    "torch": {*(part for part in FLOORS if part.startswith("learn/")), "export", "benchmarks"},
    "triton": {"learn/decode"},
    "onnxruntime": {"solve"},
    "onnx": {"export"},
    "tensorboard": {"learn/train"},
    "wandb": {"learn/train"},
    "mlflow": {"learn/train"},
    "PIL": {"learn/train"},
    "typer": {"cli", "benchmarks"},
    "rich": {"cli", "benchmarks"},
    "yaml": {"config", "learn/train"},
    "matplotlib": {"benchmarks", "modelling", "plot"},
    "pandas": {"modelling"},
    "ray": {"cluster"},
    "pyarrow": {"cluster"},
    "fastapi": {"serve"},
    "fastapi_swagger": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "prometheus_client": {"serve"},
    "httpx2": {"roads"},
    "filelock": {"roads"},
    "python_calamine": {"formats"},
    "xlsxwriter": {"formats"},
    "rl4co": {"benchmarks/rl4co_worker.py"},
    "setuptools": {"native/build.py"},
}


def part_of(names):
    """The key in `FLOORS` of a module, given by its names from vrpcore on."""
    return "/".join(names[: 2 if names[0] == "learn" else 1]).removesuffix(".py")


def modules():
    """(part, path below the part's folder, file) of each source file."""
    for file in sorted((ROOT / "vrpcore").rglob("*.py")):
        inside = file.relative_to(ROOT / "vrpcore")
        if inside.as_posix() not in ("__init__.py", "learn/__init__.py"):
            yield part_of(inside.parts), inside.as_posix(), file
    for part in ("cli", "export", "benchmarks"):
        for file in sorted((ROOT / part).rglob("*.py")):
            yield part, f"{part}/{file.name}", file


# What is imported of `formats` from outside, and who imports more; docs/house.md says why.
DOOR_NAMES = ("archive", "files", "options", "read", "solutions", "spreadsheets", "write")
DOORS = {f"vrpcore.formats.{name}" for name in DOOR_NAMES}
BEHIND = {
    *("modelling/agreement.py", "modelling/builder.py"),
    *("referee/vroom_check.py", "serve/express.py", "serve/openapi.py", "solve/backend.py"),
    "benchmarks/command_keys.py",
}
VERSION = ["from vrpcore.version import VERSION", "__version__ = VERSION"]
NOTHING, BETWEEN = "\u2013", " \u00b7 "
CASES = list(modules())
FILES = {
    f"vrpcore.{inside.removesuffix('.py').replace('/', '.')}": file for _, inside, file in CASES
}


def names_of(node):
    """What an import statement imports; of `from vrpcore.a import b` also the module b."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    members = [f"{node.module}.{alias.name}" for alias in node.names]
    if node.module in ("vrpcore", "vrpcore.learn"):
        return members
    return [node.module, *(member for member in members if member in FILES)]


@cache
def imported(file):
    """Names that a file imports when it is loaded, those for types alone, and those in functions.

    The latter are loaded when a function is called.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found, kinds = ([], [], []), {}
    for node in ast.walk(tree):  # from outside to inside
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kinds |= dict.fromkeys(ast.walk(node), 2)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            kinds |= dict.fromkeys(ast.walk(node), 1)
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert getattr(node, "level", 0) == 0, f"{file}: relative import"
            found[kinds.get(node, 0)].extend(names_of(node))
    return found


@cache
def loads(name):
    """The libraries of `HEAVY`, and the folders of `LATE`, that are loaded with a module."""
    if (top := name.partition(".")[0]) in HEAVY:
        return {top}
    below = map(loads, imported(FILES[name])[0]) if name in FILES else ()
    return late_folders([name]).union(*below)


def table():
    """The rows of the table in docs/house.md."""
    for floor in sorted(set(FLOORS.values()), reverse=True):
        parts = [part for part, own in FLOORS.items() if own == floor]
        libraries = [", ".join(libraries_of(part)) or NOTHING for part in parts]
        if set(libraries) == {NOTHING}:
            libraries = [NOTHING]
        cells = (str(floor), BETWEEN.join(f"`{part}`" for part in parts), BETWEEN.join(libraries))
        yield f"| {' | '.join(cells)} |"


def libraries_of(part):
    """The libraries that a part may import, in words."""
    for library, places in HEAVY.items():
        if library == "numpy":
            continue
        if part in places:
            yield library
        for file in places:
            if file.startswith(f"{part}/"):
                yield f"{library} only in `{file}`"


def test_the_table_in_the_house_is_what_is_declared_here():
    rows = (ROOT / "docs/house.md").read_text(encoding="utf-8").splitlines()
    first = next(row for row, text in enumerate(rows) if text.startswith("| # | floor |")) + 2
    expected = list(table())
    assert rows[first : first + len(expected) + 1] == [*expected, ""]


def may_import(part, inside, name):
    """Whether a file may import a name: of its own part, of a floor below, of a library."""
    top, _, rest = name.partition(".")
    if top == "vrpcore":
        other = part_of(rest.split("."))
        return other == part or FLOORS[other] < FLOORS[part]
    if top in HEAVY:
        return bool({part, inside} & HEAVY[top])
    return top != "benchmarks" or part == "benchmarks"


def test_imports_go_down():
    wrong = []
    for part, inside, file in CASES:
        at_top, for_types, in_functions = imported(file)
        names = [*at_top, *(() if part == "cli" else (*for_types, *in_functions))]
        wrong += [f"{inside}: {name}" for name in names if not may_import(part, inside, name)]
    assert wrong == []


def test_formats_are_entered_by_their_doors():
    found = set()
    for part, inside, file in CASES:
        names = [name for names in imported(file) for name in names]
        behind = [name for name in names if name.startswith("vrpcore.formats.")]
        if part != "formats" and not DOORS.issuperset(behind):
            found.add(inside)
    assert found == BEHIND, "ask a door, or say in docs/house.md why not"


def test_the_house_names_the_doors_of_formats():
    house = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    doors, behind, *_ = house.split("**Formats** have doors: ")[1].split("\n\n")
    assert set(re.findall(r"`(\w+)\.py`", doors)) == set(DOOR_NAMES)
    assert set(re.findall(r"`([\w/]+\.py)`", behind)) == BEHIND


def learns(part):
    """Whether a part may load PyTorch with itself."""
    return part.startswith(("learn/", "export", "benchmarks"))


def of_learning(name):
    """Whether an import loads PyTorch, or belongs to what may load it."""
    return re.match(r"(torch|vrpcore\.(learn|export))\b", name) is not None


def test_solving_does_not_load_them():
    found = {
        inside
        for part, inside, file in CASES
        if not learns(part) and any(map(of_learning, imported(file)[0]))
    }
    assert found == set(), "import it where it is called, and list the file in the house"


def test_the_house_lists_who_loads_learning_when_called():
    """By an import in a function, for types, or by its name in a text."""
    house = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    listed = house.split("only when called: ")[1].split("\n\n")[0]
    found = set()
    for part, inside, file in CASES:
        names = {*imported(file)[1], *imported(file)[2]}
        by_name = '"vrpcore.learn.' in file.read_text(encoding="utf-8")
        if not learns(part) and (by_name or any(map(of_learning, names))):
            found.add(inside)
    assert set(re.findall(r"`([\w/]+\.py)`", listed)) == found


def test_imports_inside_functions_are_of_heavy_libraries_and_late_folders():
    wrong = []
    for part, inside, file in CASES:
        at_top, _, in_functions = imported(file)
        there = set().union(*map(loads, at_top))
        # A command loads what it needs when it runs, so that `--help` is fast.
        if part not in ("cli", "benchmarks"):
            wrong += [f"{inside}: {name}" for name in in_functions if not loads(name) - there]
    assert wrong == []


def test_the_house_names_the_late_folders():
    house = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    said = house.split("or one of the folders ")[1].split(" that ")[0]
    assert tuple(re.findall(r"`([\w/]+)`", said)) == LATE


def test_init_files_hold_a_docstring_and_nothing_else():
    files = {*(ROOT / "vrpcore").rglob("__init__.py"), *ROOT.glob("*/__init__.py")}
    top = ROOT / "vrpcore/__init__.py"
    _, *version = ast.parse(top.read_text(encoding="utf-8")).body
    assert [ast.unparse(each) for each in version] == VERSION
    for file in files - {top}:
        body = ast.parse(file.read_text(encoding="utf-8")).body
        assert len(body) == 1, file
        assert isinstance(body[0], ast.Expr), file
