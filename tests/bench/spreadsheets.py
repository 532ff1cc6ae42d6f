"""Spreadsheets in eight languages: solved right, refused with a question, or wrong in silence.

The same problem in JSON says what is right. In each sheet, every column with a meaning matters:
without it, the answer is another.

python -m tests.bench.spreadsheets [-o docs/results/records/spreadsheets.json] [--all]
"""

from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.records import Column, PageRecord, origin
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


def _outcomes(counts, group, language):
    """How many became what; for all languages where none is given."""
    own = Counter()
    for (one, other, outcome), number in counts.items():
        if one == group and language in (other, None):
            own[outcome] += number
    wrong = own.total() - sum(own[each] for each in ("right", "asked", "unclear"))
    return [own["right"], own["asked"], own["unclear"], wrong]


def main() -> None:
    args = arguments(__doc__, output=OUTPUT, all=False)
    counts = Counter()
    with TemporaryDirectory() as folder:
        for group, language, outcome, said in found(Path(folder)):
            counts[group, language, outcome] += 1
            if args.all or outcome not in ("right", "asked"):
                print(group, language, outcome, said.replace("\n", " / "), sep=" | ")
    rows = [
        [name or "all", *(_outcomes(counts, group, name) for group in GROUPS)]
        for name in (*HEADINGS, None)
    ]
    record = PageRecord(
        **origin("python -m tests.bench.spreadsheets"),
        columns=[Column("headings"), *(Column(group, "{} · {} · {} · {}") for group in GROUPS)],
        rows=rows,
        notes=[
            "Right · refused by a message that names a column · by one that names none · solved "
            "in silence as another problem."
        ],
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
