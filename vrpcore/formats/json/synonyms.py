"""Words of other programs, and the words for them here, or that there is none.

Words of PyVRP, VROOM, OR-Tools, GraphHopper, Routific, Google's Route Optimization, jsprit,
Solomon's and CVRPLIB's files, and of plain speech.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from vrpcore.formats.other_files import table_rows
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


# `words -> key: what to write`, as `Synonyms` has them, with `*` for every object; the first row
# that fits counts. Indented lines go on with the one before.
_TABLE = """
# Options of VROOM's documents, by what VROOM's command line calls them.
geometry -> g
explore exploration explorationlevel -> x
threads -> t
limit -> l
chooseeta -> c
# Places.
lat lats latitude lon lng long longitude latlng lnglat latlon
    -> x: write x (longitude) and y (latitude), and "metric": "haversine" in the instance
lat latitude lon lng long longitude startlat startlng startlon endlat endlng endlon
    -> start: start and end are ids of depots; these have x (longitude) and y (latitude), with
    "metric": "haversine" in the instance
location locations loc coord coords coordinate coordinates point position pos geometry
    arrivallocation arrivalwaypoint geolocation xy
    -> x: a place has x and y, two numbers
address addresses zip postcode city street -> x: give x and y: addresses are not looked up
locationindex locationid node nodeid index
    -> x: a place has x and y; rows of matrices are depots, customers, then shipments, in order
xcoord xcoordinate easting -> x
ycoord ycoordinate northing -> y
startlocation startdepot startaddress startpoint startnode startindex startwaypoint depot depotid
    home
    -> start: start is the id of a depot
endlocation enddepot endaddress endpoint endnode endindex endwaypoint
    -> end: end is the id of a depot
returntodepot returntostart roundtrip open openend openroute endanywhere
    -> end: a route that does not return has "end": null
# What groups and relations name.
clients customers customer jobs job nodes stops visits shipments ids -> members
clients customers customer jobs job nodes members visits tasks ids sequence -> stops
type relationtype -> kind
position where -> at
# Who may serve whom.
allowedvehicles allowedvehicle allowedvehicleindices vehicle vehicleid vehicletype requiredvehicle
    requiredvehicles assignedvehicle assignedvehicles onlyvehicle onlyvehicles fixedvehicle
    vehicletypes
    -> vehicle_cost: "vehicles": ["van-1"] lists the ids of the only types that may serve it
disallowedvehicles forbiddenvehicles excludedvehicles
    -> vehicle_cost: "vehicles": ["van-1"] lists the ids of all types that may serve it
vehiclecosts costpervehicle costspervehicle costspervehicleindices preferredvehicle
    preferredvehicles
    -> vehicle_cost: "vehicle_cost": {"van-1": 5} is what it costs more if this type serves it
onboard loaded alreadyloaded pickedup -> on_board
# Lists of an instance.
jobs job tasks task nodes clients client visits visit orders order points locations deliveries
    requests services customer
    -> customers
pickupsdeliveries pickupanddeliveries pairs transports -> shipments
fleet trucks truck drivers driver cars vehicle vehicletypes vans -> vehicles
warehouse warehouses hub hubs -> depots
initialroutes initialsolution initialplan warmstart solution plan -> routes
timematrix timematrices durationmatrix durationmatrices traveltimes traveltime traveltimematrix
    times
    -> durations
distancematrix distancematrices edgeweights weightmatrix matrix dist lengths -> distances
costmatrix costmatrices arccosts -> costs
profiles transportmatrices -> matrices
distancetype edgeweighttype distancemetric -> metric
numvehicles vehiclecount numberofvehicles numberofroutes maxroutes fleetsize numroutes
    -> max_vehicles
# Amounts.
amount amounts quantity quantities qty load loads weight volume size units delivery deliveries
    linehaul demanded loaddemands
    -> demand
demand demands quantity qty load loads weight volume size units loaddemands -> amount
backhaul collect collection returns -> pickup
splitdelivery splitdeliveries splittable splitload splitloads allowsplit allowsplits divisible
    splitallowed splitdemand
    -> split
maxload maxloads payload load loads loadlimit loadlimits capacities vehiclecapacity
    vehiclecapacities maxweight maxvolume volume
    -> capacity
