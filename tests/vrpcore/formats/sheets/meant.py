"""Spreadsheets whose meaning is known, and what `vrp solve` makes of them."""

import json
from dataclasses import dataclass
from math import isclose

from tests.cli.runs import vrp
from tests.vrpcore.formats.sheets.books import Book

SPEED = 30  # km/h
# What columns of stops and of vehicles mean, and the key that says it in JSON.
OF_STOPS = {
    **{"amount": "demand", "pickup": "pickup", "service": "service", "window": "window"},
    **{"must": "prize", "skills": "skills", "late": "max_late", "priority": "priority"},
}
OF_VANS = {
    **{"capacity": "capacity", "count": "count", "shift": "window", "skills": "skills"},
    **{name: name for name in ("max_duration", "max_travel_time", "max_distance")},
    **{name: name for name in ("max_customers", "fixed_cost", "distance_cost", "duration_cost")},
}


@dataclass
class Case:
    """Spreadsheets and what they mean.

    Attributes:
        group: `meaning` or `documented`.
        title: The program whose layout it has, if any.
        book: Its language and notation.
        sheet: The name of the sheet of stops in workbooks.
        features: What its columns say, of `OF_STOPS` and `OF_VANS`.
        stops, vans: Columns as heading and cells; without vans, options say it.
        document: The same in JSON.
    """

    group: str
    title: str
    book: Book
    sheet: str
    features: list
    stops: list
    vans: list
    document: dict

    @property
    def described(self):
        """Its headings with their first cells."""
        columns = [f"{head}: {', '.join(map(str, cells[:2]))}" for head, cells in self.stops]
        vans = [f"{head}: {', '.join(map(str, cells[:2]))}" for head, cells in self.vans]
        return f"{self.title} {self.book.form}: {'; '.join(columns)} + {'; '.join(vans)}"

    def without(self, feature):
        """The document as somebody reads it who does not see a column."""
        changed = json.loads(json.dumps(self.document))
        for part, keys in (("customers", OF_STOPS), ("vehicles", OF_VANS)):
            for item in changed[part]:
                item.pop(keys.get(feature), None)
        for van in changed["vehicles"]:
            van.setdefault("distance_cost", 0.001)
            if self.vans:
                van.setdefault("count", 1)
        return changed

    def words(self, folder):
        """Writes its files; what a command says to read them."""
        end = self.book.form if self.book.form in ("xlsx", "ods") else "csv"
        names = [folder / f"stops.{end}", folder / f"vans.{end}"]
        for name, columns in zip(names, (self.stops, self.vans), strict=True):
            heads, cells = zip(*columns or [("", ())], strict=True)
            rows = [list(heads), *map(list, zip(*cells, strict=True))]
            name.write_bytes(self.book.written(rows, self.sheet))
        longitude, latitude = self.document["depot"]
        words = [names[0], "--depot", f"{latitude},{longitude}", "--speed", SPEED]
        capacity = self.document["vehicles"][0].get("capacity")
        if self.vans:
            return [*words, "--fleet", names[1]]
        return [*words, "--capacity", capacity] if capacity else words

    def judged(self, folder):
        """What became of it, and what was said.

        `right`, `asked` (refused, and the message names a column), `unclear` (it names none), or
        `wrong`: solved in silence as another problem.
        """
        (right,) = answers(folder, documents=[self.document])
        found = answers(folder, *self.words(folder))[0]
        if found["status"] == "invalid":
            is_named = any(head in found["error"] for head, _ in [*self.stops, *self.vans])
            return ("asked" if is_named else "unclear"), found["error"]
        return ("right" if same(found, right) else "wrong"), found["said"]

    def counts(self, folder):
        """Whether each of its columns matters: without it, the answer is another."""
        documents = [self.document, *map(self.without, self.features)]
        right, *others = answers(folder, documents=documents)
        return right["status"] != "invalid" and not any(same(right, each) for each in others)


def answers(folder, *words, documents=None):
    """The answers of `vrp solve`, with what it said."""
    output = folder / "answers.json"
    output.unlink(missing_ok=True)
    if documents:
        words = [folder / "documents.json"]
        words[0].write_text(json.dumps(documents))
    result = vrp("solve", *words, "--format", "json", "-o", output, code=None)
    if not output.exists():
        return [{"status": "invalid", "code": "", "error": result.output}]
    found = json.loads(output.read_text())["solutions"]
    return [{"said": result.stderr, **each} for each in found]


def same(one, other):
    """Whether two answers have routes of the same lengths, times and loads at the same cost."""
    one, other = _numbers(one), _numbers(other)
    return len(one) == len(other) and all(map(_close, one, other))


def _close(one, other):
    return isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)


def _numbers(answer):
    routes = sorted(
        [each["distance"], each["duration"], each.get("load", 0), len(each["customers"])]
        for each in answer.get("routes", ())
    )
    return [answer.get("cost") or 0, *(number for route in routes for number in route)]
