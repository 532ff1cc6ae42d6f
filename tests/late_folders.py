"""Folders that are loaded when they are needed: what reads, writes and draws one kind of file."""

LATE = ("formats/npz", "formats/sheets", "formats/text", "formats/vroom", "plot", "replan")


def late_folders(modules):
    """Those of some modules."""
    names = {name.replace(".", "/").removeprefix("vrpcore/") for name in modules}
    return {folder for folder in LATE if any(name.startswith(f"{folder}/") for name in names)}