numavailable number quantity qty available amount numvehicles vehiclecount instances -> count
# Times.
timewindows tws deliverywindows deliverytimewindows openinghours hours timeslots slots -> windows
timewindow timewindows tw twearly twlate readytime ready duetime duedate due start end starttime
    endtime earliest latest earlieststart lateststart earliestarrival latestarrival windowstart
    windowend timewindowstart timewindowend twstart twend open close opentime closetime opening
    closing deadline hours openinghours starttimewindows endtimewindows
    -> window: write "window": [earliest, latest]
shift shiftstart shiftend shifttime workinghours workhours workstart workend latestend availablefrom
    availableuntil
    -> window: a shift is "window": [earliest, latest]
service length time lunchduration minduration breaktime -> duration
# What may be left out, and who may serve whom.
required optional mandatory droppable
    -> prize: a customer with a prize may be left out, at this cost; one without is required
requiredskills requirements requires tags types capabilities equipment features -> skills
allowedclients allowedcustomers allowedjobs onlyclients
    -> skills: a customer lists its own vehicles: "vehicles": ["van-1"]
profile profileid routingprofile travelmode vehicleprofile -> matrix
costs cost
    -> fixed_cost: costs are fixed_cost, distance_cost, duration_cost, travel_cost and service_cost
lunch lunchbreak pause pauses rest rests breakrule break drivebreaks -> breaks
vehicleid typeid driverid -> id
label title clientid customerid jobid orderid stopid name description -> id
# Trips, lateness and overtime at a price, alternatives, relations.
maxtrips -> max_reloads: max_reloads is the number of trips less one
reload reloaddepot reloaddepots multitrip multitrips trips refill refills replenishment
    -> reloads: "reloads": ["hub"] lists the ids of depots where it may load again between two stops
reload reloads reloaddepots maxreloads maxtrips multitrip multitrips trips refill refills
    replenishment
    -> *: a vehicle type says where it may load again: "reloads": ["hub"]
startload loadatstart startloadinterval startloadintervals
    -> initial_load: initial_load is on board from the start to the first reload
initialload startload startloadinterval startloadintervals
    -> *: initial_load is a key of a vehicle type
endloadintervals endload -> *: a load at the end of a route has no limits
overtime overtimecosts softmaxduration costperhouraftersoftmax quadraticsoftmaxduration
    -> max_overtime: max_overtime is how much longer than max_duration, overtime_cost what a unit of
    it costs
overtime maxovertime overtimecost overtimecosts unitovertimecost
    -> *: max_overtime and overtime_cost are keys of a vehicle type with a max_duration
softtimewindows softend softendtime softupperbound softlatest late lateness
    -> late_cost: late_cost is what a unit of time after the close of the window costs, max_late the
    most
softtimewindow softtimewindows softwindow softend softendtime latecost lateness maxlate maxlateness
    latepenalty costperhouraftersoftendtime
    -> *: late_cost and max_late are keys of a customer, an end of a shipment or a vehicle type
mutuallyexclusive mutuallyexclusivegroup mutuallyexclusivegroups clientgroup clientgroups group
    alternatives alternative disjunction disjunctions oneof
    -> groups: "groups": [{"members": ["a", "b"]}]: one of them is served
groups group members mutuallyexclusive mutuallyexclusivegroup mutuallyexclusivegroups clientgroups
    alternatives alternative disjunction disjunctions oneof
    -> *: the instance lists alternatives: "groups": [{"members": ["a", "b"]}]: one of them is
    served
insequence indirectsequence insameroute notinsameroute precedence precedences precedencerules
    sequence sequences sameroute samevehicle samevehiclegroup samevehiclegroups
    shipmenttypeincompatibilities shipmenttyperequirements incompatibilities locks
    -> relations: "relations": [{"kind": "together", "stops": ["a", "b"]}]; kinds are together,
    apart, order and chain
relations relation insequence insameroute precedence precedences sequence sequences sameroute
    samevehicle samevehiclegroup before after incompatible
    -> *: the instance says what holds between stops: "relations": [{"kind": "together", "stops":
    ["a", "b"]}]; kinds are together, apart, order and chain
