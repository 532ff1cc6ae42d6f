/** Alternatives: which member of each group is served. */

/**
 * @typedef {Object} Group
 * @property {string} id
 * @property {number[][]} members Nodes of each: a customer's, or those of a shipment.
 * @property {number[]|null} taken The member that is served; null: none is.
 */

/**
 * The groups of an instance.
 * @param {import('./problem.js').Problem} problem
 * @param {(id: string|number) => number[]} nodesOf
 * @param {(node: number) => boolean} isServed
 * @returns {Group[]}
 */
export function groupsOf({ source }, nodesOf, isServed) {
  return (source?.groups ?? []).map(({ id, members }, index) => {
    const nodes = members.map(nodesOf);
    return { id: id ?? `group-${index}`, members: nodes, taken: nodes.find((each) => each.some(isServed)) ?? null };
  });
}

/**
 * Members that are not taken, with the one that is.
 * @param {Group[]} groups
 * @returns {Map<number, number>} Node of a member to a node of what is served in its place.
 */
export function notTaken(groups) {
  return new Map(groups.filter(({ taken }) => taken).flatMap(({ members, taken }) =>
    members.filter((each) => each !== taken).flatMap((nodes) => nodes.map((node) => [node, taken[0]]))));
}
