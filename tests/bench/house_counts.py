"""How large the house is, before and after it was put in order: lines, types, files, circles.

python -m tests.bench.house_counts BEFORE [--after AFTER] [-o docs/results/records/house.json]

BEFORE and AFTER (default: this checkout) are folders with a checkout each.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.records import ROOT, Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show

PRODUCT = ("vrpcore", "cli", "export", "benchmarks")
PYTHON, CPP, PAGE = {".py"}, {".cpp", ".hpp"}, {".js", ".css", ".html"}
# What both trees have, by the beginnings of its paths; the first that fits counts.
GROUPS = {
    "comparisons, not installed": r"benchmarks/",
    "C++": r".*\.[ch]pp$",
    "page": r"vrpcore/serve/page/",
    "instance": r"vrpcore/instance/",
    "formats": r"vrpcore/formats/",
    "costs and referee": r"vrpcore/(cost|referee)/",
    "arrays, env, policy, decode": r"vrpcore/(arrays|env|policy|decode)/",
    "train": r"vrpcore/train/",
    "search, native": r"vrpcore/(improve|search|native)/",
    "solve": r"vrpcore/solve/",
    "bench": r"vrpcore/bench/",
    "serve": r"vrpcore/serve/",
    "modelling, plot, roads, config, cluster": r"vrpcore/(modelling|plot|roads|config|cluster)/",
    "cli": r"cli/",
    "export, modules of `vrpcore` itself": r"",
}
GOALS = {
    "lines in the repository": "52 500",
    "lines installed": "48 000",
    "neural stack, lines of Python": "1300 fewer",
    "types that mean an instance": "15",
    "files of a number of a stop (`release`)": "12",
    "circles of modules": "0",
    "circles of folders": "0",
}
# Types that hold one instance, or a batch of them, by the paths of both trees.
TYPES = (
    *(("formats/.*", name) for name in ("JsonObject", "Fields", "_Customers", "Base", "_Assembly")),
    *(("formats/.*", name) for name in ("SheetInstance", "VroomInstance")),
    *(("instance/.*", name) for name in ("Constraints", "Instance", "VroomInstance", "Problems")),
    *((r"instance/variant.*", "_Problem"), ("solve/order.py", "Task")),
    *(("arrays/.*", name) for name in ("Batch", "RuleBatch")),
    *(("env/.*", name) for name in ("DeviceBatch", "RuleInputs", "Inputs")),
    *(("train/.*py", name) for name in ("TrainBatch", "VariantBatch", "Loads")),
    *(("train/.*py", name) for name in ("RuleArrays", "VariantArrays")),
    *(("(improve|search)/.*py", name) for name in ("Problem", "RuleProblem", "RichProblem")),
    *(("(improve|search)/.*py", name) for name in ("Rules", "PackedInstance", "_Input", "Input")),
    *((r".*hpp", name) for name in ("Problem", "RulesInput", "RichInput", "RuleSet")),
    *((r".*hpp", name) for name in ("RichProblem", "Loads", "RuleArrays", "VariantArrays")),
    *(("serve/page/.*js", name) for name in ("Problem", "Rules")),
)
WORDS = ("constraint", "rich", "variant", "rule", "constrained", "covered", "planned", "detailed")
# Files that release a lock or a job, or name a release of a program.
OTHER_RELEASES = r"export/triton|/label\.py|/native\.py|/hgs_library|serve/(jobs|runner)|/threads"


def product(root: Path) -> dict[str, str]:
    """Reads all files of the product, by path."""
    return {
        str(file.relative_to(root)): file.read_text(encoding="utf-8")
        for folder in PRODUCT
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in PYTHON | CPP | PAGE and not {"ort", "build"} & set(file.parts)
    }


def lines_by_group(files: dict[str, str]) -> dict[str, int]:
    """Counts lines, blank ones and comments as well."""
    found = dict.fromkeys(GROUPS, 0)
    for path, text in files.items():
        group = next(name for name, begin in GROUPS.items() if re.match(begin, path))
        found[group] += len(text.splitlines())
    return found


def types(files: dict[str, str]) -> list[str]:
    """Lists the types that mean an instance, each with its language."""
    found = []
    for path, text in files.items():
        for where, name in TYPES:
            defined = rf"^(?:class|struct) {name}\b(?!;)|^ \* @typedef {{Object}} {name}$"
            defined += rf"|^export class {name}\b"
            if re.match(f"vrpcore/{where}$", path) and re.search(defined, text, re.MULTILINE):
                found.append(f"{name} ({Path(path).suffix[1:]})")
    return sorted(found)


def imports(path: str, text: str, modules: set[str]) -> Iterator[str]:
    """Yields the modules that a module imports, inside functions as well."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{each.name}" for each in node.names}
            yield from modules & (inside | {node.module})
        elif isinstance(node, ast.Import):
            yield from modules & {each.name for each in node.names}


