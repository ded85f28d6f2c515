// What is sent of a setting that was changed. Embedders and the chat setting hold secrets that are
// shown masked; the server keeps the members that are not sent, so only those that differ are.

const MERGED_LEVELS = { embedders: 2, chat: 1 };

export function toSend(name, before, after) {
  const levels = MERGED_LEVELS[name];
  return levels && isObject(before) && isObject(after) ? difference(before, after, levels) : after;
}

/** What takes a change back, or null where that would need a key that the server does not show. */
export function undoOf(before, after, names) {
  const sent = Object.fromEntries(
    names.map((name) => [name, toSend(name, after[name], before[name] ?? null)]),
  );
  return /"[^"]*X\.\.\."/.test(JSON.stringify(sent)) ? null : sent;
}

/** Members that differ, null for those that are gone. */
function difference(before, after, levels) {
  const sent = {};
  for (const name of Object.keys(before)) {
    if (!(name in after)) sent[name] = null;
  }
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (JSON.stringify(old) === JSON.stringify(value)) continue;
    sent[name] = levels > 1 && isObject(old) && isObject(value) ? difference(old, value, levels - 1) : value;
  }
  return sent;
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
