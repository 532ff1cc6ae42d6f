"""Bytes in and out: unpacked, bounded, and written so that no half file is ever left."""

import codecs
import contextlib
import itertools
import os
import re
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

from vrpcore.errors import InstanceError, OutputError

if sys.platform != "win32":
    import fcntl

MAX_TEXT_BYTES = 2**30  # of one document or one line: what must be in memory at once
MAX_UNPACKED_BYTES = 2**31  # of one gzip file, however small it is packed

Source = str | os.PathLike[str] | bytes

_CHUNK_BYTES = 2**18
_CONTENT = re.compile(rb"[^ \t\r\n\v\f]")
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)  # the first begins as UTF-16 does
GZIP = b"\x1f\x8b"  # how every packed file begins
HEAD_BYTES = 4096  # by which formats are told apart
_GZIP_WINDOW = 31  # zlib: a gzip header and the largest window


class ByteReader:
    """Reads one source forwards, by line or whole, holding no more than it must.

    Args:
        chunks: The bytes, unpacked.
        label: The source's name for error messages.
        stem: The file's name without folder and endings, valid in UTF-8; None: there is none.

    Attributes:
        line_number: Of the next line, from 1.
        marked: Whether the source began with a UTF-8 byte order mark.
        sent: It came with a request, whose sender must not make a server hold much more.
    """

    def __init__(self, chunks: Iterator[bytes], label: str, stem: str | None) -> None:
        self.label = label
        self.stem = stem
        self.line_number = 1
        self.marked = self.sent = False
        self._chunks = chunks
        self._buffer = bytearray()

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """The next bytes without moving past them, `size` of them unless the source ends."""
        while len(self._buffer) < size and self._fill():
            pass
        return bytes(self._buffer[:size])

    def skip(self, size: int) -> None:
        """Moves past bytes that `head` has shown."""
        del self._buffer[:size]

    def skip_blank(self) -> bytes:
        """Moves past blank lines.

        Returns:
            The next byte that is no white space (before it the line's indentation is
            kept), empty at the end.
        """
        while True:
            found = None if self._buffer.isspace() else _CONTENT.search(self._buffer)
            if found:
                first, position = found[0], found.start()
                found = None  # it holds on to the buffer, which is about to change
                self._drop(self._buffer.rfind(b"\n", 0, position) + 1)
                return first
            self._drop(len(self._buffer))
            if not self._fill():
                return b""

    def line(self, limit: int = MAX_TEXT_BYTES) -> bytes:
        """Takes the next line with its end.

        Args:
            limit: Largest length allowed.

        Returns:
            The line; empty at the end of the source.

        Raises:
            InstanceError: The line is longer than the limit.
        """
        line = self.peek_line(limit)
        self.skip(len(line))
        self.line_number += 1
        return line

    def peek_line(self, limit: int = MAX_TEXT_BYTES) -> bytes:
        """The next line without moving past it; see `line`."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > limit:
                raise self._too_large(f"line {self.line_number} is", limit)
            if not self._fill():
                return bytes(self._buffer)
        return bytes(self._buffer[: end + 1])

    def peek_past(self, size: int) -> bytes:
        """The first byte behind so many that is no white space, without moving; empty: none."""
        while not (found := _CONTENT.search(self._buffer, size)):
            size = len(self._buffer)
            if size > MAX_TEXT_BYTES or not self._fill():
                return b""
        return found[0]

    def rest(self, limit: int = MAX_TEXT_BYTES) -> bytes:
        """Takes everything that is left.

        Raises:
            InstanceError: That is more than the limit.
        """
        while self._fill():
            if len(self._buffer) > limit:
                raise self._too_large("the text is", limit)
        rest, self._buffer = bytes(self._buffer), bytearray()
        return rest

    def _drop(self, size: int) -> None:
        self.line_number += self._buffer.count(b"\n", 0, size)
        del self._buffer[:size]

    def _fill(self) -> bool:
        chunk = next(self._chunks, b"")
        self._buffer += chunk
        return bool(chunk)

    def _too_large(self, what: str, limit: int) -> InstanceError:
        whole = limit == MAX_TEXT_BYTES
        advice = "; write JSON Lines (one instance per line) instead" if whole else ""
        return InstanceError(f"{what} larger than {limit} bytes{advice}", code="TOO_LARGE")


@contextlib.contextmanager
def open_reader(source: Source) -> Iterator[ByteReader]:
    """Opens a file, `-` (standard input) or bytes; gzip is detected from content.

    Yields:
        A reader behind a UTF-8 byte order mark, where there is one.

    Raises:
        OutputError: The source cannot be opened or read.
        InstanceError: It is gzip but damaged, unpacks to more than the limit, or is UTF-32. This
            error and those of the block get the source's name before their message.
    """
    label, stem = source_label(source), None
    if not isinstance(source, bytes) and os.fspath(source) != "-":
        # Bytes of a name that are no UTF-8 are spelled (`\xfc`): answers cannot hold them.
        stem = os.fsencode(_stem(Path(source).name)).decode("utf-8", "backslashreplace")
    with contextlib.closing(_raw_chunks(source, label)) as raw:
        try:
            reader = ByteReader(_plain_chunks(raw), label, stem)
            if reader.head(len(_UTF_32[0])) in _UTF_32:
                raise InstanceError("UTF-32 text; save it as UTF-8", code="ENCODING")
            if reader.head(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
                reader.skip(len(codecs.BOM_UTF8))
                reader.marked = True
            yield reader
        except InstanceError as error:
            raise InstanceError(f"{label}: {error}", code=error.code) from error


def source_label(source: Source) -> str:
    """How error messages call a source, free of control characters."""
    if isinstance(source, bytes):
        return "input"
    name = "<stdin>" if os.fspath(source) == "-" else os.fspath(source)
    return "".join(character if character.isprintable() else "?" for character in name)


def linked(path: str | os.PathLike[str]) -> Path:
    """The file that a symbolic link leads to, where there is one; else the path as it is."""
    found = Path(path)
    return found.resolve() if found.is_symlink() and found.is_file() else found


def is_same_file(path: Path, other: str | Path) -> bool:
    """Return whether both lead to one file; not where one of them does not exist."""
    with contextlib.suppress(OSError, ValueError):
        return path.samefile(other)
    return False


@contextlib.contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lets a file appear whole or not at all.

    Yields:
        Its `own_part`, to be written; afterwards it is flushed
        to the disk and renamed. If the block fails it is removed and `path` stays as it was.
        A pipe or a device is yielded itself. A symbolic link stays one: its file is written.

    Raises:
        OutputError: The folder or the file cannot be written.
    """
    target = linked(path)
    part = own_part(target) if target.name else target
    try:
        if target.exists() and not target.is_file():  # a pipe or a device: nothing to rename
            yield target
            return
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except (OSError, ValueError) as error:
        _remove(part, target)
        raise OutputError(f"{source_label(path)}: cannot be written: {reason(error)}") from error
    except BaseException:
        _remove(part, target)
        raise


