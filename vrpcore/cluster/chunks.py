"""Parts of large inputs, so small that each is soon solved and easily solved again.

A part says where its instances lie; the solving process reads them there. So no instance goes
through the process that hands the parts out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import ArrowException

from vrpcore.errors import InstanceError, OutputError, VrpError
from vrpcore.formats.files import GZIP, MAX_TEXT_BYTES, open_reader, reason, source_label
from vrpcore.formats.options import Reading, Rounding
from vrpcore.formats.read import (
    Item,
    begins_with_lines,
    count_instances,
    iter_instances,
    iter_texts,
)

# A thousand instances of 20 customers at least, and no more chunks than are soon handed out.
_LEAST_BYTES, _MOST_BYTES, _MOST_CHUNKS = 2**20, 2**26, 20_000
COLUMN = "instance"  # of Parquet: an instance's JSON text
_PARQUET = b"PAR1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some instances of one file.

    Attributes:
        number: Of the chunk, from 0.
        file: Its path.
        start: First byte, or the Parquet row group.
        stop: Byte after the last; -1: a row group; 0: the whole file.
        first: Instances before it in its file.
        position: Instances before it in all files.
        count: Its instances.
    """

    number: int
    file: str
    start: int
    stop: int
    first: int
    position: int
    count: int


def chunk_bytes(total: int) -> int:
    """Bytes of a chunk where all files together have `total`."""
    return min(max(_LEAST_BYTES, total // _MOST_CHUNKS), _MOST_BYTES)


def plan_chunks(
    files: Sequence[str], report: Callable[[VrpError], None], size: int | None = None
) -> Iterator[Chunk]:
    """Divides files: JSON Lines by bytes, Parquet by row groups, others not at all.

    Args:
        files: Paths; the format is detected from content.
        report: Called with the error of each file that cannot be read or parsed; of JSON Lines,
            what comes before counts, of others nothing.
        size: Bytes of a chunk of JSON Lines, up to the next line end; None: `chunk_bytes`.

    Yields:
        Chunks in the order of the instances.
    """
    if size is None:
        size = chunk_bytes(sum(Path(file).stat().st_size for file in files if Path(file).exists()))
    number = position = 0
    for file in files:
        first = 0
        try:
            for chunk in (each for each in _of_file(file, size) if each.count):
                yield replace(chunk, number=number, first=first, position=position)
                number += 1
                first += chunk.count
                position += chunk.count
        except VrpError as error:
            report(error)


def read_chunk(chunk: Chunk, *, labelled: bool, rounding: Rounding = "auto") -> Iterator[Item]:
    """The instances of a chunk, the invalid ones in their places.

    Args:
        chunk: From `plan_chunks`.
        labelled: Error messages begin with the file's name.
        rounding: Of text formats, as for `read_instances`.

    Raises:
        InstanceError: The file cannot be parsed.
        OutputError: It cannot be read.
    """
    label = source_label(chunk.file) if labelled else ""
    if chunk.stop == 0:
        return iter_instances(chunk.file, chunk.position, label, Reading(rounding=rounding))
    texts = _row_group(chunk) if chunk.stop < 0 else _lines(chunk)
    return iter_texts(texts, chunk.first, chunk.position, label)


def _of_file(file: str, size: int) -> Iterator[Chunk]:
    whole = Chunk(number=0, file=file, start=0, stop=0, first=0, position=0, count=0)
    with open_reader(file) as reader:
        reader.skip_blank()
        lines, parquet = begins_with_lines(reader), reader.head(4) == _PARQUET
    if parquet:
        for group, rows in enumerate(_row_groups(file)):
            yield replace(whole, start=group, stop=-1, count=rows)
    elif lines and not _is_packed(file):
        start = 0
        for stop, count in _line_ends(file, size):
            yield replace(whole, start=start, stop=stop, count=count)
            start = stop
    else:
        yield replace(whole, count=_count(file, lines=lines))


def _is_packed(file: str) -> bool:
    with Path(file).open("rb") as stream:
        return stream.read(len(GZIP)) == GZIP


def _line_ends(file: str, size: int) -> Iterator[tuple[int, int]]:
    """Return the ends of chunks, and the number of lines with content in each."""
    with Path(file).open("rb") as stream:
        while data := stream.read(size):
            data += stream.readline(MAX_TEXT_BYTES)
            if len(data) > MAX_TEXT_BYTES:
                message = f"a line larger than {MAX_TEXT_BYTES} bytes"
                raise InstanceError(f"{source_label(file)}: {message}", code="TOO_LARGE")
            count = sum(1 for line in data.split(b"\n") if line.strip())
            if count:
                yield stream.tell(), count


def _count(file: str, *, lines: bool) -> int:
    with open_reader(file) as reader:
        if lines:
            count = 0
            while reader.skip_blank():
                reader.line()
                count += 1
            return count
        if reader.skip_blank() in (b"{", b"["):
            return count_instances(reader)
    return sum(1 for _ in iter_instances(file))


def _lines(chunk: Chunk) -> Iterator[bytes]:
    try:
        with Path(chunk.file).open("rb") as stream:
            stream.seek(chunk.start)
            data = stream.read(chunk.stop - chunk.start)
    except OSError as error:
        raise _unreadable(chunk.file, error) from error
    if chunk.start == 0:
        data = data.removeprefix(b"\xef\xbb\xbf")
    return (line for line in data.split(b"\n") if line.strip())


def _row_groups(file: str) -> list[int]:
    """Rows of each row group."""
    try:
        with pq.ParquetFile(file) as table:
            if COLUMN not in table.schema_arrow.names:
                names = ", ".join(table.schema_arrow.names)
                raise InstanceError(
                    f"{source_label(file)}: no column '{COLUMN}' (an instance's JSON text); "
                    f"its columns are {names}"
                )
            return [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
    except (OSError, ArrowException) as error:
        raise _unreadable(file, error) from error


def _row_group(chunk: Chunk) -> Iterator[bytes]:
    try:
        with pq.ParquetFile(chunk.file) as table:
            column = table.read_row_group(chunk.start, columns=[COLUMN]).column(COLUMN)
    except (OSError, ArrowException) as error:
        raise _unreadable(chunk.file, error) from error
    return (str(value or "").encode("utf-8", "surrogatepass") for value in column.to_pylist())


def _unreadable(file: str, error: Exception) -> OutputError:
    return OutputError(f"{source_label(file)}: cannot be read: {reason(error)}")
