"""The examples as examples/README.md has them: their folders and their commands.

`python -m tests.examples.sections [NAME...]` runs them and puts their pictures into
docs/examples/. Without a name: all of them.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from tests.examples.programs import run_commands

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "examples"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")


def sections():
    """Text of each example, by its folder."""
    parts = re.split(r"^## (\w+): .*\n", README, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def commands(name):
    """What a reader types, in the example's folder."""
    (block,) = re.findall(r"^```sh\n(.*?)^```", sections()[name], re.MULTILINE | re.DOTALL)
    return block


def run(name, folder):
    """Runs an example in a copy of its folder; that copy, and what was said."""
    place = Path(shutil.copytree(EXAMPLES / name, Path(folder) / name))
    return place, run_commands(commands(name), place)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for example in sys.argv[1:] or sections():
        with tempfile.TemporaryDirectory() as temporary:
            found, _ = run(example, temporary)
            shutil.copy(found / f"{example}.svg", PICTURES)
