"""Spreadsheets as dispatchers have them: languages, programs, notations; one day, known well."""

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from xml.sax.saxutils import escape

import numpy as np

from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance

# What columns are called: number, name, lat, lon, demand, open, close, service.
HEADINGS = {
    "English": "No,Name,Latitude,Longitude,Weight (kg),Open,Close,Service time",
    "German": "Nr.,Kunde,Breitengrad,Längengrad,Gewicht (kg),von,bis,Standzeit",
    "French": "Numéro,Nom du client,Latitude,Longitude,Quantité,Début,Fin,Durée",
    "Spanish": "Nº,Nombre,Latitud,Longitud,Cantidad,Desde,Hasta,Duración",
    "Italian": "Nr,Ragione sociale,Latitudine,Longitudine,Quantità,Dalle,Alle,Durata",
    "Dutch": "Nr,Naam,Breedtegraad,Lengtegraad,Hoeveelheid,Vanaf,Tot,Duur",
    "Portuguese": "Nº,Nome,Latitude,Longitude,Quantidade,Início,Fim,Duração",
    "Polish": "Nr,Nazwa,Szerokość geograficzna,Długość geograficzna,Ilość,Od,Do,Czas obsługi",
}
NAMES = {
    "English": ["Miller & Sons", "O'Brien", "Café, Main St", "Zoë's"],
    "German": ["Bäckerei Groß", "Müller", "Käse; Wein", "Österreicher"],
    "French": ["Hôtel du Lac", "L'Épicerie", "Boulangerie Noël", "Çedille"],
    "Spanish": ["Peñón", "Señor López", "Ávila; Hijos", "Güemes"],
    "Italian": ["Caffè Perù", "Città Nuova", "L'Università", "Più"],
    "Dutch": ["Café België", "Coöperatie", "'t Hoekje", "Één"],
    "Portuguese": ["São João", "Pão & Cia", "Açougue", "Estação"],
    "Polish": ["Łódź Główna", "Piekarnia Świeża", "Żabka", "Michał"],
}
PLACES = [(52.5125, 13.375), (52.48, 13.4), (52.5, 13.125), (52.53, 13.25)]
DEMANDS = [1250.5, 3.0, 0.75, 12.0]
ROUND_DEMANDS = [1250.0, 3500.0, 2000.0, 1500.0]
WINDOWS = [(480, 630), (795, 1020), (540, 735), (600, 960)]  # minutes
SERVICE = 10  # minutes
DAY = datetime(2026, 11, 27)
EARLY = datetime(2026, 3, 4)  # or the third of April
OPTIONS = SheetOptions(depot=(52.52, 13.4), capacity=(9000.0,), speed=30.0)
QUESTIONS = ("AMBIGUOUS", "AMBIGUOUS", "AMBIGUOUS", "COLUMN", "CELL")


