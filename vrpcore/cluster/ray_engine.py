"""Solves by a pool of actors on a Ray cluster, each of which holds the model.

Only the places of instances and the counts of answers pass through Ray. All machines share a
file system: an actor reads a chunk where it is and writes the answers into a file named by the
chunk's number, which appears only when it is complete. So a chunk that is solved twice, because
its actor was lost, still has one answer.
"""

import dataclasses
import logging
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import ray.data
from ray.exceptions import RayTaskError, UserCodeException

from vrpcore.cluster.chunks import Chunk, read_chunk
from vrpcore.errors import OutputError, VrpError
from vrpcore.formats.files import source_label, write_text, written_atomically
from vrpcore.formats.options import Rounding
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.write import solution_to_line
from vrpcore.instance.solution import Solution, Summary, summarise
from vrpcore.solve.answer import answer_text
from vrpcore.solve.models import shipped_models
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.solver import Solver

Parts = Literal["jsonl", "parquet"]

# If an actor is lost, its whole block is solved again; but many blocks take time themselves.
_MAX_BLOCKS = 2000
MOST_ATTEMPTS = 3  # at a chunk: Ray itself would replace its actor for ever
UNFINISHED = ".unfinished-"


@dataclass(frozen=True, slots=True, kw_only=True)
class RayRequest:
    """Options of a solve on Ray, and the folder of its answers.

    Attributes:
        folder: Receives a file for each chunk; all machines must share its file system.
        parts: What kind of file.
        model: As for `Solver`.
        device: As for `Solver`; with `cuda` each actor takes one GPU.
        own: As for `Solver`; every machine must be able to import them.
        options: How to solve; each actor gets `workers` cores.
        actors: How many; None: as many as fit on the cluster.
        labelled: Error messages begin with a file's name.
        rounding: Of text formats, as for `read_instances`.
    """

    folder: Path
    parts: Parts
    model: str | None
    device: str
    options: SolveOptions
    own: tuple[str, ...] = ()
    actors: int | None = None
    labelled: bool = False
    rounding: Rounding = "auto"

    def part(self, number: int) -> Path:
        """The file of a chunk."""
        return self.folder / f"part-{number:07d}.{self.parts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSummary(Summary):
    """A summary of the answers to a chunk.

    Attributes:
        faults: How many of them an internal error changed or cost.
        fault: The first of these, in words; empty where there is none.
        lost: Which chunk it is, if each attempt at it has ended its actor; then nothing is solved.
    """

    faults: int = 0
    fault: str = ""
    lost: str = ""


