"""Names of columns in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish.

A word in braces stands for each of its parts: `{tw,slot}start` for `twstart` and `slotstart`.
All words are without case, blanks and accents. A test compares docs/interface/csv.md.
"""

import itertools
import re
from collections.abc import Mapping

_OPEN = """opens opening opensat openfrom opentime openingtime earliest{,time,start,arrival}
    {,time}window{start,from,open,begin} tw{start,open,from} von ab beginn startzeit debut
    heuredebut desde inicio horainicio inizio orainizio begintijd starttijd"""
_CLOSE = """closes closing closesat closetime closingtime opento openuntil latest{,time,arrival}
    {,time}window{end,to,close,until} tw{end,close,to} bis ende endzeit fin heurefin hasta horafin
    fine orafine eindtijd fim horafim"""
_WINDOW = "hours timewindow timewindows tw horario orario"
_LAT = """latitude latitud latitudine breitengrad breedtegraad szerokoscgeograficzna
    {geo,geographische,geografische}breite {lat,latitude}{deg,degrees,dd,wgs84,decimal}"""
_LON = """lng long longitude longitud longitudine langengrad laengengrad lengtegraad
    dlugoscgeograficzna {geo,geographische,geografische}{lange,laenge}
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
        kunde kundenname firma firmenname bezeichnung empfanger empfaenger nom nomclient nomduclient
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
        kisten karton kartons paket pakete palette paletten packstuck packstucke packstueck
        packstuecke colli kolli collo stuck stueck stuckzahl stueckzahl gebinde quantite quantites
        qte poids colis cartons caisses palettes cantidad cantidades cant peso bultos cajas paquetes
        palets pales unidades carga quantita cartoni scatole casse pacchi bancali domanda
        hoeveelheid aantal dozen kratten pakketten quantidade qtd qtde caixas pacotes paletes
        volumes ilosc waga paczki palety skrzynki kartony sztuki objetosc""",
    "pickup": """pickups collect collection returns abholmenge rucknahme ruecknahme leergut
        retouren retours devoluciones resi devolucoes zwroty""",
    "open": f"""{_OPEN} ready readytime from fromtime timefrom after notbefore start starttime begin
        begintime arriveafter startwindow deliverfrom
        {{delivery,deliverywindow,arrival,slot,timeslot}}{{start,from}}
        offnet oeffnet fruhestens fruehestens {{zeit,uhrzeit,lieferzeit,lieferung,anlieferung}}von
        {{lieferung,anlieferung}}ab zeitfenster{{von,beginn,start}} fenster{{von,beginn}} ouverture
        heureouverture auplustot apertura horaapertura dalle oraapertura vanaf abertura horaabertura
        godzinaod od otwarcie""",
    "close": f"""{_CLOSE} due duetime duedate duedatetime until to totime timeto timeuntil before
        notafter deadline end endtime arrive{{by,before}} deliver{{to,by,before}} deliveryby
        endwindow lateststart {{delivery,deliverywindow,arrival,slot,timeslot}}{{end,to,until}}
        schliesst spatestens spaetestens {{zeit,uhrzeit,lieferzeit,lieferung,anlieferung}}bis
        zeitfenster{{bis,ende}} fenster{{bis,ende}} fermeture heurefermeture auplustard cierre
        horacierre chiusura orachiusura alle tot sluitingstijd ate fechamento godzinado do
        zamkniecie""",
    "window": f"""{_WINDOW} {{delivery,deliverytime}}window {{,time,delivery}}slot
        {{opening,delivery}}hours zeitfenster liefer{{,zeit}}fenster offnungszeit offnungszeiten
        oeffnungszeit oeffnungszeiten {{anliefer,annahme}}{{zeit,zeiten}} creneau creneauhoraire
        plagehoraire horaires fenetrehoraire ventana ventanahoraria franjahoraria finestraoraria
        fasciaoraria orari tijdvenster tijdvak tijdslot openingstijden janelahoraria oknoczasowe
        przedzialczasowy""",
    "service": """{visit,job,site,task,unload}{time,duration} unloadingduration timeonsite standzeit
        servicezeit entladezeit entladedauer aufenthaltsdauer haltezeit bedienzeit dauer duree
        dureeservice tempsdeservice tempsservice duracion tiemposervicio tiempodeservicio durata
        tempodiservizio temposervizio tempososta duur servicetijd lostijd duracao tempodeservico
        temposervico czasobslugi czaspostoju""",
    "priority": "prioritat prioritaet priorite prioridad priorita prioriteit prioridade priorytet",
    "skills": "skill requires requirements needs requiredskills fahigkeiten faehigkeiten",
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
        vehiclecapacity kapazitat kapazitaet ladekapazitat ladekapazitaet nutzlast zuladung
        maxgewicht capacite chargeutile chargemax poidsmax capacidad cargamaxima pesomaximo capacita
        portata capaciteit laadvermogen laadcapaciteit capacidade cargautil pojemnosc ladownosc""",
    "initial_load": "startload onboard",
    "reload": "reloads reloadat reloaddepot reloaddepots",
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


def words(text: str) -> list[str]:
    """The words of a heading's entry, those with braces once for each of their parts."""
    found: list[str] = []
    for word in text.split():
        parts = [part.split(",") for part in re.split(r"[{}]", word)]
        found += map("".join, itertools.product(*parts))
    return found
