"""What other programs call things, and what these are called here, or that they are not there.

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


_ALTERNATIVES = "alternatives of which one is served are not supported; solve once with each"
_WINDOW = '"window": [earliest, latest]'

# The first row that fits counts.
SYNONYMS = (
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
        "who has a prize may be left out, at this cost; who has none is required",
    ),
    Synonyms(
        "requiredskills requirements requires tags types capabilities equipment features",
        "skills",
    ),
    Synonyms(
        "allowedvehicles allowedvehicleindices vehicles vehicle disallowedvehicles "
        "allowedclients assignedvehicle preferredvehicles onlyvehicle",
        "skills",
        "give the vehicles that may serve it a text among their skills, and the stop the same",
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
    # What is not there.
    Synonyms(
        "groups group members mutuallyexclusive mutuallyexclusivegroup mutuallyexclusivegroups "
        "clientgroups alternatives alternative disjunction disjunctions oneof",
        says=_ALTERNATIVES,
    ),
    Synonyms(
        "reload reloads reloaddepots maxreloads maxtrips multitrip multitrips trips refill "
        "refills replenishment",
        says="a vehicle makes one trip: reloads on the way are not supported",
    ),
    Synonyms(
        "relations relation insequence insameroute precedence precedences sequence sequences "
        "sameroute samevehicle shipmenttypeincompatibilities shipmenttyperequirements",
        says="relations between stops are not supported, but for shipments",
    ),
    Synonyms(
        "overtime maxovertime unitovertimecost overtimecost overtimecosts",
        says="overtime is not supported; max_duration and window are hard limits",
    ),
    Synonyms(
        "softtimewindow softtimewindows softwindow softstart softend softstarttime softendtime "
        "latecost lateness maxlate maxlateness latepenalty costperhourbeforesoftstarttime "
        "costperhouraftersoftendtime",
        says="lateness at a price is not supported; windows are hard limits",
    ),
    Synonyms(
        "maxridetime maxtimeinvehicle ridetime maxtransittime pickuptodeliverytimelimit "
        "pickuptodeliveryrelativedetourlimit maxdetour",
        says="a longest time on board is not supported; give the delivery a window",
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
        "initialload startload startloadinterval startloadintervals endloadintervals",
        says="a load at the start that is no stop's demand is not supported",
    ),
    Synonyms(
        "startearly",
        says="no vehicle leaves before the shift, which is window",
    ),
    Synonyms(
        "balance balancing globalspancost spancost minmax fairness minjobs minstops mincustomers "
        "mindistance minduration usedifrouteisempty",
        says="even or least work of vehicles is not supported",
    ),
    Synonyms(
        "serviceat serviceafter servicebefore pinned pin locked fixedvehicle steps frozen",
        says="fixed plans are not supported; known routes are a start for the search: routes",
    ),
    Synonyms(
        "objective objectives objectivefunction algorithm configuration options timelimit",
        says="the cost is what vehicles and prizes cost; everything else is an option of vrp solve",
    ),
)


def answer_to(word: str, keys: Collection[str]) -> str | None:
    """What a word of another program is called here, or that it is not there.

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