@dataclass(frozen=True)
class Book:
    """How a spreadsheet is written.

    Attributes:
        language: Of its headings and names.
        form: An encoding of CSV, or `xlsx` or `ods`.
        separator: Between cells of CSV.
        decimal: Before fractions; in workbooks numbers are numbers, unless it is given.
        thousands: Between thousands.
        clock: How times are written, of `datetime.strftime` with `%-H`; of workbooks: `time`,
            `date and time`, or such a text.
        is_round: All demands are whole thousands and hundreds, as may be ambiguous.
        day: The day of times with a date.
        outcome: What should become of it: `right`, or `asked`.
    """

    language: str
    form: str
    separator: str = ""
    decimal: str = ""
    thousands: str = ""
    clock: str = "%H:%M"
    is_round: bool = False
    day: datetime = DAY
    outcome: str = "right"

    @property
    def demands(self):
        """What its stops want."""
        return ROUND_DEMANDS if self.is_round else DEMANDS

    def rows(self):
        """Its cells: texts, numbers, times."""
        yield HEADINGS[self.language].split(",")
        names = NAMES[self.language]
        for number, (name, place, demand, window) in enumerate(
            zip(names, PLACES, self.demands, WINDOWS, strict=True), start=101
        ):
            numbers = [self.number(each) for each in (*place, demand)]
            times = [self.time(minutes) for minutes in window]
            yield [number, name, *numbers, *times, SERVICE]

    def number(self, value):
        """A number as it is written."""
        if not self.decimal:
            return value
        text = f"{value:,.4f}".rstrip("0").rstrip(".")
        signs = {".": self.decimal, ",": self.thousands}
        return "".join(signs.get(letter, letter) for letter in text)

    def time(self, minutes):
        """A time of day as it is written."""
        when = self.day + timedelta(minutes=minutes)
        if self.clock in ("time", "date and time"):
            return when.time() if self.clock == "time" else when
        return when.strftime(self.clock)

    def data(self):
        """Its bytes."""
        return self.written(self.rows())

    def written(self, rows, name="Stops"):
        """Rows as this file, whose sheet has a name."""
        if self.form == "xlsx":
            return xlsx(rows, name)
        if self.form == "ods":
            return ods(rows)
        text = io.StringIO()
        csv.writer(text, delimiter=self.separator, lineterminator="\r\n").writerows(rows)
        encoding, _, mark = self.form.partition(" ")
        return (b"\xff\xfe" if mark == "LE" else b"\xfe\xff" if mark == "BE" else b"") + (
            text.getvalue().encode(f"{encoding}-{mark}" if mark in ("LE", "BE") else encoding)
        )

    def found(self):
        """What became of it: `right`, `asked`, or what is wrong; and what was said."""
        (item,) = read_instances(self.data(), sheet=OPTIONS)
        if isinstance(item, InvalidInstance):
            return ("asked" if item.code in QUESTIONS else item.code), item.error
        windows = item.own_constraints.windows[:, 0]
        names = [item.origin.names.get(stop) for stop in item.ids]
        for what, one, other in (
            ("places", item.coords[1:, ::-1], PLACES),
            ("demands", item.demand[1:], self.demands),
            ("windows", windows, WINDOWS),
            ("service", item.own_constraints.service, [SERVICE] * len(PLACES)),
        ):
            if not np.array_equal(one, other):
                return f"wrong {what}", f"{one}"
        if names != NAMES[self.language]:
            return "wrong names", f"{names}"
        return "right", " ".join(item.origin.notes)


@dataclass(frozen=True)
class Formula:
    """A cell that a formula computes, with the value saved or not."""

    value: float | time
    is_saved: bool

    @property
    def number(self):
        """Its value; of a time, as a part of a day."""
        if isinstance(self.value, time):
            return (self.value.hour * 60 + self.value.minute) / 1440
        return self.value


def xlsx(rows, name="Stops"):
    """Rows as .xlsx, the second sheet of two."""
    from xlsxwriter import Workbook

    data = io.BytesIO()
    with Workbook(data, {"in_memory": True}) as book:
        book.add_worksheet("Info").write(0, 0, "2026")
        sheet = book.add_worksheet(name)
        clock = book.add_format({"num_format": "hh:mm"})
        whole = book.add_format({"num_format": "dd/mm/yyyy hh:mm"})
        for line, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, datetime | time):
                    form = whole if isinstance(value, datetime) else clock
                    sheet.write_datetime(line, column, value, form)
                elif isinstance(value, Formula):
                    saved = value.number if value.is_saved else "none"
                    form = clock if isinstance(value.value, time) else None
                    sheet.write_formula(line, column, f"={value.number}*1", form, saved)
                else:
                    sheet.write(line, column, value)
    return _without_values(data)


def _without_values(data):
    """A workbook whose formulas with the value `none` have no value."""
    found, cell = io.BytesIO(), rb' t="str">(<f>[^<]*</f>)<v>none</v>'
    with zipfile.ZipFile(data) as old, zipfile.ZipFile(found, "w") as new:
        for item in old.infolist():
            new.writestr(item, re.sub(cell, rb">\1", old.read(item)))
    return found.getvalue()


