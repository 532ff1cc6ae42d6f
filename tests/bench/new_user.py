"""Five new users' ways: what each types, how long it takes, and what comes of it.

python -m tests.bench.new_user [--only dispatcher] [--out FOLDER] [-o RECORD]

A dispatcher with spreadsheets, somebody who replaces VROOM, an engineer who knows PyVRP, a
researcher who knows RL4CO, and somebody who runs servers. Commands are those that somebody types
who has read the help; every one must succeed. Seconds are wall clock, each command a process of
its own; the lines of Python are those of one session for each person. Files stay in `--out`;
without it they are thrown away. Needs curl and the extras frame, plot, serve and sheets.
"""

import tempfile
from pathlib import Path

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.people.paths import PATHS
from tests.bench.people.walk import Walk

COLUMNS = [Column("who"), Column("types"), Column("s", "{:.2f}"), Column("what comes of it")]
NOTE = "A server counts until it is ready; SIGTERM until it has ended."


def main():
    """Walks the paths, and prints the table or writes it as a record."""
    args = arguments(
        __doc__,
        only={"nargs": "+", "choices": PATHS, "default": list(PATHS), "help": "of these people"},
        out={"type": Path, "help": "where files stay"},
        output=OUTPUT,
    )
    about, rows = origin("python -m tests.bench.new_user"), []
    with tempfile.TemporaryDirectory() as spare:
        for name in args.only:
            path = PATHS[name]
            walk = Walk(path.who, (args.out or Path(spare)).resolve() / name)
            try:
                path.walk(walk)
            finally:
                walk.close()
            total = sum(seconds for _, _, seconds, _ in walk.rows)
            rows += [*walk.rows, ["", {"bold": "together"}, {"bold": total}, ""]]
    show(Record(**about, columns=COLUMNS, rows=rows, notes=[NOTE]), args.output)


if __name__ == "__main__":
    main()
