"""Fuzzes a reader, guided by what of it is reached (needs: pip install atheris).

python -m tests.fuzz.run TARGET [--seeds FOLDER ...] [-- -runs=1000000 -max_total_time=600]

Targets: instances, sheets, solutions, vroom, labels, arrays, checkpoint, pickle, manifest,
replies, blocks, http. What follows `--` goes to libFuzzer. Ends with an error and a file
`crash-*` where something was found.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["vrpcore"]):
    from tests.fuzz.seeds import seeds
    from tests.fuzz.targets import TARGETS

_LARGEST = 2**12


def corpus(target, folders):
    """A folder of what there is to begin with, and all small files of the folders."""
    made, texts = Path(tempfile.mkdtemp()), seeds(target)
    files = (file for folder in folders for file in Path(folder).rglob("*") if file.is_file())
    texts += [file.read_bytes() for file in files if file.stat().st_size <= _LARGEST]
    for number, text in enumerate(texts):
        (made / f"{number}").write_bytes(text)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seeds", nargs="*", default=[])
    own, theirs = sys.argv[1:], []
    if "--" in own:
        place = own.index("--")
        own, theirs = own[:place], own[place + 1 :]
    args = parser.parse_args(own)
    target = TARGETS[args.target]()
    options = [f"-max_len={_LARGEST}", "-timeout=20", "-rss_limit_mb=4096", *theirs]
    atheris.Setup([sys.argv[0], str(corpus(args.target, args.seeds)), *options], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
