"""Small spreadsheets, read from texts."""

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance


def read(stops, fleet=None, *, roads=False, **options):
    """The item that two texts make; the fleet is the file vans.csv."""
    with TemporaryDirectory() as folder, chdir(folder):
        if fleet is not None:
            Path("vans.csv").write_text(fleet, encoding="utf-8")
            options["fleet"] = "vans.csv"
        (found,) = read_instances(stops.encode(), roads=roads, sheet=SheetOptions(**options))
    return found


def faults(stops, fleet=None, **options):
    """The lines of the error in two texts."""
    found = read(stops, fleet, **options)
    assert isinstance(found, InvalidInstance), found
    return found.error.split("\n")
