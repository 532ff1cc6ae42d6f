"""Every error code that the sources have is explained in docs/interface/errors.md, and no other."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "interface" / "errors.md"
CODE = re.compile(r"[A-Z][A-Z0-9_]+")
NAMES = {"code", "default_code"}
RETURNED = {"UNSERVED"}  # by a function, among other things
WARNINGS = {"NO_GEOMETRY"}  # on the page of answers


def trees():
    """The installed sources, parsed."""
    for folder in ("vrpcore", "cli", "export"):
        for file in (ROOT / folder).rglob("*.py"):
            text = file.read_text()
            if "code" in text and not any(parent.is_symlink() for parent in file.parents):
                yield ast.parse(text)


def positions(nodes):
    """Where calls of each function have a code: the place of its parameter `code`."""
    found = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [each.arg for each in node.args.args if each.arg != "self"]
            if "code" in names:
                found[node.name].add(names.index("code"))
    return found


def given(node, places):
    """The expressions that a node gives for a code."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
        name = name.id if isinstance(name, ast.Name) else name
        where = places[name] if isinstance(name, str) else ()
        yield from (node.args[place] for place in where if place < len(node.args))
        yield from (each.value for each in node.keywords if each.arg == "code")
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        if isinstance(node.value, ast.Tuple):
            pairs = zip(node.targets[0].elts, node.value.elts, strict=False)
            yield from (value for name, value in pairs if getattr(name, "id", "") in NAMES)
    elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in NAMES:
        yield node.value
    elif isinstance(node, ast.Dict):
        keys = (getattr(key, "value", None) for key in node.keys)
        yield from (value for key, value in zip(keys, node.values, strict=True) if key == "code")
    elif isinstance(node, ast.arguments):
        later = node.args[len(node.args) - len(node.defaults) :]
        pairs = zip(later, node.defaults, strict=True)
        yield from (value for name, value in pairs if name.arg == "code")


def codes(sources):
    """The codes of parsed sources; constants are known by their names."""
    nodes = [node for tree in sources for node in ast.walk(tree)]
    constants = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    places = positions(nodes)
    found = set()
    for node in nodes:
        for value in given(node, places):
            value = constants.get(getattr(value, "id", None), value)
            if isinstance(value, ast.Constant) and CODE.fullmatch(str(value.value)):
                found.add(value.value)
    return found


def test_every_code_is_explained_and_no_other():
    cells = re.findall(r"^\| (`[A-Z].*?`) \|", PAGE.read_text(), re.MULTILINE)
    explained = [code for cell in cells for code in re.findall(r"`([A-Z0-9_]+)`", cell)]
    assert len(explained) == len(set(explained))
    assert set(explained) == (codes(trees()) | RETURNED) - WARNINGS


def test_codes_are_found_however_they_are_given():
    source = """
HERE = "SIXTH"
def fault(place, message, code): ...
def room(size, code="FIRST"): ...
class Broken(Exception):
    default_code = "SECOND"
class Section:
    def fault(self, message, code, line=0): ...
def f(section):
    fault("DEPOT_SECTION", "text", "THIRD")
    section.fault("text", "FOURTH", 3)
    Broken("text", code="FIFTH")
    fault("place", "text", HERE)
    number, code = 3, "SEVENTH"
    return {"code": "EIGHTH", "message": "TEXT"}
"""
    words = "FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH"
    assert codes([ast.parse(source)]) == set(words.split())
