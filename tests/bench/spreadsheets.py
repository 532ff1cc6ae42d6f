"""Spreadsheets in eight languages and many notations: read right, refused, or read wrong.

python -m tests.bench.spreadsheets [-o docs/results/records/spreadsheets.json]
"""

from collections import Counter

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.vrpcore.formats.sheets.books import BOOKS, HEADINGS

OUTCOMES = ("right", "asked")


def rows():
    """A row for each language, and one for all."""
    found = [(book.language, book.found()[0]) for book in BOOKS]
    for name in [*HEADINGS, None]:
        own = Counter(outcome for language, outcome in found if name in (language, None))
        wrong = sum(own.values()) - sum(own[outcome] for outcome in OUTCOMES)
        yield [name or "all", sum(own.values()), *(own[outcome] for outcome in OUTCOMES), wrong]


def main() -> None:
    args = arguments(__doc__, output=OUTPUT)
    names = ("headings", "spreadsheets", "read right", "refused with a question", "read wrong")
    forms = ", ".join(dict.fromkeys(book.form for book in BOOKS))
    record = Record(
        **origin("python -m tests.bench.spreadsheets"),
        columns=[Column(name) for name in names],
        rows=list(rows()),
        notes=[f"Files: {forms}. Where nothing shows what a number, a date or a time means, "
        "a file is refused, and the message says how to write it."],
    )  # fmt: skip
    show(record, args.output)


if __name__ == "__main__":
    main()