serviceat serviceafter servicebefore pinned pin locked steps frozen fixed
    -> *: a relation pins stops to a vehicle: {"kind": "chain", "stops": ["a", "b"], "vehicle":
    "van-1", "at": "start"}; vrp solve --freeze keeps what is driven of known routes
balancing balanceload globalspancost globalspancostcoefficient spancost minmax fairness
    -> balance: "balance": {"duration": 2} prices the largest value of any vehicle
balance balancing globalspancost spancost minmax fairness
    -> *: the instance says what uneven work costs: "balance": {"duration": 2} prices the largest
    value of any vehicle
# What is not there.
softstart softstarttime softlowerbound softearliest softearlycost earlycost earliness
    costperhourbeforesoftstarttime
    -> *: an early begin at a price is not supported; windows open where they say
maxdetour pickuptodeliveryrelativedetourlimit
    -> *: a ride has no limit relative to the direct way: give the shipment's longest time on
    board, max_ride
lifo stack stacking loadingpolicy loadingorder unloadingorder
    -> loading: "loading": "lifo" of a vehicle type unloads first what was loaded last
lifo stack stacking loadingpolicy loadingorder unloadingorder
    -> *: loading is a key of a vehicle type: "loading": "lifo" unloads first what was loaded last
fifo -> *: unloading in the order of loading (FIFO) is not supported
traffic speeds speedprofile speedprofiles timedependent timedependentdurations departuretimes
    considertraffic considerroadtraffic timeofday
    -> *: travel times do not depend on the time of day: give average durations
breaksonroad breakonroad roadbreaks enroutebreaks breakafterdriving maxdrivingbeforebreak
    maxdrivetimebeforebreak maxcontinuousdriving maxinterbreakduration
    -> *: breaks on the road, or after so much driving, are not supported; breaks are taken at a
    depot or a stop, within their windows
startearly -> *: no vehicle leaves before the shift, which is window
minjobs minstops mincustomers mindistance minduration minload usedifrouteisempty
    -> *: a least work of a vehicle is not supported; balance prices the largest
objective objectives objectivefunction algorithm configuration options timelimit
    -> *: the cost is what vehicles and prizes cost; everything else is an option of vrp solve
"""


@cache
def synonyms() -> tuple[Synonyms, ...]:
    """All rows, first those of numbers, which are declared with them."""
    numbers = (each for kind in (Constraints, Depot, VehicleType) for each in attributes_of(kind))
    declared = (Synonyms(each.words, each.key, each.says) for each in numbers if each.words)
    rows = table_rows(_TABLE)
    others = (Synonyms(words, "" if key == "*" else key, says) for words, key, says in rows)
    return (*declared, *others)


# Texts in place of numbers, and numbers that are none, as other programs write them.
_VALUES = (
    (r"[+-]?[0-9]+(?:[.,][0-9]+)?", "write it without quotes, with a decimal point"),
    (
        r"[0-9]{1,2}:[0-9]{2}.*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|-?P(?:T|[0-9]).*|[0-9]+s",
        "times are numbers of one unit, e.g. minutes or seconds after midnight",
    ),
    (
        r"[0-9]+(?:[.,][0-9]+)? ?[^0-9 ]{1,6}",
        "write only the number; its unit is that of all lengths, times or amounts",
    ),
    (r"(?i)-1|-?inf(?:inity)?", "leave it out, or in a list write null, where there is no limit"),
)


def value_advice(value: object) -> str:
    """Advise on a value of another convention, after `; `; empty: nothing known."""
    numbers = isinstance(value, int | float) and not isinstance(value, bool)
    text = value if isinstance(value, str) else f"{value:g}" if numbers else ""
    rows = _VALUES[-1:] if numbers else _VALUES
    return next((f"; {says}" for shape, says in rows if re.fullmatch(shape, text.strip()[:40])), "")


def answer_to(word: str, keys: Collection[str]) -> str | None:
    """Translate a word of another program, or say that there is no such thing.

    Args:
        word: A key that is not known.
        keys: Those that its object may have.
    """
    plain = re.sub(r"[\W_]", "", word).casefold()
    for row in synonyms():
        if plain not in row.words.split():
            continue
        if not row.key:
            return row.says
        if row.key in keys:
            return row.says or f"here it is called '{row.key}'"
    return None
