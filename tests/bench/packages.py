"""What a release uploads: built, checked, and installed in bare environments that then solve.

python -m tests.bench.packages [-o RECORD]

Everything is made from a clone of the last commit. Each environment has nothing but pip, and its
packages come from the registry, or from pip's cache. Every extra has an environment of its own, in
which the modules of what it names are imported.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from functools import partial
from pathlib import Path

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.bench.timing import timed
from vrpcore.errors import DISTRIBUTION

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python -m tests.bench.packages"
MODULES = """
import importlib.util, json, re, sys
from importlib.metadata import packages_distributions
found = {}
for module, owners in sorted(packages_distributions().items()):
    if not module.isidentifier() or module[0] == "_" or not importlib.util.find_spec(module):
        continue  # folders of sources, data, compiled parts
    for name in {re.sub("[-_.]+", "-", name).lower() for name in owners} & {*sys.argv[1:]}:
        found.setdefault(name, []).append(module)
print(json.dumps(found))
"""
NOTE = (
    "Seconds of an environment: made, all packages installed, then used. What pip had fetched "
    "before comes from its cache. Packages and megabytes of an extra are those beyond the wheel "
    "alone."
)
COLUMNS = [Column("step"), Column("s", "{:.1f}"), Column("result")]


def run(*words, **options):
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [str(word) for word in words], check=True, capture_output=True, text=True, **options
    )
    return done.stdout


def megabytes(size):
    """A number of bytes in words."""
    return f"{size / 1e6:.1f} MB"


def contents(file):
    """Size, number of files and compiled libraries of an archive, in words."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            sizes = {each.filename: each.file_size for each in archive.infolist()}
    else:
        with tarfile.open(file) as archive:
            sizes = {each.name: each.size for each in archive.getmembers() if each.isfile()}
    libraries = sum(Path(name).name.startswith("vrp_") for name in sizes)
    unpacked = megabytes(sum(sizes.values()))
    return (
        f"`{file.name}`: {megabytes(file.stat().st_size)}, unpacked {unpacked}; "
        f"{len(sizes)} files, {libraries} of them compiled"
    )


def source_archive(clone, folder):
    """Packs the sources."""
    make = f"from vrpcore.native.build import build_sdist; print(build_sdist({str(folder)!r}))"
    return folder / run(sys.executable, "-c", make, cwd=clone).splitlines()[-1]


def wheel(sources, folder, **environment):
    """Builds a wheel from packed sources."""
    words = ("-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sources)
    run(sys.executable, *words, env=os.environ | environment)
    (file,) = folder.iterdir()
    return file


def environment(package, folder):
    """Installs a package in a bare environment; returns how many there are, and their bytes."""
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/pip", "install", "--no-compile", package)
    there = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return len(json.loads(run(folder / "bin/pip", "list", "--format", "json"))) - 1, there  # pip


def solved(package, folder, sizes):
    """Installs a package, solves the README's instances and checks them."""
    sizes[folder.name] = number, there = environment(package, folder)
    vrp, instances, answers = (
        folder / "bin/vrp",
        ROOT / "examples/instances.json",
        folder / "a.json",
    )
    run(vrp, "solve", instances, "-o", answers)
    checked = run(vrp, "check", instances, answers).count("ok\t")
    return f"{number} packages, {megabytes(there)}; {checked} instances solved and checked"


def named(extra, extras):
    """Names of the distributions that an extra asks for, those of extras within it among them."""
    for wanted in extras[extra]:
        if within := re.fullmatch(rf"{DISTRIBUTION}\[([\w,]+)\]", wanted):
            for each in within[1].split(","):
                yield from named(each, extras)
        else:
            yield re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", wanted)[0]).lower()


def imports(python, module):
    """Whether a module can be imported; old names that only warn or refuse cannot."""
    words = (python, "-W", "ignore", "-c", f"import {module}")
    return subprocess.run(words, capture_output=True).returncode == 0


def extended(file, extra, names, bare, folder):
    """Installs the wheel with an extra, and imports all modules of what that names."""
    number, there = environment(f"{file}[{extra}]", folder)
    imported = []
    for name, modules in json.loads(run(folder / "bin/python", "-c", MODULES, *names)).items():
        there_are = [each for each in modules if imports(folder / "bin/python", each)]
        if not there_are:
            raise SystemExit(f"{extra}: none of {name}'s modules can be imported: {modules}")
        imported += there_are
    shutil.rmtree(folder)
    more = f"{number - bare[0]} packages more, {megabytes(there - bare[1])}"
    return f"{more}; imported: {', '.join(sorted(imported))}"


def steps(folder):
    """(name, call) of each step, in order; later ones use what earlier ones left."""
    clone, bare = folder / "clone", folder / "empty"
    for each in (bare, folder / "cxx", folder / "zig"):
        each.mkdir()
    run("git", "clone", "--quiet", ROOT, clone)
    yield "source archive", lambda: contents(source_archive(clone, folder))
    (sources,) = folder.glob("*.tar.gz")
    yield "wheel from it", lambda: contents(wheel(sources, folder / "cxx"))
    (file,) = (folder / "cxx").iterdir()
    no_compiler = {"PATH": str(bare), "CXX": ""}
    yield (
        "wheel without a compiler on PATH (ziglang from the registry)",
        lambda: contents(wheel(sources, folder / "zig", **no_compiler)),
    )
    check = (sys.executable, "-m", "twine", "check", "--strict", sources, file)
    yield "`twine check --strict`", lambda: f"{run(*check).count('PASSED')} passed"
    sizes = {}
    for name, package in (("wheel", file), ("source archive", sources)):
        call = partial(solved, package, folder / f"of {name}", sizes)
        yield f"the {name} in a bare environment", call
    project = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for extra in extras:
        call = partial(extended, file, extra, sorted({*named(extra, extras)}), sizes["of wheel"])
        yield f"`{DISTRIBUTION}[{extra}]`", partial(call, folder / extra)


def main():
    """Prints the table, or writes it as a record."""
    args = arguments(__doc__, output=OUTPUT)
    rows, about = [], origin(COMMAND)
    with tempfile.TemporaryDirectory() as folder:
        for name, call in steps(Path(folder)):
            took = timed(call)
            rows.append([name, took.wall_s, took.result])
            print(f"{name}: {took.result} ({took.wall_s:.1f} s)", file=sys.stderr, flush=True)
    show(Record(**about, columns=COLUMNS, rows=rows, notes=[NOTE]), args.output)


if __name__ == "__main__":
    main()
