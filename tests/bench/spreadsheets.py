"""Spreadsheets in eight languages: solved right, refused with a question, or wrong in silence.

The same problem in JSON says what is right. In each sheet, every column with a meaning matters:
without it, the answer is another.

python -m tests.bench.spreadsheets [-o docs/results/records/spreadsheets.json] [--all]
"""

from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.vrpcore.formats.sheets.books import BOOKS, HEADINGS
from tests.vrpcore.formats.sheets.drawn import TOOLS, documented, drawn, exported, meaningful

GROUPS = ("notations", "meanings", "other programs", "without strays", "with strays")
NUMBER = 8  # of each group and language


def found(folder):
    """Group, language, outcome, and the rest, of each sheet."""
    for book in BOOKS:
        yield "notations", book.language, *book.found()
    makers = {"meanings": meaningful, "without strays": partial(documented, False)}
    makers["with strays"] = partial(documented, True)
    todo = [
        (group, language, partial(make, language, number))
        for group, make in makers.items()
        for language in HEADINGS
        for number in range(NUMBER)
    ]
    todo += [
        ("other programs", line.split(";")[1], partial(exported, number))
        for number, line in enumerate(TOOLS)
    ]
    for group, language, make in todo:
        case = drawn(make, folder)
        outcome, said = case.judged(folder)
        yield group, language, outcome, f"{case.described} | {said}"


def main() -> None:
    args = arguments(__doc__, output=OUTPUT, all=False)
    counts = Counter()
    with TemporaryDirectory() as folder:
        for group, language, outcome, said in found(Path(folder)):
            outcome = {"refused": "asked", "right": "right", "asked": "asked"}.get(outcome, "wrong")
            counts[group, language, outcome] += 1
            if args.all or outcome == "wrong":
                print(group, language, outcome, said.replace("\n", " / "), sep=" | ")
    rows = [
        [
            name or "all",
            *(
                [
                    sum(counts[group, each, outcome] for each in HEADINGS if name in (each, None))
                    for outcome in ("right", "asked", "wrong")
                ]
                for group in GROUPS
            ),
        ]
        for name in (*HEADINGS, None)
    ]
    record = Record(
        **origin("python -m tests.bench.spreadsheets"),
        columns=[Column("headings"), *(Column(group, "{} · {} · {}") for group in GROUPS)],
        rows=rows,
        notes=["Right · refused with a question or an error · wrong in silence."],
    )  # fmt: skip
    show(record, args.output)


if __name__ == "__main__":
    main()
