"""A record from what `python -m benchmarks quality -o FILE` measured, also in several runs.

python -m tests.bench.quality_table FILE... --command "python -m benchmarks quality ..."
                                            [--by PREFIX...] [--claim WORDS] [--commit HASH]
                                            [-o RECORD]

A row for each set, setting and prefix of the instances' names (`--by R1 R2`), then one for the
whole set: of the instances that all methods have solved. A cell is the mean gap; where fewer
vehicles come before cost, it says how many have as few as the best known, how many vehicles the
others have more in all, and the gap of the former. The last column is the paired difference of
the first method to each other one, in percentage points, with its standard error. With `--claim`,
the front page shows the last row under it. `--commit` is the version that was measured, if it is
not this one.
"""

from pathlib import Path

from benchmarks.curves import compared, summed_up
from benchmarks.quality_record import read_record
from benchmarks.records import Column, Headline, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show


def joined(files):
    """Sets of all files by name, with the series of each."""
    found = {}
    for file in files:
        for name, kept in read_record(file).sets.items():
            first = found.setdefault(name, kept)
            if first.digests != kept.digests:
                raise SystemExit(f"{file}: {name} has other instances than before")
            first.series.update(kept.series)
    return found


def cell(method, runs, known, vehicles):
    """What one method reached on some instances."""
    point = summed_up(method, "", runs, known)
    failed = f" ({point.failed} failed)" if point.failed else ""
    gap = "" if point.gap is None else f"{100 * point.gap:.2f}"
    if not vehicles:
        return gap + failed
    few = f"{point.equal} of {point.instances}; {point.above}"
    return f"{few}; {gap} %{failed}" if gap else few + failed


def difference(runs, others, known):
    """Of two methods' gaps, paired over instances."""
    found = compared("", runs, {"": others}, known)
    return "" if found is None else f"{100 * found.difference:+.2f} ± {100 * found.error:.2f}"


def rows_of(kept, methods, prefixes):
    known = kept.best()
    settings = dict.fromkeys(setting for _, setting in kept.series)
    for setting in settings:
        runs = {m: kept.series[m, setting].runs for m in methods if (m, setting) in kept.series}
        every = set.intersection(*(set(found) for found in runs.values()))
        for prefix in (*prefixes, ""):
            own = {at for at in every if kept.names[at].startswith(prefix)}
            part = {}
            for method, found in runs.items():
                if inside := {at: run for at, run in found.items() if at in own}:
                    part[method] = inside
            first = part.get(methods[0], {})
            yield [
                f"{prefix or kept.name} ({len(own)})",
                setting,
                *(cell(m, part[m], known, kept.vehicles) if m in part else "" for m in methods),
                "; ".join(difference(first, part[m], known) for m in methods[1:] if m in part),
            ]


def main():
    """Joins the files, and prints the table."""
    given = arguments(
        __doc__, files=[Path], command="python -m benchmarks quality", by=[""], claim="",
        commit="", output=OUTPUT,
    )  # fmt: skip
    sets = joined(given.files)
    methods = list(dict.fromkeys(m for kept in sets.values() for m, _ in kept.series))
    prefixes = [each for each in given.by if each]
    rows = [row for kept in sets.values() for row in rows_of(kept, methods, prefixes)]
    fewest = any(kept.vehicles for kept in sets.values())
    reached = "as few vehicles; too many; gap of those" if fewest else "%"
    columns = [Column("instances"), Column("limit"), *(Column(f"{m}, {reached}") for m in methods)]
    columns.append(Column("difference"))
    if len(methods) < 2:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    headlines = []
    if given.claim:
        unit = "" if fewest else " %"
        own, *others = (f"{figure}{unit}" for figure in rows[-1][2 : 2 + len(methods)])
        rivals = ", ".join(f"{m} {figure}" for m, figure in zip(methods[1:], others, strict=True))
        headlines = [Headline(given.claim, own, rivals)]
    here = origin(given.command)
    here["commit"] = given.commit or here["commit"]
    record = PageRecord(**here, headlines=headlines, columns=columns, rows=rows)
    show(record, given.output)


if __name__ == "__main__":
    main()
