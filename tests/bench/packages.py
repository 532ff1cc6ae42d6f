"""What a release uploads: built, checked, and installed in bare environments that then solve.

python -m tests.bench.packages [-o RECORD]

Everything is made from a clone of the last commit. Each environment has nothing but pip, and its
packages come from the registry. The extras are only resolved: no file of theirs is fetched that
pip does not need for that.
"""

import json
import os
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
SOLVE = "{vrp} solve {instances} -o {answers} && {vrp} check {instances} {answers}"
NOTE = "Seconds of an extra: pip resolves twice, with and without it, and waits for the registry."
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


def solved(package, folder):
    """Installs a package in a bare environment, solves the README's instances and checks them."""
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/pip", "install", "--no-compile", package)
    there = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    number = len(json.loads(run(folder / "bin/pip", "list", "--format", "json"))) - 1  # pip
    names = {"instances": ROOT / "examples/instances.json", "answers": folder / "answers.json"}
    answered = run("sh", "-c", SOLVE.format(vrp=folder / "bin/vrp", **names))
    checked = answered.count("ok\t")
    return f"{number} packages, {megabytes(there)}; {checked} instances solved and checked"


def resolved(file, extra, python):
    """How many packages an extra adds to those of the wheel alone."""
    words = (python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet")
    both = [
        len(json.loads(run(*words, "--report", "-", wanted))["install"])
        for wanted in (file, f"{file}[{extra}]")
    ]
    return f"{both[1] - both[0]} packages more"


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
    for name, package in (("wheel", file), ("source archive", sources)):
        yield f"the {name} in a bare environment", partial(solved, package, folder / f"of {name}")
    project = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = folder / "of wheel/bin/python"
    for extra in project["optional-dependencies"]:
        yield f"`{DISTRIBUTION}[{extra}]`, resolved", partial(resolved, file, extra, python)


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
