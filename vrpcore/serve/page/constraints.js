/** Instances with constraints as problems to draw. */

/**
 * An instance with constraints.
 * @param {object} source As the server writes it, so valid and in one form.
 * @returns {import('./problem.js').Problem}
 */
export function constrainedProblem(source) {
  const depots = source.depots.map(depotOf);
  const stops = stopsOf(source).map((stop, index) => ({
    id: stop.id ?? index + 1, point: pointOf(stop), demand: demandOf(stop), kind: stop.kind,
  }));
  const nodes = [...depots, ...stops];
  return {
    name: source.name,
    capacity: source.vehicles ? null : source.capacity ?? null,
    coords: nodes.every(({ point }) => point) ? Float64Array.from(nodes.flatMap(({ point }) => point)) : null,
    demand: [...depots.map(() => 0), ...stops.map(({ demand }) => demand)],
    ids: stops.map(({ id }) => id),
    kinds: stops.map(({ kind }) => kind),
    metric: source.metric ?? 'euclidean',
    distances: source.distances ?? source.durations ?? null,
    maxVehicles: source.max_vehicles ?? null,
    depots: depots.map(({ id }) => id),
    vehicles: source.vehicles?.map(({ id, count }, index) => ({ id: id ?? String(index), count: count ?? null })) ?? null,
    reloads: (source.vehicles ?? []).some((vehicle) => 'reloads' in vehicle),
    constrained: true,
    source,
  };
}

/**
 * Customers, then pickup and delivery of each shipment, whose ids say which they are; of one that
 * is on board only the delivery. What a delivery unloads is a negative demand.
 * @param {object} source As the server writes it.
 * @returns {object[]}
 */
export function stopsOf({ customers = [], shipments = [] }) {
  return [...customers.map((stop) => ({ ...stop, kind: 'customer' })), ...shipments.flatMap(({ id, amount, pickup, delivery }) => [
    ...(pickup ? [{ ...pickup, id: `${id}:pickup`, demand: amount, kind: 'pickup' }] : []),
    { ...delivery, id: `${id}:delivery`, demand: Array.isArray(amount) ? amount.map((each) => -each) : -amount, kind: 'delivery' },
  ])];
}

function depotOf(depot, index) {
  return Array.isArray(depot) ? { id: String(index), point: depot } : { id: depot.id ?? String(index), point: pointOf(depot) };
}

function pointOf({ x, y }) {
  return x === undefined ? null : [x, y];
}

/** Without a demand, a customer has a pickup; that says how many load dimensions there are. */
function demandOf({ demand, pickup }) {
  return demand ?? (Array.isArray(pickup) ? pickup.map(() => 0) : 0);
}
