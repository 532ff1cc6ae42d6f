"""Large instances beside FILO2, at equal CPU time: gaps to best known values.

python -m tests.bench.large_gaps FILE... [--seconds 60] [--seeds 1 2] [--filo2 PROGRAM] [--jobs 2]
                                 [-o RECORD]

A file `bks.csv` beside each FILE names its best known value, or a solution FILE.sol does. Each run
is a process with one core to itself, `--jobs` of them at a time. FILO2 (github.com/acco93/filo2,
built with its defaults) counts iterations: two shorter runs before each, the second an eighth of
it, say how many fill the seconds.
Every cost is computed here, from the routes; CPU seconds are those of the processes.
"""

import csv
import json
import os
import re
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from benchmarks.contender import judge
from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.stream_and_resume import VRP
from vrpcore.formats.read import read_instances

# Iterations of FILO2's short run, and of one that is too short to count. Later iterations take
# longer than the first ones, so that a part of the whole run has to say how many fill the seconds.
SHORT, SHORTER, PART = 6000, 2000, 1 / 8


def best_known(file):
    """From bks.csv, or from the solution."""
    table = file.with_name("bks.csv")
    if table.exists():
        with table.open() as lines:
            for row in csv.DictReader(lines):
                if row["name"] == file.stem:
                    return float(row["bks"])
    return float(re.findall(r"(?i)cost\s+([0-9.]+)", file.with_suffix(".sol").read_text())[0])


def run(command, core):
    """CPU seconds and largest resident megabytes of a process on one core."""
    pinned = ["taskset", "-c", str(core), *map(str, command)]
    process = subprocess.Popen(pinned, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def own(file, seconds, seed, core, folder):
    """Routes, CPU seconds and megabytes of `vrp solve`."""
    out = folder / "own.json"
    command = [*VRP, "solve", file, "--time-limit", seconds, "--seed", seed, "-q", "-o", out]
    used = run(command, core)
    found = json.loads(out.read_text())
    if found["summary"]["improve"] == "none":
        raise SystemExit("vrp solve has no compiled search: vrp doctor says how to get it")
    (answer,) = found["solutions"]
    return [route["customers"] for route in answer["routes"]], *used


def filo2(program, file, seconds, seed, core, folder):
    """The same of FILO2; its customers are counted as ours."""

    def attempt(iterations):
        command = [program, file, "--outpath", f"{folder}/", "--seed", seed]
        return run([*command, "--coreopt-iterations", iterations], core)

    def filling(time, less, more):
        """How many iterations take so long, by two runs' iterations and seconds."""
        each = (more[1] - less[1]) / (more[0] - less[0])
        return max(2 * more[0], int(more[0] + (time - more[1]) / each))

    shorter, short = ((count, attempt(count)[0]) for count in (SHORTER, SHORT))
    part = filling(short[1] + PART * (seconds - short[1]), shorter, short)
    used = attempt(filling(seconds, short, (part, attempt(part)[0])))
    (found,) = folder.glob("*.sol")
    lines = re.findall(r"Route #\d+:(.*)", found.read_text())
    return [[int(customer) for customer in line.split()] for line in lines], *used


def measured(job, given, cores):
    """One run of one solver: its gap in percent, CPU seconds and megabytes."""
    solver, file, seconds, seed = job
    core = cores.get()
    try:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            if solver == "vrp":
                routes, cpu_s, megabytes = own(file, seconds, seed, core, place)
            else:
                found = filo2(given.filo2, file, seconds, seed, core, place)
                routes, cpu_s, megabytes = found
    finally:
        cores.put(core)
    (instance,) = read_instances(file)
    cost, fault = judge(instance, routes)
    if fault:
        raise SystemExit(f"{solver} {file}: {fault}")
    gap = 100 * (cost / best_known(file) - 1)
    print(solver, file.stem, seconds, seed, f"{gap:.3f} % {cpu_s:.1f} s", flush=True)
    return {
        "solver": solver, "file": file.stem, "folder": file.parent.name, "seconds": seconds,
        "seed": seed, "gap": round(gap, 4), "cpu_s": round(cpu_s, 1), "mb": round(megabytes),
    }  # fmt: skip


def cell(runs):
    """The mean gap of some runs, and their mean CPU seconds."""
    gaps, seconds = ([each[key] for each in runs] for key in ("gap", "cpu_s"))
    return f"{statistics.mean(gaps):.2f} ({statistics.mean(seconds):.0f} s)" if runs else ""


def paired(runs, first, second):
    """The mean difference of two solvers, paired over instances, with its standard error."""
    means = {}
    for each in runs:
        means.setdefault((each["file"], each["seconds"], each["solver"]), []).append(each["gap"])
    differences = [
        statistics.mean(gaps) - statistics.mean(means[file, seconds, second])
        for (file, seconds, solver), gaps in means.items()
        if solver == first and (file, seconds, second) in means
    ]
    if len(differences) < 2:
        return ""
    error = statistics.stdev(differences) / len(differences) ** 0.5
    return f"{statistics.mean(differences):+.2f} ± {error:.2f}"


def main():
    given = arguments(
        __doc__, files=[Path], seconds=[60.0], seeds=[1], jobs=1, filo2="", output=OUTPUT
    )
    solvers = ["vrp", "FILO2"] if given.filo2 else ["vrp"]
    jobs = [
        (solver, file, seconds, seed)
        for seconds in given.seconds
        for file in given.files
        for seed in given.seeds
        for solver in solvers
    ]
    cores = SimpleQueue()
    for core in sorted(os.sched_getaffinity(0))[: given.jobs]:
        cores.put(core)
    with ThreadPoolExecutor(given.jobs) as pool:
        runs = list(pool.map(lambda job: measured(job, given, cores), jobs))
    rows = []
    groups = sorted({(each["folder"], each["seconds"]) for each in runs})
    for folder, seconds in groups:
        some = [each for each in runs if (each["folder"], each["seconds"]) == (folder, seconds)]
        cells = [cell([each for each in some if each["solver"] == solver]) for solver in solvers]
        number = len({each["file"] for each in some})
        more = [paired(some, *solvers)] if given.filo2 else []
        rows.append([f"{folder} ({number})", f"{seconds:g}", *cells, *more])
    names = ["instances", "seconds", *(f"{solver}, %" for solver in solvers)]
    if given.filo2:
        names.append("difference")
    words = [
        f"--{name} {' '.join(f'{each:g}' for each in getattr(given, name))}"
        for name in ("seconds", "seeds")
    ]
    here = origin(f"python -m tests.bench.large_gaps FILE... {' '.join(words)}")
    record = PageRecord(**here, columns=[Column(name) for name in names], rows=rows)
    show(record, given.output, runs=runs)


if __name__ == "__main__":
    main()
