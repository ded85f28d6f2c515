// Two lists of hits of one search: which are new, which are gone, which moved.

/** Each hit with its mark: `gone` from the first list, `new` in the second, or places it went up. */
export function compare(before, after) {
  const places = (list) => new Map(list.map(({ id }, place) => [id, place]));
  const [old, now] = [places(before), places(after)];
  const mark = (id, place) => (old.has(id) ? old.get(id) - place : 'new');
  const lists = {
    before: before.map((hit) => ({ ...hit, mark: now.has(hit.id) ? 0 : 'gone' })),
    after: after.map((hit, place) => ({ ...hit, mark: mark(hit.id, place) })),
  };
  const many = (list, is) => list.filter((hit) => is(hit.mark)).length;
  return {
    ...lists,
    added: many(lists.after, (mark) => mark === 'new'),
    gone: many(lists.before, (mark) => mark === 'gone'),
    moved: many(lists.after, (mark) => typeof mark === 'number' && mark !== 0),
  };
}
