"""A new user's path, from two spreadsheets to a picture: the commands, and their seconds.

python -m tests.bench.new_user [--stops 200] [--time-limit SECONDS] [--out FOLDER]

Stops lie in Berlin, most of them near its centre, and have windows of an hour to a day; vans and
trucks have shifts and a break each. The commands are those that somebody types who has read the
help: solve, check, draw. Seconds are wall clock, each a process of its own. Files stay in `--out`;
without it they are thrown away.
"""

import csv
import random
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed

VRP = [sys.executable, "-m", "vrpcore.cli"]
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


def run(folder, *words):
    """Runs one command of `vrp` in a folder, prints it and its seconds."""
    call = partial(subprocess.run, [*VRP, *words], cwd=folder, check=True, capture_output=True)
    seconds = timed(call).wall_s
    line = shlex.join(["vrp", *words])
    print(f"| `{line}` | {seconds:.1f} |", flush=True)


def path(folder, options):
    """All commands, as typed in the folder with the spreadsheets."""
    sheets = ["stops.csv", "--fleet", "vans.csv"]
    print("| command | s |\n|---|---|")
    run(folder, "solve", *sheets, "-o", "routes.csv", *options)
    answered = ["stops.csv", "routes.csv", *sheets[1:]]
    run(folder, "check", *answered)
    run(folder, "plot", *answered, "-o", "day.png")
    with (folder / "routes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    served = sum(row["type"] != "break" and bool(row["route"]) for row in rows)
    left = sum(row["type"] != "break" and not row["route"] for row in rows)
    routes = len({row["route"] for row in rows} - {""})
    print(f"{served} stops on {routes} routes, {left} not served, cost {rows[0]['cost']}")


def main():
    """Writes the spreadsheets, and runs the commands."""
    args = arguments(__doc__, stops=200, seed=0, time_limit={"type": float}, out={"type": Path})
    options = [] if args.time_limit is None else ["--time-limit", f"{args.time_limit:g}"]
    with tempfile.TemporaryDirectory() as spare:
        folder = Path(spare) if args.out is None else args.out
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "stops.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(stops(args.stops, args.seed))
        (folder / "vans.csv").write_text(VANS, encoding="utf-8")
        path(folder, options)


if __name__ == "__main__":
    main()
