"""What columns are called in German, French, Spanish, Italian, Dutch, Portuguese and Polish."""

from collections.abc import Mapping

# Without case, blanks and accents. Words that also mean something else are left out: ids,
# Breite (a width, too), Termin (a date, too).
STOPS_ABROAD: Mapping[str, str] = {
    "name": (
        "kunde kundenname firma firmenname bezeichnung empfanger empfaenger "
        "nom nomclient nomduclient raisonsociale destinataire "
        "nombre nombrecliente nombredelcliente cliente razonsocial destinatario "
        "nome nomecliente ragionesociale naam klant klantnaam bedrijf bedrijfsnaam ontvanger "
        "nomedocliente razaosocial nazwa nazwaklienta klient odbiorca"
    ),
    "lat": "breitengrad latitud latitudine breedtegraad szerokoscgeograficzna",
    "lon": "langengrad laengengrad longitud longitudine lengtegraad dlugoscgeograficzna",
    "x": "rechtswert",
    "y": "hochwert",
    "demand": (
        "menge mengen liefermenge bestellmenge bedarf anzahl gewicht gesamtgewicht volumen "
        "kiste kisten karton kartons paket pakete palette paletten packstuck packstucke "
        "packstueck packstuecke colli kolli collo stuck stueck stuckzahl stueckzahl gebinde "
        "quantite quantites qte poids colis cartons caisses palettes "
        "cantidad cantidades cant peso bultos cajas paquetes palets pales unidades carga "
        "quantita cartoni scatole casse pacchi bancali domanda "
        "hoeveelheid aantal dozen kratten pakketten "
        "quantidade qtd qtde caixas pacotes paletes volumes "
        "ilosc waga paczki palety skrzynki kartony sztuki objetosc"
    ),
    "pickup": (
        "abholmenge rucknahme ruecknahme leergut retouren retours devoluciones resi devolucoes "
        "zwroty"
    ),
    "open": (
        "von ab beginn startzeit offnet oeffnet fruhestens fruehestens zeitvon uhrzeitvon "
        "zeitfenstervon zeitfensterbeginn zeitfensterstart fenstervon fensterbeginn lieferzeitvon "
        "lieferungab lieferungvon anlieferungab anlieferungvon "
        "debut heuredebut ouverture heureouverture auplustot "
        "desde inicio horainicio apertura horaapertura dalle orainizio inizio oraapertura "
        "vanaf begintijd starttijd abertura horaabertura godzinaod od otwarcie"
    ),
    "close": (
        "bis ende endzeit schliesst spatestens spaetestens zeitbis uhrzeitbis zeitfensterbis "
        "zeitfensterende fensterbis fensterende lieferzeitbis lieferungbis anlieferungbis "
        "fin heurefin fermeture heurefermeture auplustard "
        "hasta horafin cierre horacierre fine orafine chiusura orachiusura alle "
        "tot eindtijd sluitingstijd ate fim horafim fechamento godzinado do zamkniecie"
    ),
    "window": (
        "zeitfenster lieferfenster lieferzeitfenster offnungszeit offnungszeiten oeffnungszeit "
        "oeffnungszeiten anlieferzeit anlieferzeiten annahmezeit annahmezeiten "
        "creneau creneauhoraire plagehoraire horaires fenetrehoraire "
        "ventana ventanahoraria franjahoraria horario finestraoraria fasciaoraria orario orari "
        "tijdvenster tijdvak tijdslot openingstijden janelahoraria oknoczasowe przedzialczasowy"
    ),
    "service": (
        "standzeit servicezeit entladezeit entladedauer aufenthaltsdauer haltezeit bedienzeit "
        "dauer duree dureeservice tempsdeservice tempsservice "
        "duracion tiemposervicio tiempodeservicio durata tempodiservizio temposervizio tempososta "
        "duur servicetijd lostijd duracao tempodeservico temposervico czasobslugi czaspostoju"
    ),
    "priority": "prioritat prioritaet priorite prioridad priorita prioriteit prioridade priorytet",
}
FLEET_ABROAD: Mapping[str, str] = {
    "id": (
        "fahrzeug fahrzeugid fahrzeugname kennzeichen lkw vehicule camion vehiculo furgon veicolo "
        "mezzo voertuig veiculo pojazd"
    ),
    "count": "anzahl cantidad quantita aantal quantidade ilosc liczba",
    "lat": STOPS_ABROAD["lat"],
    "lon": STOPS_ABROAD["lon"],
    "x": STOPS_ABROAD["x"],
    "y": STOPS_ABROAD["y"],
    "capacity": (
        "kapazitat kapazitaet ladekapazitat ladekapazitaet nutzlast zuladung maxgewicht "
        "capacite chargeutile chargemax poidsmax capacidad cargamaxima pesomaximo "
        "capacita portata capaciteit laadvermogen laadcapaciteit capacidade cargautil "
        "pojemnosc ladownosc"
    ),
    "open": (
        "von ab beginn startzeit schichtbeginn schichtstart arbeitsbeginn dienstbeginn "
        "debut heuredebut desde inicio horainicio inizio orainizio begintijd starttijd"
    ),
    "close": (
        "bis ende endzeit schichtende arbeitsende dienstende "
        "fin heurefin hasta horafin fine orafine eindtijd fim horafim"
    ),
    "window": "schicht schichtzeit arbeitszeit arbeitszeiten dienstzeit horario orario",
    "speed": "geschwindigkeit vitesse velocidad velocita snelheid velocidade predkosc",
    "fixed_cost": "fixkosten coutfixe costefijo costofisso vastekosten custofixo",
    "distance_cost": "kmkosten kilometerkosten",
    "cost_per_hour": "stundenlohn stundensatz",
    "max_distance": "reichweite",
    "break_start": "pausenbeginn pausevon",
    "break_end": "pausenende pausebis",
    "break_duration": "pausendauer mittagspause",
}
