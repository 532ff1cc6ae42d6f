"""`vrp generate --template`: example spreadsheets to fill in."""

from pathlib import Path

from rich.console import Console

from vrpcore.cli.console import printable
from vrpcore.errors import OutputError
from vrpcore.formats.files import reason, write_bytes
from vrpcore.formats.write import template_files


def write_template(folder: Path, kind: str, console: Console) -> None:
    """Writes example spreadsheets, and says what to do with them.

    Args:
        folder: Made where it is missing.
        kind: `csv` or `xlsx`.
        console: Where it is said.

    Raises:
        OutputError: The folder cannot be made, or has such a file, which stays as it is.
    """
    files = {folder / name: data for name, data in template_files(kind).items()}
    answer = folder / ("routes.csv" if kind == "csv" else "plan.xlsx")
    for file in files:
        if file.exists():
            raise OutputError(f"{file}: already exists; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {reason(error)}") from None
    for file, data in files.items():
        write_bytes(file, data)
    stops, vans = map(str, files)
    console.print(printable(f"{stops} and {vans} are written. Fill in your own, then run"))
    console.print(printable(f"vrp solve {stops} --fleet {vans} -o {answer}"))
