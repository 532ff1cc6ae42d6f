"""An editable install that shows the whole package to Python and to type checkers.

In a checkout, some folders of the package lie next to it. setuptools finds them by an import hook,
which only a running Python follows: mypy and pyright would see no types.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

PARTS = ("cli", "configs", "export")  # vrpcore.cli is cli/, and so on
FOLDER = ".editable"  # holds the package and nothing else, so it can be on the path
_PATH_FILE = "__editable__.vrpcore.pth"


def show_package(root: Path, wheel: Path) -> None:
    """Link the package together, and add it to the path of an editable installation.

    Where links are not allowed, as often on Windows, nothing changes: Python still finds the
    package by the import hook, type checkers do not.

    Args:
        root: The checkout. Gets the folder `.editable` with a link to `vrpcore`, and in `vrpcore`
            a link to each part next to it.
        wheel: Of the editable install, as setuptools wrote it.
    """
    try:
        for part in PARTS:
            _link(root / "vrpcore" / part, Path("..", part))
        (root / FOLDER).mkdir(exist_ok=True)
        _link(root / FOLDER / "vrpcore", Path("..", "vrpcore"))
    except OSError:
        return
    _add(wheel, _PATH_FILE, f"{root / FOLDER}\n".encode())


def _link(place: Path, target: Path) -> None:
    if not place.exists():
        place.unlink(missing_ok=True)  # a link that leads nowhere
        place.symlink_to(target, target_is_directory=True)


def _add(wheel: Path, name: str, content: bytes) -> None:
    """Adds a file to a wheel and to its list of files, without which pip would not remove it."""
    digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    with ZipFile(wheel) as archive:
        files = [(item, archive.read(item)) for item in archive.infolist()]
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
        for item, old in files:
            is_list = item.filename.endswith(".dist-info/RECORD")
            entry = f"{name},sha256={digest},{len(content)}\n" if is_list else ""
            archive.writestr(item, old + entry.encode())
