"""A day's deliveries in Berlin, as rows of spreadsheets.

Most stops are near the centre, and have windows of an hour to a day; vans and trucks have shifts
and a break each.
"""

import csv
import io
import random

from tests.vrpcore.formats.sheets.books import xlsx

CENTRE = (52.52, 13.40)  # latitude and longitude
STREETS = ("Amsel", "Birken", "Dorf", "Eichen", "Garten", "Haupt", "Linden", "Wald")
VANS = """\
id,count,capacity,lat,lon,open,close,speed,fixed_cost,cost_per_hour,break_start,break_end,break
van,10,60,52.5400,13.2800,07:00,16:00,25,40,24,11:00,13:30,0:30
truck,4,110,52.5400,13.2800,06:30,15:30,22,70,30,10:30,13:00,0:45
"""


def clock(minutes):
    """Minutes of a day as HH:MM."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def stops(number, seed):
    """Rows of a day's deliveries, with a heading."""
    draw = random.Random(seed)
    yield ["order no", "name", "lat", "lon", "parcels", "open", "close", "service (min)"]
    for order in range(1, number + 1):
        spread = draw.choice((0.02, 0.04, 0.08))
        latitude, longitude = (draw.gauss(centre, spread) for centre in CENTRE)
        opens = 15 * draw.randrange(30, 52)
        closes = min(opens + draw.choice((60, 120, 180, 480)), 15 * 60 + 30)
        window = ["", ""] if draw.random() < 0.3 else [clock(opens), clock(closes)]
        name = f"{draw.choice(STREETS)}str. {draw.randrange(1, 120)}"
        place = [f"{latitude:.5f}", f"{longitude:.5f}"]
        yield [order, name, *place, draw.randint(1, 5), *window, draw.choice((3, 4, 5, 8))]


def workbook(rows):
    """Rows as .xlsx, numbers as such."""
    return xlsx([[_number(cell) for cell in row] for row in rows])


def fleet():
    """The rows of the vehicles."""
    return csv.reader(io.StringIO(VANS))


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
