"""Words of other programs, and the words for them here, or that there is none.

Words of PyVRP, VROOM, OR-Tools, GraphHopper, Routific, Google's Route Optimization, jsprit,
Solomon's and CVRPLIB's files, and of plain speech.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.vehicle_types import Depot, VehicleType


class Synonyms(NamedTuple):
    """Words that mean the same.

    Attributes:
        words: Without case and punctuation, separated by blanks.
        key: What they are called here, in objects that may have it; empty: they mean the same in
            every object.
        says: What to write; empty: the key.
    """

    words: str
    key: str = ""
    says: str = ""


_ALTERNATIVES = '"groups": [{"members": ["a", "b"]}]: one of them is served'
_RELATIONS = (
    '"relations": [{"kind": "together", "stops": ["a", "b"]}]; kinds are together, apart, order '
    "and chain"
)
_DRIVEN = (
    'a relation pins stops to a vehicle: {"kind": "chain", "stops": ["a", "b"], '
    '"vehicle": "van-1", "at": "start"}; vrp solve --freeze keeps what is driven of known routes'
)
_BALANCE = '"balance": {"duration": 2} prices the largest value of any vehicle'
_WINDOW = '"window": [earliest, latest]'

# The first row that fits counts.
SYNONYMS = (
    # Options of VROOM's documents, by what VROOM's command line calls them.
    Synonyms("geometry", "g"),
    Synonyms("explore exploration explorationlevel", "x"),
    Synonyms("threads", "t"),
    Synonyms("limit", "l"),
    Synonyms("chooseeta", "c"),
    # Places.
    Synonyms(
        "lat lats latitude lon lng long longitude latlng lnglat latlon",
        "x",
        'write x (longitude) and y (latitude), and "metric": "haversine" in the instance',
    ),
    Synonyms(
        "lat latitude lon lng long longitude startlat startlng startlon endlat endlng endlon",
        "start",
        "start and end are ids of depots; these have x (longitude) and y (latitude), with "
        '"metric": "haversine" in the instance',
    ),
    Synonyms(
        "location locations loc coord coords coordinate coordinates point position pos geometry "
        "arrivallocation arrivalwaypoint geolocation xy",
        "x",
        "a place has x and y, two numbers",
    ),
    Synonyms(
        "address addresses zip postcode city street",
        "x",
        "give x and y: addresses are not looked up",
    ),
    Synonyms(
        "locationindex locationid node nodeid index",
        "x",
        "a place has x and y; rows of matrices are depots, customers, then shipments, in order",
    ),
    Synonyms("xcoord xcoordinate easting", "x"),
    Synonyms("ycoord ycoordinate northing", "y"),
    Synonyms(
        "startlocation startdepot startaddress startpoint startnode startindex startwaypoint "
        "depot depotid home",
        "start",
        "start is the id of a depot",
    ),
    Synonyms(
        "endlocation enddepot endaddress endpoint endnode endindex endwaypoint",
        "end",
        "end is the id of a depot",
    ),
    Synonyms(
        "returntodepot returntostart roundtrip open openend openroute endanywhere",
        "end",
        'a route that does not return has "end": null',
    ),
    # What groups and relations name.
    Synonyms("clients customers customer jobs job nodes stops visits shipments ids", "members"),
    Synonyms(
        "clients customers customer jobs job nodes members visits tasks ids sequence", "stops"
    ),
    Synonyms("type relationtype", "kind"),
    Synonyms("position where", "at"),
    # Who may serve whom.
    Synonyms(
        "allowedvehicles allowedvehicle allowedvehicleindices vehicle vehicleid vehicletype "
        "requiredvehicle requiredvehicles assignedvehicle assignedvehicles onlyvehicle "
        "onlyvehicles fixedvehicle vehicletypes",
        "vehicle_cost",
        '"vehicles": ["van-1"] lists the ids of the only types that may serve it',
    ),
    Synonyms(
        "disallowedvehicles forbiddenvehicles excludedvehicles",
        "vehicle_cost",
        '"vehicles": ["van-1"] lists the ids of all types that may serve it',
    ),
    Synonyms(
        "vehiclecosts costpervehicle costspervehicle costspervehicleindices preferredvehicle "
        "preferredvehicles",
        "vehicle_cost",
        '"vehicle_cost": {"van-1": 5} is what it costs more if this type serves it',
    ),
    Synonyms("onboard loaded alreadyloaded pickedup", "on_board"),
    # Lists of an instance.
    Synonyms(
        "jobs job tasks task nodes clients client visits visit orders order points locations "
        "deliveries requests services customer",
        "customers",
    ),
    Synonyms("pickupsdeliveries pickupanddeliveries pairs transports", "shipments"),
    Synonyms("fleet trucks truck drivers driver cars vehicle vehicletypes vans", "vehicles"),
    Synonyms("warehouse warehouses hub hubs", "depots"),
    Synonyms("initialroutes initialsolution initialplan warmstart solution plan", "routes"),
    Synonyms(
        "timematrix timematrices durationmatrix durationmatrices traveltimes traveltime "
        "traveltimematrix times",
        "durations",
    ),
    Synonyms(
        "distancematrix distancematrices edgeweights weightmatrix matrix dist lengths",
        "distances",
    ),
    Synonyms("costmatrix costmatrices arccosts", "costs"),
    Synonyms("profiles transportmatrices", "matrices"),
    Synonyms("distancetype edgeweighttype distancemetric", "metric"),
    Synonyms(
        "numvehicles vehiclecount numberofvehicles numberofroutes maxroutes fleetsize numroutes",
        "max_vehicles",
    ),
    # Amounts.
    Synonyms(
        "amount amounts quantity quantities qty load loads weight volume size units delivery "
        "deliveries linehaul demanded loaddemands",
        "demand",
    ),
    Synonyms(
        "demand demands quantity qty load loads weight volume size units loaddemands", "amount"
    ),
    Synonyms("backhaul collect collection returns", "pickup"),
    Synonyms(
        "maxload maxloads payload load loads loadlimit loadlimits capacities vehiclecapacity "
        "vehiclecapacities maxweight maxvolume volume",
        "capacity",
    ),
    Synonyms(
        "numavailable number quantity qty available amount numvehicles vehiclecount instances",
        "count",
    ),
    # Times.
    Synonyms(
        "timewindows tws deliverywindows deliverytimewindows openinghours hours timeslots slots",
        "windows",
    ),
    Synonyms(
        "timewindow timewindows tw twearly twlate readytime ready duetime duedate due start end "
        "starttime endtime earliest latest earlieststart lateststart earliestarrival latestarrival "
        "windowstart windowend timewindowstart timewindowend twstart twend open close opentime "
        "closetime opening closing deadline hours openinghours starttimewindows endtimewindows",
        "window",
        f"write {_WINDOW}",
    ),
    Synonyms(
        "shift shiftstart shiftend shifttime workinghours workhours workstart workend "
        "latestend availablefrom availableuntil",
        "window",
        f"a shift is {_WINDOW}",
    ),
    Synonyms("service length time lunchduration minduration breaktime", "duration"),
    # What may be left out, and who may serve whom.
    Synonyms(
        "required optional mandatory droppable",
        "prize",
        "a customer with a prize may be left out, at this cost; one without is required",
    ),
    Synonyms(
        "requiredskills requirements requires tags types capabilities equipment features",
        "skills",
    ),
    Synonyms(
        "allowedclients allowedcustomers allowedjobs onlyclients",
        "skills",
        'a customer lists its own vehicles: "vehicles": ["van-1"]',
    ),
    # Numbers of stops, depots and vehicles.
    *(
        Synonyms(each.words, each.key, each.says)
        for kind in (Constraints, Depot, VehicleType)
        for each in attributes_of(kind)
        if each.words
    ),
    Synonyms("profile profileid routingprofile travelmode vehicleprofile", "matrix"),
    Synonyms(
        "costs cost",
        "fixed_cost",
        "costs are fixed_cost, distance_cost, duration_cost, travel_cost and service_cost",
    ),
    Synonyms("lunch lunchbreak pause pauses rest rests breakrule break drivebreaks", "breaks"),
    Synonyms("vehicleid typeid driverid", "id"),
    Synonyms("label title clientid customerid jobid orderid stopid name description", "id"),
    # Trips, lateness and overtime at a price, alternatives, relations.
    Synonyms("maxtrips", "max_reloads", "max_reloads is the number of trips less one"),
    Synonyms(
        "reload reloaddepot reloaddepots multitrip multitrips trips refill refills replenishment",
        "reloads",
        '"reloads": ["hub"] lists the ids of depots where it may load again between two stops',
    ),
    Synonyms(
        "reload reloads reloaddepots maxreloads maxtrips multitrip multitrips trips refill "
        "refills replenishment",
        says='a vehicle type says where it may load again: "reloads": ["hub"]',
    ),
    Synonyms(
        "startload loadatstart startloadinterval startloadintervals",
        "initial_load",
        "initial_load is on board from the start to the first reload",
    ),
    Synonyms(
        "initialload startload startloadinterval startloadintervals",
        says="initial_load is a key of a vehicle type",
    ),
    Synonyms("endloadintervals endload", says="a load at the end of a route has no limits"),
    Synonyms(
        "overtime overtimecosts softmaxduration costperhouraftersoftmax quadraticsoftmaxduration",
        "max_overtime",
        "max_overtime is how much longer than max_duration, overtime_cost what a unit of it costs",
    ),
    Synonyms(
        "overtime maxovertime overtimecost overtimecosts unitovertimecost",
        says="max_overtime and overtime_cost are keys of a vehicle type with a max_duration",
    ),
    Synonyms(
        "softtimewindows softend softendtime softupperbound softlatest late lateness",
        "late_cost",
        "late_cost is what a unit of time after the close of the window costs, max_late the most",
    ),
    Synonyms(
        "softtimewindow softtimewindows softwindow softend softendtime latecost lateness maxlate "
        "maxlateness latepenalty costperhouraftersoftendtime",
        says="late_cost and max_late are keys of a customer, an end of a shipment or a vehicle "
        "type",
    ),
    Synonyms(
        "mutuallyexclusive mutuallyexclusivegroup mutuallyexclusivegroups clientgroup clientgroups "
        "group alternatives alternative disjunction disjunctions oneof",
        "groups",
        _ALTERNATIVES,
    ),
    Synonyms(
        "groups group members mutuallyexclusive mutuallyexclusivegroup mutuallyexclusivegroups "
        "clientgroups alternatives alternative disjunction disjunctions oneof",
        says=f"the instance lists alternatives: {_ALTERNATIVES}",
    ),
    Synonyms(
        "insequence indirectsequence insameroute notinsameroute precedence precedences "
        "precedencerules sequence sequences sameroute samevehicle samevehiclegroup "
        "samevehiclegroups shipmenttypeincompatibilities shipmenttyperequirements "
        "incompatibilities locks",
        "relations",
        _RELATIONS,
    ),
    Synonyms(
        "relations relation insequence insameroute precedence precedences sequence sequences "
        "sameroute samevehicle samevehiclegroup before after incompatible",
        says=f"the instance says what holds between stops: {_RELATIONS}",
    ),
    Synonyms(
        "serviceat serviceafter servicebefore pinned pin locked steps frozen fixed",
        says=_DRIVEN,
    ),
    Synonyms(
        "balancing balanceload globalspancost globalspancostcoefficient spancost minmax fairness",
        "balance",
        _BALANCE,
    ),
    Synonyms(
        "balance balancing globalspancost spancost minmax fairness",
        says=f"the instance says what uneven work costs: {_BALANCE}",
    ),
    # What is not there.
    Synonyms(
        "softstart softstarttime softlowerbound softearliest softearlycost earlycost earliness "
        "costperhourbeforesoftstarttime",
        says="an early begin at a price is not supported; windows open where they say",
    ),
    Synonyms(
        "maxridetime maxride longestride maxtimeinvehicle ridetime maxtransittime maxdetour "
        "pickuptodeliverytimelimit pickuptodeliveryrelativedetourlimit",
        says="a longest ride (max_ride_time) is not supported; give the delivery a window",
    ),
    Synonyms(
        "lifo fifo stack stacking loadingpolicy",
        says="an order of unloading (LIFO, FIFO) is not supported",
    ),
    Synonyms(
        "traffic speeds speedprofile speedprofiles timedependent timedependentdurations "
        "departuretimes considertraffic consideroadtraffic timeofday",
        says="travel times do not depend on the time of day: give average durations",
    ),
    Synonyms(
        "breaksonroad breakonroad roadbreaks enroutebreaks breakafterdriving "
        "maxdrivingbeforebreak maxdrivetimebeforebreak maxcontinuousdriving maxinterbreakduration",
        says="breaks on the road, or after so much driving, are not supported; breaks are taken "
        "at a depot or a stop, within their windows",
    ),
    Synonyms(
        "startearly",
        says="no vehicle leaves before the shift, which is window",
    ),
    Synonyms(
        "minjobs minstops mincustomers mindistance minduration minload usedifrouteisempty",
        says="a least work of a vehicle is not supported; balance prices the largest",
    ),
    Synonyms(
        "objective objectives objectivefunction algorithm configuration options timelimit",
        says="the cost is what vehicles and prizes cost; everything else is an option of vrp solve",
    ),
)


# Texts in place of numbers, and numbers that are none, as other programs write them.
_VALUES = (
    (re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?"), "write it without quotes, with a decimal point"),
    (
        re.compile(r"[0-9]{1,2}:[0-9]{2}.*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|-?P(?:T|[0-9]).*|[0-9]+s"),
        "times are numbers of one unit, e.g. minutes or seconds after midnight",
    ),
    (
        re.compile(r"[0-9]+(?:[.,][0-9]+)? ?[^0-9 ]{1,6}"),
        "write only the number; its unit is that of all lengths, times or amounts",
    ),
    (
        re.compile(r"-1|-?inf(?:inity)?", re.IGNORECASE),
        "leave it out, or in a list write null, where there is no limit",
    ),
)


def value_advice(value: object) -> str:
    """Advise on a value of another convention, after `; `; empty: nothing known."""
    numbers = isinstance(value, int | float) and not isinstance(value, bool)
    text = value if isinstance(value, str) else f"{value:g}" if numbers else ""
    rows = _VALUES[-1:] if numbers else _VALUES
    return next((f"; {says}" for shape, says in rows if shape.fullmatch(text.strip()[:40])), "")


def answer_to(word: str, keys: Collection[str]) -> str | None:
    """Translate a word of another program, or say that there is no such thing.

    Args:
        word: A key that is not known.
        keys: Those that its object may have.
    """
    plain = re.sub(r"[\W_]", "", word).casefold()
    for row in SYNONYMS:
        if plain not in row.words.split():
            continue
        if not row.key:
            return row.says
        if row.key in keys:
            return row.says or f"here it is called '{row.key}'"
    return None
