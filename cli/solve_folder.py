"""`vrp solve --format sol`: a folder with a file for each solution."""

import re
from pathlib import Path

from vrpcore.cli.solve_output import Item, part_of, require_folder, written
from vrpcore.errors import OutputError
from vrpcore.formats.solutionformats import sol_file_name, solution_to_sol
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution, Summary

_SOL_FILE = re.compile(r"[0-9]+-.*\.sol")


class FolderSink:
    """A folder of `<position>-<safe name>.sol`, named `.part` until it is complete.

    Instances that are not solved have no file.

    Args:
        path: The folder; if it exists, it must be empty.
        shard: (I, K) of the positions.

    Raises:
        OutputError: It is not empty, or cannot be created.
    """

    def __init__(self, path: Path, shard: tuple[int, int]) -> None:
        self._path, self._part = path, part_of(path)
        self.place: Path | None = self._part
        self._position, self._step = shard[0] - 1, shard[1]
        self._made = False
        require_folder(path)
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path}: cannot be written: not a folder")
        if path.is_dir() and any(path.iterdir()):
            raise OutputError(f"{path}: this folder contains files; name a new or empty one")

    def put(self, item: Item, solution: Solution) -> None:
        """See `Sink.put`."""
        self._make()
        if isinstance(item, Instance) and solution.status == "solved":
            file = self._part / sol_file_name(self._position, solution.name)
            text = solution_to_sol(item, solution)
            with written(file):
                file.write_text(text, encoding="utf-8", newline="\n")
        self._position += self._step

    def finish(self, _summary: Summary, /) -> None:
        """See `Sink.finish`."""
        self._make()
        with written(self._path):
            if self._path.exists():
                self._path.rmdir()  # empty, as it was at the beginning
            self._part.rename(self._path)

    def keep(self, _summary: Summary, /) -> None:
        """See `Sink.keep`."""
        self._make()

    def _make(self) -> None:
        """The part, without what an earlier run left in it."""
        if self._made:
            return
        with written(self._part):
            self._part.mkdir(exist_ok=True)
            for file in self._part.iterdir():
                if not _SOL_FILE.fullmatch(file.name):
                    raise OutputError(
                        f"{self._part}: contains files that are not from vrp solve ({file.name})"
                    )
                file.unlink()
        self._made = True
