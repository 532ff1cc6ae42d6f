"""What the programs of this folder share: their arguments, and where a record goes."""

import argparse
from pathlib import Path

from benchmarks.records import table, write_record

OVERRIDES = {"flags": ("--set",), "action": "append", "default": []}
OUTPUT = {"flags": ("-o", "--output"), "type": Path, "help": "the record, as JSON"}


def arguments(text, **named):
    """Reads a program's arguments.

    Args:
        text: Its docstring, which `--help` shows.
        named: Each argument by its default: a number or a text, a list where several may be
            given, False for a switch; a type, or a list of one, for what has to be given and
            comes without `--name`; or a dictionary of what `add_argument` takes, with `flags`
            where they are not `--name`.
    """
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, each in named.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(each, type):
            parser.add_argument(name, type=each)
        elif isinstance(each, list | tuple) and isinstance(each[0], type):
            parser.add_argument(name, type=each[0], nargs="+")
        elif each is False:
            parser.add_argument(flag, action="store_true")
        elif isinstance(each, dict):
            own = dict(each)
            flags = own.pop("flags", (flag,))
            parser.add_argument(*flags, **own | ({"dest": name} if "-" in flags[0] else {}))
        elif isinstance(each, list | tuple):
            parser.add_argument(flag, type=type(each[0]), nargs="+", default=each)
        else:
            parser.add_argument(flag, type=type(each), default=each)
    return parser.parse_args()


def show(record, output, **more):
    """Prints a record as a table, and writes it where a file is named."""
    print(table(record))
    if output:
        write_record(output, record, **more)
