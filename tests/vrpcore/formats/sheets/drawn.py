"""Spreadsheets drawn at random, with headings, notations and stray columns as people have them."""

import csv
import random
import re
from dataclasses import dataclass
from datetime import time, timedelta
from itertools import count
from pathlib import Path

from tests.vrpcore.formats.sheets.books import BOOKS, DAY, HEADINGS, Book, Formula
from tests.vrpcore.formats.sheets.meant import OF_STOPS, OF_VANS, Case

DATA = Path(__file__).parents[3] / "data"
CENTRES = {
    **{"English": (51.5, -0.12), "German": (52.52, 13.4), "French": (48.85, 2.35)},
    **{"Spanish": (40.42, -3.7), "Italian": (45.46, 9.19), "Dutch": (52.37, 4.9)},
    **{"Portuguese": (-23.55, -46.63), "Polish": (52.23, 21.01)},
}
SCALES = ((1, 1, 9), (1, 12, 60), (0.5, 3, 19), (50, 21, 39))  # amounts: step, least, most
OF_DRIVERS = ("Mobile", "Phone", "Notes", "E-mail", "Driver", "Plate", "Status")
# A column has no effect without one of these others.
NEEDS = {
    **{"pickup": ("amount",), "late": ("window",)},
    **dict.fromkeys(("priority", "skills", "count"), ("max_customers", "max_distance")),
}
HALVES = {
    "place": ("lat", "lon"),
    "window": ("open", "close"),
    "shift": ("shift_start", "shift_end"),
}
WHOLE = {half: whole for whole, halves in HALVES.items() for half in halves}
STOPS = 7
NAMES = ("Miller", "O'Brien", "Garcia", "Rossi", "De Vries", "Silva", "Nowak", "Weber", "Martin")
DURATIONS = ("service", "late", "max_duration", "max_travel_time")
UNITS = (  # of durations: in the heading, how many a minute has, in the cell
    *(("", 1, "{} min"), ("", 1, ""), ("", 1, ""), ("", 1, "0:00")),
    *((" (min)", 1, ""), (" (h)", 1 / 60, ""), (" [s]", 60, "")),
)
IN_CELLS = {"amount": "{} kg", "fixed_cost": "€ {}", "max_distance": "{} km"}
STRAY_DAYS = ("2026-11-20", "2026-11-23", "2026-11-24")


def _table(name):
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=";"))


WORDS = {row["kind"]: row for row in _table("sheet_words.csv")}
STRAYS = _table("sheet_strays.csv")
TOOLS = (DATA / "sheet_tools.csv").read_text("utf-8").splitlines()


def drawn(make, folder):
    """The first case of a maker in which each column matters."""
    return next(case for each in count() if (case := make(each)).counts(folder))


def meaningful(language, number, version):
    """A sheet of one to four columns with a meaning, and up to two without."""
    draw = random.Random(f"meaning {language} {number} {version}")
    words = {kind: row[language] for kind, row in WORDS.items()}
    return _sheet("meaning", draw, language, words, draw.randint(0, 2))


def documented(with_strays, language, number, version):
    """A sheet whose columns with a meaning are documented, with one to five others or none."""
    draw = random.Random(f"documented {with_strays} {language} {number} {version}")
    words = {kind: row["documented"] for kind, row in WORDS.items()}
    if draw.random() < 0.5:
        own = HEADINGS[language].split(",")
        words |= {"id": own[0], "name": own[1], "amount": own[4], "service": own[7]}
        words |= {"place": "~".join(own[2:4]), "window": "~".join(own[5:7])}
    return _sheet("documented", draw, language, words, with_strays and draw.randint(1, 5))


def _sheet(group, draw, language, words, strays):
    """A sheet of some columns under some of the words for each."""
    wanted = [each for each in {**OF_STOPS, **OF_VANS} if words[each] and each != "capacity"]
    features = draw.sample(wanted, draw.randint(1, 3))
    for feature in features:  # grows
        needs = NEEDS.get(feature, features)
        if not {*needs} & {*features}:
            features.append(draw.choice(needs))
    with_vans = any(each in OF_VANS or each == "priority" for each in features)
    if {"amount", "pickup"} & {*features} and with_vans:
        features.append("capacity")
    own = [each for each in OF_STOPS if each in features] + ["prize"] * ("must" in features)
    stops = [*_worded(draw, words, ["id", "name", "place", *own], 0)]
    stops += [(each[language], f"?{each['cells']}") for each in draw.sample(STRAYS, strays)]
    vans = ["vehicle"] * with_vans + [each for each in OF_VANS if each in features]
    vans = [*_worded(draw, words, vans, -1)]
    for each in draw.sample(STRAYS, min(2, strays)):
        if vans and each["English"] in OF_DRIVERS:
            vans.append((each[language], f"?{each['cells']}"))
    return _case(group, draw, language, stops, vans)