def circles(links: dict[str, set[str]]) -> list[set[str]]:
    """Finds the largest groups of which each reaches all others."""

    def reached(start: str) -> set[str]:
        found, waiting = set[str](), [start]
        while waiting:
            new = links.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    all_of = {each: reached(each) for each in links}
    groups = {
        frozenset(other for other in found if each in all_of.get(other, ()))
        for each, found in all_of.items()
    }
    return [set(group) for group in groups if len(group) > 1]


def links(files: dict[str, str]) -> dict[str, set[str]]:
    """Finds what each module imports."""
    named = {}
    for path in files:
        if path.endswith(".py"):
            name = path[:-3].replace("/", ".").removesuffix(".__init__")
            named[name if path.startswith(("vrpcore", "benchmarks")) else f"vrpcore.{name}"] = path
    return {
        name: set(imports(path, files[path], set(named))) - {name} for name, path in named.items()
    }


def folders(modules: dict[str, set[str]]) -> dict[str, set[str]]:
    """Finds which folders of `vrpcore` import which others."""
    found: dict[str, set[str]] = {}
    for name, others in modules.items():
        own = ".".join(name.split(".")[:2])
        found.setdefault(own, set()).update(
            other for each in others if (other := ".".join(each.split(".")[:2])) != own
        )
    return found


def words(files: dict[str, str]) -> str:
    """Counts names of modules, classes and functions with a word for "more than plain"."""
    names = [Path(path).stem for path in files]
    for path, text in files.items():
        if path.endswith(".py"):
            nodes = ast.walk(ast.parse(text))
            kinds = ast.ClassDef | ast.FunctionDef
            names += [node.name for node in nodes if isinstance(node, kinds)]
    parts = [re.findall(r"[A-Z]?[a-z]+", name) for name in names]
    counts = {
        word: sum(any(part.lower().rstrip("s") == word for part in own) for own in parts)
        for word in WORDS
    }
    return ", ".join(f"{word} {count}" for word, count in counts.items() if count)


def counts(root: Path) -> dict[str, int | str]:
    """Counts everything in one checkout."""
    files = product(root)
    by_group = lines_by_group(files)
    modules = links(files)
    total = sum(by_group.values())
    tests = sum(
        len(file.read_text(encoding="utf-8").splitlines())
        for file in (root / "tests").rglob("*")
        if file.suffix in PYTHON | CPP
    )
    release = [
        path
        for path, text in files.items()
        if re.search("release", text, re.IGNORECASE) and not re.search(OTHER_RELEASES, path)
    ]
    return by_group | {
        "lines in the repository": total,
        "lines installed": total - by_group["comparisons, not installed"],
        "neural stack, lines of Python": by_group["arrays, env, policy, decode"]
        + by_group["train"],
        "types that mean an instance": len(types(files)),
        "files of a number of a stop (`release`)": len(release),
        "circles of modules": len(circles(modules)),
        "circles of folders": len(circles(folders(modules))),
        'definitions by words for "more than plain"': words(files),
        "lines of tests": tests,
    }


def main() -> None:
    args = arguments(
        __doc__, before=Path, after={"flags": ("--after",), "type": Path, "default": ROOT},
        output=OUTPUT,
    )  # fmt: skip
    before, after = counts(args.before), counts(args.after)
    for root in (args.before, args.after):
        files = product(root)
        print(f"{root}: {', '.join(types(files))}")
        modules = links(files)
        print(*(sorted(each) for each in (*circles(modules), *circles(folders(modules)))), sep="\n")
    record = Record(
        **origin("python -m tests.bench.house_counts BEFORE"),
        columns=[Column("of the product"), Column("goal"), Column("before"), Column("now")],
        rows=[[name, GOALS.get(name), before[name], after[name]] for name in after],
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