def ods(rows):
    """Rows as .ods, with the empty rest of the sheet as LibreOffice writes it."""
    lines = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}"
        '<table:table-cell table:number-columns-repeated="16376"/></table:table-row>'
        for row in rows
    )
    return ods_of(
        f'<table:table table:name="Stops">{lines}'
        '<table:table-row table:number-rows-repeated="1048571">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )


def _ods_cell(value):
    text = f"<text:p>{escape(str(value))}</text:p>"
    if isinstance(value, datetime):
        own = f'date" office:date-value="{value.isoformat()}'
    elif isinstance(value, time):
        own = f'time" office:time-value="PT{value:%HH%MM%S}S'
    elif isinstance(value, str):
        own = "string"
    else:
        own = f'float" office:value="{value}'
    return f'<table:table-cell office:value-type="{own}">{text}</table:table-cell>'


def ods_of(tables):
    """A workbook of tables in XML."""
    names = ("office", "table", "text")
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(f'xmlns:{name}="{urn}:{name}:1.0"' for name in names)
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{urn}:manifest:1.0"><manifest:file-entry '
            f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>{tables}"
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return data.getvalue()


US, EUROPE, POINTS = "%m/%d/%Y %-I:%M %p", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M"
BOOKS = [
    Book("English", "utf-8", ",", ".", ","),
    Book("English", "utf-8", "\t", ".", ",", is_round=True, outcome="asked"),
    Book("English", "cp1252", ",", ".", ",", "%-I:%M %p", is_round=True),
    Book("English", "xlsx", clock="date and time"),
    Book("English", "utf-16 LE", "\t", ".", "", US, day=EARLY, outcome="asked"),
    Book("German", "utf-8-sig", ";", ",", "."),
    Book("German", "cp1252", ";", ",", ".", POINTS, is_round=True),
    Book("German", "utf-16 LE", "\t", ",", ".", "%-H:%M Uhr"),
    Book("German", "xlsx", clock="time"),
    Book("German", "ods", clock=POINTS, day=EARLY),
    Book("French", "utf-8-sig", ";", ",", "\u202f", "%-Hh%M"),
    Book("French", "cp1252", ";", ",", " ", "%H h %M"),
    Book("French", "utf-16 BE", "\t", ",", "", EUROPE),
    Book("French", "xlsx", decimal=",", clock="time"),
    Book("French", "utf-8", ";", ",", "", EUROPE, day=EARLY, outcome="asked"),
    Book("Spanish", "utf-8", ";", ",", ".", "%-H:%M h"),
    Book("Spanish", "cp1252", ";", ",", ".", EUROPE),
    Book("Spanish", "utf-16 LE", "\t", ",", ".", is_round=True),
    Book("Spanish", "xlsx", clock="%H:%M"),
    Book("Spanish", "ods", clock="time"),
    Book("Italian", "utf-8-sig", ";", ",", "."),
    Book("Italian", "cp1252", ";", ",", "", "%H.%M", outcome="asked"),
    Book("Italian", "utf-16 BE", "\t", ",", ".", EUROPE),
    Book("Italian", "xlsx", clock="date and time", day=EARLY),
    Book("Italian", "utf-8", ",", ".", "", "%Y-%m-%dT%H:%M:%S"),
    Book("Dutch", "utf-8", ";", ",", ".", "%d-%m-%Y %H:%M"),
    Book("Dutch", "cp1252", ";", ",", "", "%-H:%M uur"),
    Book("Dutch", "utf-16 LE", "\t", ",", ".", "%-H,%M", outcome="asked"),
    Book("Dutch", "xlsx", clock="time"),
    Book("Dutch", "ods", clock="date and time"),
    Book("Portuguese", "utf-8-sig", ";", ",", ".", "%-Hh%M"),
    Book("Portuguese", "cp1252", ";", ",", ".", EUROPE, is_round=True),
    Book("Portuguese", "utf-16 BE", "\t", ",", " ", "%-H:%M"),
    Book("Portuguese", "xlsx", clock="time"),
    Book("Portuguese", "utf-8", ",", ".", "", "%Y-%m-%dT%H:%M+00:00"),
    Book("Polish", "utf-8", ";", ",", " ", "%Y-%m-%d %H:%M"),
    Book("Polish", "cp1250", ";", ",", "\u00a0"),
    Book("Polish", "utf-16 LE", "\t", ",", "", POINTS),
    Book("Polish", "xlsx", decimal=",", thousands=" ", clock="%H:%M"),
    Book("Polish", "ods", clock="time"),
]