class ChunkSolver:
    """An actor that solves chunks; it loads the model once.

    Args:
        request: Where to and how.
    """

    def __init__(self, request: RayRequest) -> None:
        self._request = request
        self._mark = f"{UNFINISHED}{uuid.uuid4().hex[:12]}-"
        self._solver = Solver(request.model, request.device, own=request.own)

    def __call__(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """Solve a chunk given as a dictionary, as Ray hands it out, and return one."""
        return dataclasses.asdict(self.solve(Chunk(**chunk)))

    def solve(self, chunk: Chunk) -> PartSummary:
        """Solves one chunk and writes its file, or reads the answers that are there already.

        A chunk that has ended `MOST_ATTEMPTS` actors is given up.

        Raises:
            VrpError: It cannot be read, solved or written.
        """
        request, started = self._request, time.perf_counter()
        path = request.part(chunk.number)
        attempts = path.with_name(f"{UNFINISHED}{path.name}.attempts")
        if path.exists():
            solutions = read_part(path)
        elif _counted(attempts) > MOST_ATTEMPTS:
            nothing = dataclasses.asdict(summarise([], 0.0, request.options.improve))
            last = chunk.first + chunk.count - 1
            place = f"{source_label(chunk.file)}: instances[{chunk.first}] to [{last}]"
            return PartSummary(**nothing | {"cost": 0.0, "lost": f"{path.name} ({place})"})
        else:
            items = read_chunk(chunk, labelled=request.labelled, rounding=request.rounding)
            solutions = list(self._solver.stream(items, request.options))
            # A name of its own: an actor that was only believed lost may write this part, too.
            own = path.with_name(self._mark + path.name)
            solutions = write_part(own, solutions)
            try:
                own.replace(path)
                attempts.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        found = summarise(solutions, time.perf_counter() - started, request.options.improve)
        cost = float(found.cost)  # one type in all of Ray's rows
        faults = [f"{each.name}: {each.fault}" for each in solutions if each.fault is not None]
        fault = next(iter(faults), "")
        more: dict[str, Any] = {"cost": cost, "faults": len(faults), "fault": fault}
        return PartSummary(**dataclasses.asdict(found) | more)


def _counted(attempts: Path) -> int:
    """Return the number of attempts that a file has counted, this one included; each is a byte."""
    try:
        with attempts.open("ab") as file:
            file.write(b".")
            return file.tell()
    except OSError as error:
        raise OutputError(f"{attempts}: cannot be written: {error.strerror}") from error


def write_part(path: Path, solutions: Sequence[Solution]) -> list[Solution]:
    """Writes answers: JSON Lines, or Parquet where the name ends so.

    Parquet's columns are `name`, `status`, `cost` (null without one), `answer` (JSON text).

    Returns:
        What was written; see `answer_text`.

    Raises:
        OutputError: It cannot be written.
    """
    texts = [answer_text(solution_to_line, answer) for answer in solutions]
    lines, solutions = [line for line, _ in texts], [answer for _, answer in texts]
    if path.suffix != ".parquet":
        write_text(path, "".join(f"{line}\n" for line in lines))
        return solutions
    cost = [None if answer.cost is None else float(answer.cost) for answer in solutions]
    table = pa.table(
        {
            "name": pa.array([answer.name for answer in solutions], pa.string()),
            "status": pa.array([answer.status for answer in solutions], pa.string()),
            "cost": pa.array(cost, pa.float64()),
            "answer": pa.array(lines, pa.string()),
        }
    )
    with written_atomically(path) as part:
        pq.write_table(table, part)
    return solutions


def read_part(path: Path) -> list[Solution]:
    """The answers that `write_part` wrote.

    Raises:
        VrpError: It cannot be read or holds something else.
    """
    if path.suffix != ".parquet":
        return read_solutions(path)
    try:
        lines = pq.read_table(path, columns=["answer"]).column("answer").to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise OutputError(f"{path}: cannot be read: {error}") from error
    return read_solutions("\n".join(lines).encode())


def solve_chunks(chunks: Iterable[Chunk], request: RayRequest) -> Iterator[PartSummary]:
    """Solves chunks on the cluster that `RAY_ADDRESS` names, else on this machine.

    Args:
        chunks: Those that are not solved yet.
        request: How to solve, and where the answers go.

    Yields:
        A summary of each, as they are done.

    Raises:
        VrpError: One cannot be read, solved or written; lost actors are replaced instead, until
            their chunk is given up.
    """
    rows, request = sent_to_workers(chunks, request)
    if not rows:
        return
    logging.getLogger("ray").setLevel(logging.ERROR)
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    cores, gpus = request.options.workers or 1, int(request.device.startswith("cuda"))
    dataset = ray.data.from_items(rows, override_num_blocks=min(len(rows), _MAX_BLOCKS))
    solved = dataset.map(
        ChunkSolver,  # type: ignore[arg-type]  # its annotation omits classes
        fn_constructor_args=(request,),
        compute=ray.data.ActorPoolStrategy(size=request.actors or _most_actors(cores, gpus)),
        num_cpus=cores,
        num_gpus=gpus,
    )
    try:
        for row in solved.iter_rows():
            yield PartSummary(**row)
    except RayTaskError as error:
        if isinstance(error.cause, UserCodeException) and isinstance(
            error.cause.__cause__, VrpError
        ):
            raise error.cause.__cause__ from None
        raise


def sent_to_workers(
    chunks: Iterable[Chunk], request: RayRequest
) -> tuple[list[dict[str, Any]], RayRequest]:
    """Chunks and request with absolute paths, as workers have another folder."""
    model = request.model
    if model is not None and model not in shipped_models() and Path(model).exists():
        model = str(Path(model).absolute())
    placed = (dataclasses.replace(each, file=str(Path(each.file).absolute())) for each in chunks)
    request = dataclasses.replace(request, folder=request.folder.absolute(), model=model)
    return [dataclasses.asdict(chunk) for chunk in placed], request


def _most_actors(cores: int, gpus: int) -> int:
    """Return the number of actors that fit on the cluster now, at least 1."""
    found: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    fitting = found.get("CPU", 1) // cores
    return max(1, int(min(fitting, found.get("GPU", 0)) if gpus else fitting))