def _worded(draw, words, kinds, side):
    """Headings of what columns mean."""
    for kind in kinds:
        choices = words[kind].split("|")
        if kind == "place" and draw.random() < 0.8:
            choices = choices[:1]
        heads = draw.choice(choices).split("~")
        if kind == "skills":
            heads = [heads[side]]
        yield from zip(heads, HALVES[kind] if len(heads) == 2 else [kind], strict=True)


def exported(number, version):
    """A sheet as another program writes it."""
    title, language, form, heads, vans = TOOLS[number].split(";")
    draw = random.Random(f"{title} {version}")
    heads, vans = ([each.split("=") for each in line.split(",") if each] for line in (heads, vans))
    return _case("meaning", draw, language, heads, vans, form, title)


def _case(group, draw, language, heads, vans, form=None, title=""):
    """A case of columns, each a heading and what it means."""
    heads = [each for number, each in enumerate(heads) if each[0] not in dict(heads[:number])]
    books = [each for each in BOOKS if each.language == language]
    if form:  # a tab or a comma separates, or it is a workbook whose sheet has a name
        books = [each for each in books if (form[:4] == "xlsx") == (each.form == "xlsx")]
    if group != "meaning":
        books = [each for each in books if each.outcome == "right"]
    hand = Hand(draw, draw.choice(books), group == "meaning")
    features = {WHOLE.get(kind, kind) for _, kind in [*heads, *vans]} & {*OF_STOPS, *OF_VANS}
    stops = _stops(draw, language, features)
    total = [sum(stop.get(kind, 0) for stop in stops) for kind in ("amount", "pickup")]
    fleet = _vans(draw, language, features, max(total)) if vans else []
    vehicles = [_json(van, OF_VANS) | {"id": van["vehicle"]} for van in fleet]
    if not vans:
        vehicles = [{"distance_cost": 0.001}]
        if max(total):
            largest = max(max(stop.get("amount", 0), stop.get("pickup", 0)) for stop in stops)
            vehicles[0]["capacity"] = max(largest, round(max(total) * draw.uniform(0.3, 0.6)))
    latitude, longitude = CENTRES[language]
    document = {"metric": "haversine", "speed": 500, "depot": [longitude, latitude]}
    document["vehicles"] = vehicles
    document["customers"] = [
        _json(stop, OF_STOPS) | {"id": stop["id"], "x": stop["lon"], "y": stop["lat"]}
        for stop in stops
    ]
    columns = [
        [hand.column(head, kind, items) for head, kind in own]
        for own, items in ((heads, stops), (vans, fleet))
    ]
    sheet = form[5:] if form and form[4:] else "Stops"
    return Case(group, title, hand.book, sheet, sorted(features), *columns, document)


def _stops(draw, language, features):
    """What each stop says, in the units of sheets."""
    step, least, most = draw.choice(SCALES)
    skills = WORDS["skill"][language].split("~")
    stops = []
    for number, name in enumerate(draw.sample(NAMES, STOPS), start=draw.choice((1, 201, 5040))):
        opens = 480 + 15 * draw.randrange(16)
        is_open = draw.random() < 0.15
        stop = {
            "id": str(number),
            "name": name,
            "amount": step * draw.randint(least, most),
            "pickup": step * draw.randint(least, most),
            "service": 3 * draw.randint(2, 12),
            "window": None if is_open else [opens, opens + 15 * draw.randint(4, 10)],
            "late": None if is_open else 3 * draw.randint(1, 10),
            "must": draw.random() < 0.5,
            "prize": draw.randint(1, 6),
            "skills": draw.choice(([], [], skills[:1], skills[1:], skills)),
            "priority": 10 * draw.randint(1, 9),
        }
        place = {
            kind: round(centre + draw.uniform(-0.06, 0.06), 4)
            for kind, centre in zip(("lat", "lon"), CENTRES[language], strict=True)
        }
        fixed = ("id", "name", *(("prize",) if "must" in features else ()))
        stops.append(place | {key: stop[key] for key in stop if key in features or key in fixed})
    return stops


def _vans(draw, language, features, total):
    """What each type of vehicles says, in the units of sheets."""
    skills = WORDS["skill"][language].split("~")
    vans = []
    for number in range(3):
        starts = 450 + 15 * draw.randrange(6)
        van = {
            "capacity": max(1, round(total * draw.uniform(0.2, 0.6))),
            "count": draw.randint(1, 3),
            "shift": [starts, starts + 15 * draw.randint(2, 14)],
            "skills": (skills, [], skills[:1])[number],
            "max_duration": 3 * draw.randint(9, 35),
            "max_travel_time": 3 * draw.randint(8, 20),
            "max_distance": draw.randint(12, 35),
            "max_customers": draw.randint(1, 3),
            "fixed_cost": draw.randint(5, 60),
            "distance_cost": draw.randint(6, 40) / 20,
            "duration_cost": 6 * draw.randint(2, 8),
        }
        own = {key: van[key] for key in van if key in features}
        vans.append({"vehicle": f"{'ABC'[number]}{draw.randint(10, 99)}", **own})
    return vans


