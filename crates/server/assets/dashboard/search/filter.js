// From chosen facets, ranges and an area to a filter of the query language.

export function quoted(text) {
  return `"${String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Conditions as an array, all of which must hold; `except` leaves out one attribute. */
export function filterOf(state, except) {
  const conditions = [];
  for (const [name, values] of state.facets) {
    if (name !== except) conditions.push(`${quoted(name)} IN [${[...values].map(quoted).join(', ')}]`);
  }
  for (const [name, [low, high]] of state.ranges) {
    if (name === except) continue;
    if (low !== null) conditions.push(`${quoted(name)} >= ${low}`);
    if (high !== null) conditions.push(`${quoted(name)} <= ${high}`);
  }
  if (state.box) {
    const [top, right, bottom, left] = state.box;
    conditions.push(`_geoBoundingBox([${top}, ${right}], [${bottom}, ${left}])`);
  }
  return conditions;
}
