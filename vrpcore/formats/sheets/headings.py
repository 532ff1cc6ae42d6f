"""Names of columns in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish.

A word in braces stands for each of its parts: `{tw,slot}start` for `twstart` and `slotstart`; `ä`
stands for `a` and `ae`. All words are without case, blanks and other accents.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from vrpcore.formats.sheets.units import Measure, Quantity, endings, plain, without_units

Reads = Literal["text", "number", "integer", "time", "span", "words", "count", "window"]

_NUMBERED = re.compile(r"(\D+?)(\d{1,2})(\D*)")
MAX_NUMBERED = 10  # windows of a row, or breaks: tables with more columns are hardly filled in
_SEVERAL = ("open", "close", "window", "break_start", "break_end", "break_duration")
AMOUNTS = ("demand", "pickup", "capacity", "initial_load")
# Behind other names of amounts, as in `weight_kg`.
OF_AMOUNTS = {  # with the first of those that are alike
    word: same.split()[0]
    for same in ("kg kgs", "g", "t", "lb lbs", "l ltr litre litres liter", "m3 cbm", "pcs stk stck")
    for word in same.split()
}

_OPEN = """opens opening opensat openfrom opentime openingtime earliest{,time,start,arrival}
    {,time}window{start,from,open,begin} tw{start,open,from} von ab beginn startzeit debut
    heuredebut desde inicio horainicio inizio orainizio begintijd starttijd"""
_CLOSE = """closes closing closesat closetime closingtime opento openuntil latest{,time,arrival}
    {,time}window{end,to,close,until} tw{end,close,to} bis ende endzeit fin heurefin hasta horafin
    fine orafine eindtijd fim horafim"""
_WINDOW = "hours timewindow timewindows tw horario orario"
_LAT = """latitude latitud latitudine breitengrad breedtegraad szerokoscgeograficzna
    {geo,geographische,geografische}breite {lat,latitude}{deg,degrees,dd,wgs84,decimal}"""
_LON = """lng long longitude longitud longitudine längengrad lengtegraad
    dlugoscgeograficzna {geo,geographische,geografische}länge
    {lon,lng,long,longitude}{deg,degrees,dd,wgs84,decimal}"""
_X = "xcoord xcoordinate xpos xkoordinate {coord,point,pos,location}x easting rechtswert"
_Y = "ycoord ycoordinate ypos ykoordinate {coord,point,pos,location}y northing hochwert"
_OF_PLACES = """{location,loc,geo,gps,point,decimal,wgs84,place,address,addr,customer,client,
    partner,delivery,deliver,shipping,stop,site,job,order,dest,destination}""".replace("\n    ", "")

STOP_HEADINGS: Mapping[str, str] = {
    "id": """stopid stopno stopnumber stopname customerid customerno customernumber
        orderid ordernumber orderno order customer custno custid clientid client siteid site
        jobid job locationid no nr number reference ref stop customername
        {kunden,auftrags,bestell,klant,bestel,stopp}{nr,nummer,id} {order,stop}{nr,nummer}
        auftrag bestellung referenz nummer numero num {numero,no,num,id,code,ref}{client,commande}
        commande
        {numero,num,id,no}{pedido,cliente,ordine,encomenda} pedido codigo codigocliente codice
        codicecliente ordine encomenda referencia riferimento numer
        {numer,nr,id}{zamowienia,klienta} zamowienie""",
    "name": """placename locationname label title company companyname firm recipient consignee
        kunde kundenname firma firmenname bezeichnung empfänger nom nomclient nomduclient
        raisonsociale destinataire nombre nombrecliente nombredelcliente cliente razonsocial
        destinatario nome nomecliente ragionesociale naam klant klantnaam bedrijf bedrijfsnaam
        ontvanger nomedocliente razaosocial nazwa nazwaklienta klient odbiorca""",
    "lat": f"{_LAT} {_OF_PLACES}{{lat,latitude}}",
    "lon": f"{_LON} {_OF_PLACES}{{lon,lng,long,longitude}}",
    "x": _X,
    "y": _Y,
    "demand": """demands quantity qty amount load weight volume units size parcels packages pallets
        items boxes deliver delivery deliveries order{size,quantity,qty,weight,volume}
        delivery{quantity,qty,size,amount,weight,volume,demand}
        {total,gross,net}{weight,qty,quantity,volume,pallets,units,parcels,boxes,demand}
        {weight,qty,quantity,peso,poids}total
        menge mengen {liefer,bestell}menge bedarf anzahl {,gesamt,brutto,netto}gewicht volumen kiste
        kisten karton kartons paket pakete palette paletten packstück packstücke
        colli kolli collo stück stückzahl gebinde quantite quantites
        qte poids colis cartons caisses palettes cantidad cantidades cant peso bultos cajas paquetes
        palets pales unidades carga quantita cartoni scatole casse pacchi bancali domanda
        passenger{,s} pax seats fahrgäste sitzplätze passagers pasajeros passeggeri passagiers
        passageiros pasazerowie
        hoeveelheid aantal dozen kratten pakketten quantidade qtd qtde caixas pacotes paletes
        volumes ilosc waga paczki palety skrzynki kartony sztuki objetosc""",
    "pickup": """pickups collect collection returns abholmenge rücknahme leergut
        retouren retours devoluciones resi devolucoes zwroty""",
    "open": f"""{_OPEN} ready readytime from fromtime timefrom after notbefore start starttime begin
        begintime arriveafter startwindow deliverfrom
        {{delivery,deliverywindow,arrival,slot,timeslot}}{{start,from}}
        öffnet frühestens {{zeit,uhrzeit,lieferzeit,lieferung,anlieferung}}von
        {{lieferung,anlieferung}}ab zeitfenster{{von,beginn,start}} fenster{{von,beginn}} ouverture
        heureouverture auplustot apertura horaapertura dalle oraapertura vanaf abertura horaabertura
        godzinaod od otwarcie""",
    "close": f"""{_CLOSE} due duetime duedate duedatetime until to totime timeto timeuntil before
        notafter deadline end endtime arrive{{by,before}} deliver{{to,by,before}} deliveryby
        endwindow lateststart {{delivery,deliverywindow,arrival,slot,timeslot}}{{end,to,until}}
        schliesst spätestens {{zeit,uhrzeit,lieferzeit,lieferung,anlieferung}}bis
        zeitfenster{{bis,ende}} fenster{{bis,ende}} fermeture heurefermeture auplustard cierre
        horacierre chiusura orachiusura alle tot sluitingstijd ate fechamento godzinado do
        zamkniecie""",
    "window": f"""{_WINDOW} {{delivery,deliverytime}}window {{,time,delivery}}slot
        {{opening,delivery}}hours zeitfenster liefer{{,zeit}}fenster öffnungszeit öffnungszeiten
        {{anliefer,annahme}}{{zeit,zeiten}} creneau creneauhoraire
        plagehoraire horaires fenetrehoraire ventana ventanahoraria franjahoraria finestraoraria
        fasciaoraria orari tijdvenster tijdvak tijdslot openingstijden janelahoraria oknoczasowe
        przedzialczasowy""",
    "service": """{visit,job,site,task,unload}{time,duration} unloadingduration timeonsite standzeit
        servicezeit entladezeit entladedauer aufenthaltsdauer haltezeit bedienzeit dauer duree
        dureeservice tempsdeservice tempsservice duracion tiemposervicio tiempodeservicio durata
        tempodiservizio temposervizio tempososta duur servicetijd lostijd duracao tempodeservico
        temposervico czasobslugi czaspostoju""",
    "priority": "priorität priorite prioridad priorita prioriteit prioridade priorytet",
    "skills": "skill requires requirements needs requiredskills fähigkeiten",
    "split": "splitdelivery splittable maysplit",
    "only_vehicle": "onlyvehicles",
    "one_of": "alternativeof alternatives",
    "before_stop": "beforestops",
    "type": "kind stoptype",
    "shipment": "shipmentid",
}
FLEET_HEADINGS: Mapping[str, str] = {
    "id": """vehicleid vehicleno vehiclenumber vehiclename vehicle vehicletype van vanid vanname
        truckid truck name type fahrzeug fahrzeugid fahrzeugname kennzeichen lkw vehicule camion
        vehiculo furgon veicolo mezzo voertuig veiculo pojazd""",
    "count": """number available quantity qty vehicles numberofvehicles anzahl cantidad quantita
        aantal quantidade ilosc liczba""",
    "capacity": """cap load maxload payload maxweight maxvolume volume weight maxcapacity
        vehiclecapacity kapazität ladekapazität nutzlast zuladung
        seats sitze sitzplätze plazas posti zitplaatsen lugares miejsca
        maxgewicht capacite chargeutile chargemax poidsmax capacidad cargamaxima pesomaximo capacita
        portata capaciteit laadvermogen laadcapaciteit capacidade cargautil pojemnosc ladownosc""",
    "initial_load": "startload onboard",
    "reload": "reloads reloadat reloaddepot reloaddepots",
    "loading": "loadingorder unloadingorder",
    "lost": "brokendown",
    "start": "startdepot startingdepot depot from",
    "end": "enddepot returndepot to",
    "lat": f"{_LAT} {{start,depot,home}}{{lat,latitude}}",
    "lon": f"{_LON} {{start,depot,home}}{{lon,lng,long,longitude}}",
    "x": _X,
    "y": _Y,
    "open": f"""{_OPEN} shift{{start,begin,from,open}} startshift starttime fromtime timefrom
        worksfrom work{{start,begin,from,starts,starttime}} workingfrom availablefrom dutystart
        schichtbeginn schichtstart arbeitsbeginn dienstbeginn""",
    "close": f"""{_CLOSE} shift{{end,to,until,close}} endshift endtime totime timeto
        works{{until,to}} work{{end,to,until,ends,endtime}} working{{until,to}}
        available{{to,until}} dutyend schichtende arbeitsende dienstende""",
    "window": f"""{_WINDOW} shift shifthours workinghours workhours schicht schichtzeit arbeitszeit
        arbeitszeiten dienstzeit""",
    "speed": "geschwindigkeit vitesse velocidad velocita snelheid velocidade predkosc",
    "fixed_cost": "fixkosten coutfixe costefijo costofisso vastekosten custofixo",
    "distance_cost": "kmkosten kilometerkosten",
    "cost_per_hour": "hourlycost perhour wage stundenlohn stundensatz",
    "max_distance": "distancelimit reichweite",
    "max_travel_time": "drivingtimelimit",
    "max_duration": "workingtimelimit",
    "break_start": """{break,lunch,pause}{begin,from} {lunch,pause}start breakopen pausenbeginn
        pausevon""",
    "break_end": "{break,lunch,pause}{until,to} {lunch,pause}end breakclose pausenende pausebis",
    "break_duration": """break breaklength lunch lunchbreak lunchduration pause pauseduration
        pausendauer mittagspause""",
    "skills": "skill equipment features ausstattung",
}


class Field(NamedTuple):
    """The meaning of a column.

    Attributes:
        reads: How its cells are read; `span` is a length of time.
        kind: The type of JSON's key of the same meaning.
        about: What it means, for pages; empty: as the key of JSON.
        quantity: What its numbers measure; None: they have no unit.
        also: Other names, as in this file. Of several for an id, the first is meant.
        with_unit: Names that mean it where a unit follows.
    """

    reads: Reads
    kind: Any
    about: str
    quantity: Quantity | None = None
    also: str = ""
    with_unit: Sequence[str] = ()


def words(text: str) -> list[str]:
    """The words of a heading's entry, each in all that it stands for."""
    found: list[str] = []
    for word in text.split():
        parts = [part.split(",") for part in re.split(r"[{}]", word)]
        for each in map("".join, itertools.product(*parts)):
            found += dict.fromkeys(plain(re.sub("([äöü])", rf"\1{end}", each)) for end in ("", "e"))
    return found


