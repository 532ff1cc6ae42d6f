"""Small spreadsheets, read from texts."""

from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance


def read(stops, fleet=None, folder=None, *, roads=False, **options):
    """The item that two texts make; the fleet is written into the folder."""
    if fleet is not None:
        (folder / "vans.csv").write_text(fleet, encoding="utf-8")
        options["fleet"] = str(folder / "vans.csv")
    (found,) = read_instances(stops.encode(), roads=roads, sheet=SheetOptions(**options))
    return found


def faults(stops, fleet=None, folder=None, **options):
    """The lines of the error in two texts."""
    found = read(stops, fleet, folder, **options)
    assert isinstance(found, InvalidInstance), found
    return found.error.replace(f"{folder}/", "").split("\n")
