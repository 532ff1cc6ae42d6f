"""Lines on a map as short texts: encoded polylines, as routing services and VROOM write them.

Each latitude and longitude is the difference to the one before, a whole number of 10^-digits
degrees, in groups of five bits.

Source:
    Google, Encoded Polyline Algorithm Format.
"""

from collections.abc import Iterable, Iterator

DIGITS = 5  # of degrees
MAX_POINTS = 1_000_000

_Point = tuple[float, float]
_BITS, _FIRST, _MORE = 5, 63, 32  # of a letter; the first letter; the mark of all but the last
_MASK = _MORE - 1
_MOST_BITS = 40  # of a number; 360 degrees with 9 digits


def encode_polyline(points: Iterable[_Point], digits: int = DIGITS) -> str:
    """Writes a line.

    Args:
        points: Longitudes and latitudes in degrees.
        digits: That are kept.
    """
    letters: list[str] = []
    before = (0, 0)
    for longitude, latitude in points:
        here = (round(latitude * 10**digits), round(longitude * 10**digits))
        for new, old in zip(here, before, strict=True):
            number = (new - old) << 1
            number = ~number if new < old else number
            while number >= _MORE:
                letters.append(chr((number & _MASK | _MORE) + _FIRST))
                number >>= _BITS
            letters.append(chr(number + _FIRST))
        before = here
    return "".join(letters)


def decode_polyline(text: str, digits: int = DIGITS) -> list[_Point]:
    """Reads a line.

    Args:
        text: Of `encode_polyline`, or of another program.
        digits: That it has.

    Returns:
        Longitudes and latitudes in degrees.

    Raises:
        ValueError: It is no such text, leaves the Earth, or has too many points.
    """
    numbers = list(_numbers(text))
    if len(numbers) % 2 or len(numbers) > 2 * MAX_POINTS:
        message = f"{len(numbers)} numbers, expected pairs, at most {MAX_POINTS}"
        raise ValueError(f"no encoded polyline: {message}")
    points: list[_Point] = []
    latitude = longitude = 0
    for north, east in zip(numbers[::2], numbers[1::2], strict=True):
        latitude, longitude = latitude + north, longitude + east
        point = (longitude / 10**digits, latitude / 10**digits)
        if abs(point[0]) > 360 or abs(point[1]) > 90:
            raise ValueError(f"no encoded polyline: it passes {point[0]:g}, {point[1]:g} degrees")
        points.append(point)
    return points


def _numbers(text: str) -> Iterator[int]:
    number = shift = 0
    for letter in text:
        bits = ord(letter) - _FIRST
        if not 0 <= bits < 2 * _MORE or shift > _MOST_BITS:
            raise ValueError(f"no encoded polyline: {letter!r} is not expected there")
        number |= (bits & _MASK) << shift
        shift += _BITS
        if bits < _MORE:
            yield ~(number >> 1) if number & 1 else number >> 1
            number = shift = 0
    if shift:
        raise ValueError("no encoded polyline: it ends in the middle of a number")