def normal(name: str) -> str:
    """A name without units in brackets, case, blanks and punctuation."""
    return plain(without_units(name))


def family(field: str) -> str:
    """`open` for `open2`, `demand` for `demand_kg`: the field as it is declared."""
    named = "_" in field  # this is asked for each cell
    load = next((load for load in AMOUNTS if named and field.startswith(f"{load}_")), None)
    return load or field.rstrip("0123456789")


def numbered(field: str, number: int) -> str:
    """The name in `Columns.of` of the field of the first, second, ... window or break."""
    return field if number == 1 else f"{field}{number}"


def written(field: str) -> str:
    """A field as people write it: `pickup_lat` for `pickup.lat`."""
    return field.replace(".", "_")


class Vocabulary:
    """Meanings of names in one kind of table.

    Attributes:
        fields: Those that there may be, by name.
        names: The field of each name, as `normal` has it; the preferred ones first.
    """

    def __init__(self, fields: Mapping[str, Field], headings: Mapping[str, str]) -> None:
        self.fields = fields
        self.names = {normal(name): name for name in fields}
        for name, field in fields.items():
            for also in words(f"{field.also} {headings.get(name, '')}"):
                self.names.setdefault(also, name)
        self._before_units = {name: [field] for name, field in self.names.items()}
        for name, field in fields.items():
            for stem in field.with_unit:
                self._before_units.setdefault(stem, []).append(name)

    def known(self, cells: Sequence[str]) -> int:
        """How many of these names mean something."""
        return sum(self.meaning(cell)[0] is not None for cell in cells)

    def by_rank(self, header: Sequence[str]) -> list[int]:
        """Columns in the order in which their names are preferred."""
        ranks = {name: rank for rank, name in enumerate(self.names)}
        return sorted(range(len(header)), key=lambda column: ranks.get(normal(header[column]), -1))

    def meaning(self, name: str) -> tuple[str | None, Measure | None]:
        """The field that a name means, and the unit with which it ends; None: no such."""
        text = normal(name)
        whole = self.names.get(text) or self._numbered(text)
        for stem, unit in endings(without_units(name)):
            apart = len(text) == len(stem) + 1  # `open_s`, which is not `opens`
            if (apart or not whole) and (field := self._with_unit(stem, unit)):
                return field, unit
        return whole or self._amount(name), None

    def is_amount(self, word: str) -> bool:
        """Return whether a word says what an amount is in: `kg`, `pallets`, `qty`."""
        return plain(word) in OF_AMOUNTS or self.names.get(plain(word)) in AMOUNTS

    def _amount(self, name: str) -> str | None:
        """The field of `weight_kg`; `demand_kg` is a load dimension."""
        *parts, last = re.findall(r"[^\W_]+", without_units(name)) or [""]
        stem = plain("".join(parts))
        field = self.names.get(stem) if plain(last) in OF_AMOUNTS else None
        return field if field in AMOUNTS and stem not in map(plain, AMOUNTS) else None

    def _numbered(self, name: str) -> str | None:
        """`open2` for `open2` and `break_start2` for `break2start`; None for other names."""
        found = _NUMBERED.fullmatch(name)
        field = self.names.get(found[1] + found[3]) if found else None
        if found is None or field not in _SEVERAL or not 1 <= int(found[2]) <= MAX_NUMBERED:
            return None
        return numbered(field, int(found[2]))

    def _with_unit(self, stem: str, unit: Measure) -> str | None:
        """The field that a name means before such a unit: `service` minutes, `cost per` km."""
        for name in dict.fromkeys((stem, stem.removesuffix("per"))):
            own = self._numbered(name)
            for field in [*self._before_units.get(name, []), *([own] if own else [])]:
                quantity = self.fields[family(field)].quantity
                if quantity and quantity.takes(unit) and (name == stem or quantity.rate):
                    return field
        return None