def _json(said, keys):
    """What a row says, by the keys of JSON."""
    found = {keys[key]: value for key, value in said.items() if key in keys and value is not None}
    if "must" in said:
        found = {key: value for key, value in found.items() if key != "prize"}
        found |= {} if said["must"] else {"prize": said["prize"]}
    if keys is OF_VANS:
        found = {"count": 1, "distance_cost": 1} | found
        found["distance_cost"] /= 1000
        for key, factor in (("max_distance", 1000), ("duration_cost", 1 / 60)):
            if key in found:
                found[key] *= factor
    return found


@dataclass
class Hand:
    """How somebody fills in a sheet.

    Attributes:
        draw: Random numbers.
        book: Language and notation.
        is_free: Units and words stand in cells, and formulas may have no value.
    """

    draw: random.Random
    book: Book
    is_free: bool

    def column(self, head, kind, items):
        """A column's heading and cells."""
        if kind[0] == "?":
            return head, self.stray(kind[1:], len(items))
        values = [
            item[WHOLE.get(kind, kind) if kind not in ("lat", "lon") else kind] for item in items
        ]
        if kind in ("id", "name", "vehicle"):
            return head, values
        if kind in ("lat", "lon"):
            return head, [self.book.number(value) for value in values]
        if kind == "skills":
            between = self.draw.choice((", ", ","))
            return head, [between.join(value) for value in values]
        if kind == "must":
            words = WORDS["yes no"][self.book.language].split("~")
            yes, no = self.draw.choice((words, ["1", "0"], ["x", ""]))
            return head, [yes if value else no for value in values]
        if kind in HALVES:
            return head, self.windows(values)
        if kind in WHOLE:
            side = HALVES[WHOLE[kind]].index(kind)
            cells = ["" if value is None else self.book.time(value[side]) for value in values]
            return head, self.formulas(cells) if isinstance(cells[0], time) else cells
        return self.numbers(head, kind, values)

    def windows(self, values):
        """Both ends of each window in a cell."""
        book = self.book
        joints = ["-", " - ", " \u2013 ", f" {WORDS['to'][book.language]} "]
        to = self.draw.choice(joints if self.is_free else joints[:3])
        form = "%H:%M" if "time" in book.clock or "%d" in book.clock else book.clock
        return [
            to.join(f"{DAY + timedelta(minutes=end):{form}}" for end in value or ())
            for value in values
        ]

    def numbers(self, head, kind, values):
        """Numbers, in the unit of the heading or of the cell, or computed by a formula."""
        draw, text = self.draw, None
        if kind in DURATIONS and "(" not in head:
            unit, factor, text = draw.choice(UNITS if self.is_free else UNITS[1:])
            head += unit
            values = [each and round(each * factor, 4) for each in values]
        elif kind in IN_CELLS and self.is_free and draw.random() < 0.1:
            text = IN_CELLS[kind]
        if text == "0:00":
            return head, ["" if each is None else f"{each // 60}:{each % 60:02}" for each in values]
        cells = ["" if each is None else self.book.number(each) for each in values]
        if text:
            return head, [each and text.format(each) for each in cells]
        return head, cells if self.book.decimal else self.formulas(cells)

    def formulas(self, cells):
        """Some columns of workbooks are computed."""
        if self.book.form != "xlsx" or self.draw.random() < 0.7:
            return cells
        is_saved = not self.is_free or self.draw.random() < 0.5
        return [each if each == "" else Formula(each, is_saved) for each in cells]

    def stray(self, pattern, number):
        """Cells without a meaning for routes."""
        draw, book = self.draw, self.book
        named = {
            "DATE": "|".join(STRAY_DAYS),
            "DATETIME": "|".join(f"{day} 1#:2#" for day in STRAY_DAYS),
            "YESNO": WORDS["yes no"][book.language].replace("~", "|"),
        }
        cells = []
        for row in range(1, number + 1):
            text = draw.choice(named.get(pattern, pattern).split("|")).replace("ROW", str(row))
            text = re.sub("#", lambda _: str(draw.randrange(10)), text)
            if re.fullmatch(r"\d+\.\d+", text):
                cells.append(book.number(float(text)))
            elif re.fullmatch(r"0|[1-9]\d*", text) and book.form in ("xlsx", "ods"):
                cells.append(int(text))
            else:
                cells.append(text)
        return cells
