"""Mutants: which small changes of the sources no test notices.

python -m tests.bench.mutants vrpcore/referee/referee.py --tests \
    tests/vrpcore/referee/test_referee.py
python -m tests.bench.mutants vrpcore/native/hgs/*.hpp --sample 60 --tests \
    tests/vrpcore/native/hgs/test_anneal.py tests/vrpcore/search/test_hgs_library.py

Prints each mutant that survives: its place, the line, what the line became. A mutant is
killed when a test fails, crashes or takes longer than `--seconds`. The sources stay as they
are: a process of its own per mutant imports the changed module, or loads the search compiled
from a changed copy (which does not count if the compiler refuses it). Left out in C++:
memory that is laid out (`take`, a matter of the sanitizers' tests), printing and types.
"""

import ast
import copy
import importlib.machinery
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy  # noqa: F401 - what is imported here is not imported again for each mutant
import pytest
import torch  # noqa: F401
from hypothesis import Phase, settings

from tests.bench.arguments import arguments
from vrpcore.native.compiler import compile_library, find_compilers
from vrpcore.native.library import WORKING_DAY


def _both_ways(pairs):
    couples = [pair.split() for pair in pairs.split(", ")]
    return {a: b for one, other in couples for a, b in ((one, other), (other, one))}


OPERATORS = _both_ways(
    "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, Add Sub, Mult Div, BitAnd BitOr, And Or"
) | {"FloorDiv": "Mult", "Mod": "Mult", "Pow": "Mult", "LShift": "RShift"}
CALLS = _both_ways("min max, any all, ceil floor, minimum maximum, amin amax, zeros ones")
REMOVED = (ast.Expr, ast.AugAssign, ast.Assign, ast.Continue, ast.Break, ast.Raise)
# In C++ by the text of a line: what is found, and what it becomes.
_SIGNS = _both_ways("< <=, > >=, == !=, + -, * /, += -=, && ||") | {"%": "/"}
PATTERNS = [(rf" {re.escape(a)} ", f" {b} ") for a, b in _SIGNS.items()]
PATTERNS += [(" < ", " >= "), (" > ", " <= ")]
PATTERNS += [(r"\+\+", "--"), (r"--", "++"), (r"\bmin\(", "max("), (r"\bmax\(", "min(")]
PATTERNS += [(r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"!(?=[\w(])", "")]
PATTERNS += [(r"\b(break|continue);", ";"), (r"^(\s+)[\w.\[\]>()-]+ [-+]?= .*;$", r"\1;")]
PATTERNS += [(r"^(\s+)[\w.]+\([^{}]*\);$", r"\1;")]
_LEFT_OUT = re.compile(r"^\s*(//|#|template|using|namespace|static_assert)|take<|std::printf")
_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?|\d+)(?![\w.'])")


def python_mutants(source):
    """(line, what it became, code to compile) of every mutant of a module."""
    tree = ast.parse(source)
    skipped = {id(part) for node in ast.walk(tree) for part in _untouched(node)}
    for index, node in enumerate(ast.walk(tree)):
        for number in range(len([] if id(node) in skipped else list(_changes(node)))):
            changed = copy.deepcopy(tree)
            nodes = list(ast.walk(changed))
            list(_changes(nodes[index]))[number]()
            around = [
                each for each in nodes if isinstance(each, ast.stmt) and _holds(each, nodes[index])
            ]
            text = ast.unparse(ast.fix_missing_locations(around[-1])).splitlines()[0]
            yield getattr(node, "lineno", around[-1].lineno), text, changed


def _holds(statement, node):
    return any(part is node for part in ast.walk(statement))


def _untouched(node):
    """Annotations, decorators and the text of docstrings."""
    roots = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    roots += getattr(node, "decorator_list", [])
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        roots.append(node)
    return [part for root in roots if root for part in ast.walk(root)]


def _changes(node):
    """What may be done to a node of the tree, as functions that do it."""

    def put(name, value):
        return lambda: setattr(node, name, value)

    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            ops = list(node.ops)
            ops[place] = _other(operator)
            yield put("ops", ops)
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        yield put("op", _other(node.op))
    elif isinstance(node, ast.Constant):
        value = node.value
        others = {bool: lambda: [not value], int: lambda: [value + 1, value - 1]}
        others[float] = lambda: [value * 2 or 1.0, value / 2 or -1.0]
        yield from (put("value", other) for other in others.get(type(value), list)())
    elif isinstance(node, ast.UnaryOp):
        yield put("operand", ast.UnaryOp(type(node.op)(), node.operand))
    elif isinstance(node, ast.Name) and node.id in CALLS:
        yield put("id", CALLS[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in CALLS:
        yield put("attr", CALLS[node.attr])
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield put("test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield put("ifs", [])
    if isinstance(node, REMOVED):
        yield lambda: (setattr(node, "__class__", ast.Pass), node.__dict__.pop("value", None))


def _other(operator):
    return getattr(ast, OPERATORS[type(operator).__name__])()


def cpp_mutants(source):
    """(line, what it became, the changed source) of every mutant of a header."""
    lines = source.splitlines()
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        if _LEFT_OUT.search(line) or not code:
            continue
        found = [(hit, hit.expand(new)) for old, new in PATTERNS for hit in re.finditer(old, code)]
        for hit in _NUMBER.finditer(code):
            found.append((hit, str(float(hit[0]) * 2 + 1 if "." in hit[0] else int(hit[0]) + 1)))
        for hit, new in found:
            changed = code[: hit.start()] + new + code[hit.end() :]
            whole = [*lines[:number], changed, *lines[number + 1 :]]
            yield number + 1, changed.strip() or "(removed)", "\n".join(whole) + "\n"


def prepare(file, mutant, folder):
    """What a new process has to do to run with a mutant; None where it cannot be compiled."""
    if file.suffix == ".py":
        code = compile(ast.fix_missing_locations(mutant), str(file), "exec")
        return lambda: _replace_module(file, code)
    native = folder / "native"
    shutil.copytree(file.parents[1], native, ignore=shutil.ignore_patterns("*.so", "__p*"))
    (native / file.parent.name / file.name).write_text(mutant)
    windows = Path("tests/vrpcore/native/hgs/inside.cpp").resolve()
    flags = ("-include", str(windows), "-I", str(native / "hgs"), "-O1", "-w")
    compiler = next(find_compilers())
    try:
        for name, extra in (("hgs", flags), ("rich", (*WORKING_DAY.flags, "-O1", "-w"))):
            source = native / name / f"{name}.cpp"
            compile_library(compiler, folder / f"{name}.so", extra, source)
    except subprocess.CalledProcessError:
        return None
    return lambda: _replace_libraries(folder)


def _replace_module(file, code):
    loader = importlib.machinery.SourceFileLoader
    before = loader.get_code
    loader.get_code = lambda self, name: (
        code if Path(self.path).resolve() == file.resolve() else before(self, name)
    )


def _replace_libraries(folder):
    from tests.vrpcore.native.hgs import inside
    from vrpcore.search import hgs_library, rich_library

    rich = partial(rich_library.load_library, folder / "rich.so")  # of all instances
    rich_library.load_library = lambda *_: rich()
    hgs_library.load_library = _loader(hgs_library.load_library, folder / "hgs.so")
    inside.build_inside = lambda *_: inside.Inside(hgs_library.load_library())


def _loader(load, file):
    """Loads this file where no other is named."""
    return lambda path=file: load(path)


def passes(change, tests, seconds):
    """Whether the tests pass in a process of its own that begins with a change."""

    def run():
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        change()
        os._exit(pytest.main(["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *tests]))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode == 0


def main():
    given = arguments(
        __doc__,
        sources=[Path],
        tests={"nargs": "+", "required": True},
        sample={"type": int, "help": "so many mutants at random"},
        seed=0,
        seconds=60.0,
    )
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", database=None, derandomize=True, phases=phases)
    settings.load_profile("mutants")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    assert passes(lambda: None, given.tests, 600.0), "the tests fail without any change"
    every = []
    for file in given.sources:
        mutants = python_mutants if file.suffix == ".py" else cpp_mutants
        every += [(file, *mutant) for mutant in mutants(file.read_text())]
    if given.sample:
        random.Random(given.seed).shuffle(every)
    survived = killed = 0
    for file, line, text, mutant in every:
        with tempfile.TemporaryDirectory(prefix="vrp-mutant-") as folder:
            change = prepare(file, mutant, Path(folder))
            survives = change and passes(change, given.tests, given.seconds)
        survived, killed = survived + bool(survives), killed + (survives is False)
        if survives:
            was = file.read_text().splitlines()[line - 1].strip()
            print(f"survived {file.name}:{line}: {was}\n    -> {text}", flush=True)
        if survived + killed == given.sample:
            break
    print(f"{survived + killed} mutants, {killed} killed, {survived} survived")


if __name__ == "__main__":
    main()