def own_part(path: Path) -> Path:
    """The name of a file until it is complete, which no other writer of it has."""
    return path.with_name(f"{path.name}.{os.urandom(4).hex()}.part")


@contextlib.contextmanager
def claimed(path: Path, *, folder: bool = False) -> Iterator[None]:
    """Keeps other processes that ask for it, too, from writing something meanwhile.

    On Windows, and in file systems without locks, nothing keeps them from it.

    Args:
        path: A file or a folder. It is made where it is missing; if it is empty at the end, it is
            removed.
        folder: It is a folder.

    Raises:
        OutputError: Another process has claimed it, or it cannot be made.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        held = _held(path, folder=folder)
    except BlockingIOError:
        message = "another run is writing it; wait until it ends, or name another output"
        raise OutputError(f"{source_label(path)}: {message}") from None
    except (OSError, ValueError) as error:
        raise OutputError(f"{source_label(path)}: cannot be written: {reason(error)}") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            about = path.stat()
            if os.path.samestat(about, os.fstat(held)):
                if folder:
                    path.rmdir()  # refused unless it is empty
                elif about.st_size == 0:
                    path.unlink()
        os.close(held)


def _held(path: Path, *, folder: bool) -> int:
    """A locked descriptor of a file or folder, made where it is missing."""
    while True:
        if folder:
            path.mkdir(exist_ok=True)
        held = os.open(path, os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(held)
            if os.path.samestat(path.stat(), os.fstat(held)):
                return held
        except FileNotFoundError:
            pass  # whoever had it has renamed it meanwhile
        except BaseException:
            os.close(held)
            raise
        os.close(held)


def _lock(held: int) -> None:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # the file system has no locks


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a whole file as `written_atomically` does, with its errors."""
    with written_atomically(path) as part:
        part.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a whole UTF-8 file as `written_atomically` does, with its errors."""
    write_bytes(path, text.encode("utf-8"))


def reason(error: Exception) -> str:
    """Why the operating system refused, without the path that the message names anyway."""
    return getattr(error, "strerror", None) or str(error)


def _remove(part: Path, target: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        if part != target:
            part.unlink()


def _stem(name: str) -> str:
    for ending in (".gz", Path(name.removesuffix(".gz")).suffix):
        if ending and name != ending:
            name = name.removesuffix(ending)
    return name


def _raw_chunks(source: Source, label: str) -> Generator[bytes, None, None]:
    if isinstance(source, bytes):
        for start in range(0, len(source), _CHUNK_BYTES):
            yield source[start : start + _CHUNK_BYTES]
        return
    try:
        if os.fspath(source) == "-":
            if sys.stdin is None:
                raise OSError("it is closed")
            stdin = sys.stdin.buffer
            read = getattr(stdin, "read1", stdin.read)  # read1: what a pipe has now
            yield from iter(lambda: read(_CHUNK_BYTES), b"")
            return
        with Path(source).open("rb") as file:
            yield from iter(lambda: file.read(_CHUNK_BYTES), b"")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path, or a closed stdin
        folder = "a folder; name the files in it" if isinstance(error, IsADirectoryError) else ""
        raise OutputError(f"{label}: cannot be read: {folder or reason(error)}") from error


def _plain_chunks(raw: Iterator[bytes]) -> Iterator[bytes]:
    start = b""
    while len(start) < len(GZIP) and (chunk := next(raw, b"")):
        start += chunk
    chunks = itertools.chain([start] if start else [], raw)
    return _unpacked(chunks) if start.startswith(GZIP) else chunks


def _unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Unpacks gzip, several members too, in pieces of bounded size."""
    total, unpacker, inside, members = 0, zlib.decompressobj(_GZIP_WINDOW), False, 0
    for packed in chunks:
        piece = b""
        while packed or len(piece) == _CHUNK_BYTES:
            if members and not inside:
                packed = packed.lstrip(b"\0")  # padding between and after members is legal
            inside = inside or bool(packed)
            try:
                piece = unpacker.decompress(packed, _CHUNK_BYTES)
            except zlib.error as error:
                raise InstanceError(f"damaged gzip: {error}", code="SYNTAX") from error
            packed = unpacker.unconsumed_tail
            total += len(piece)
            if total > MAX_UNPACKED_BYTES:
                raise InstanceError(
                    f"gzip that unpacks to more than {MAX_UNPACKED_BYTES} bytes; unpack it first: "
                    "JSON Lines that are not packed may have any size",
                    code="TOO_LARGE",
                )
            if piece:
                yield piece
            if unpacker.eof:
                packed, members, inside = unpacker.unused_data, members + 1, False
                unpacker = zlib.decompressobj(_GZIP_WINDOW)
    if inside or not members:
        raise InstanceError("truncated gzip", code="SYNTAX")


def names_folder(path: str) -> bool:
    """Return whether a path as it is written means a folder, which need not be there."""
    return path.endswith(("/", os.sep)) or Path(path).is_dir()
