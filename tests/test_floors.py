"""Each floor imports only floors below it; siblings never import each other."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = {
    "errors": 0,
    "version": 0,
    "threads": 0,
    "config": 1,
    "device": 1,
    "native": 1,
    "instance": 2,
    "arrays": 3,
    "cost": 3,
    "formats": 3,
    "env": 4,
    "plot": 4,
    "referee": 4,
    "roads": 5,
    "modelling": 5,
    "policy": 5,
    "decode": 6,
    "search": 6,
    "train": 7,
    "solve": 7,
    "api": 8,
    "export": 8,
    "bench": 9,
    "cluster": 9,
    "serve": 9,
    "models": 0,
    "configs": 0,
    "cli": 10,
    "benchmarks": 11,
}
HEAVY = {
    "torch": {"device", "env", "policy", "decode", "train", "export", "bench", "benchmarks"},
    "onnxruntime": {"solve"},
    "onnx": {"export"},
    "setuptools": set(),
    "typer": {"cli", "benchmarks"},
    "rich": {"cli", "benchmarks"},
    "yaml": {"config", "train"},
    "matplotlib": {"benchmarks", "modelling", "plot"},
    "pandas": {"modelling"},
    "ray": {"cluster"},
    "pyarrow": {"cluster"},
    "fastapi": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "prometheus_client": {"serve"},
    "httpx2": {"roads"},
}
ALSO = {
    ("solve/torch_backend.py", "torch"),
    ("native/build.py", "setuptools"),
}


def modules():
    """(part, path below the part's folder, file) of each source file."""
    for file in sorted((ROOT / "vrpcore").rglob("*.py")):
        inside = file.relative_to(ROOT / "vrpcore")
        if inside.name == "__init__.py" and len(inside.parts) == 1:
            continue
        yield inside.parts[0].removesuffix(".py"), inside.as_posix(), file
    for part in ("cli", "export", "benchmarks"):
        for file in sorted((ROOT / part).rglob("*.py")):
            yield part, f"{part}/{file.name}", file


def imported(file, *, nested):
    """Names that a file imports; with `nested`, inside functions as well."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inner = set()
    if not nested:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                inner |= set(ast.walk(node))
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                inner |= set(ast.walk(node))
    for node in ast.walk(tree):
        if node in inner:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            if node.module == "vrpcore":
                yield from (f"vrpcore.{alias.name}" for alias in node.names)
            else:
                yield node.module


CASES = list(modules())


@pytest.mark.parametrize(("part", "inside", "file"), CASES, ids=[case[1] for case in CASES])
def test_imports_go_down(part, inside, file):
    for name in imported(file, nested=part != "cli"):
        top, _, rest = name.partition(".")
        assert top != "benchmarks" or part == "benchmarks", f"{inside} imports {name}"
        if top == "vrpcore":
            other = rest.partition(".")[0]
            below = other == part or FLOORS[other] < FLOORS[part]
            assert below or (inside, name) in ALSO, f"{inside} imports {name}"
        elif top in HEAVY:
            allowed = part in HEAVY[top] or (inside, top) in ALSO
            assert allowed, f"{inside} imports {name}"


@pytest.mark.parametrize(("part", "inside", "file"), CASES, ids=[case[1] for case in CASES])
def test_files_stay_small(part, inside, file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 400


def test_init_files_hold_a_docstring_and_nothing_else():
    for file in [*(ROOT / "vrpcore").rglob("__init__.py"), *ROOT.glob("*/__init__.py")]:
        body = ast.parse(file.read_text(encoding="utf-8")).body
        assert len(body) == 1, file
        assert isinstance(body[0], ast.Expr), file
