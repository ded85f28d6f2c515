// Which field of a document is its title and which its text. Documents do not say so; names and
// lengths do, well enough.

const TITLES = ['title', 'name', 'label', 'headline', 'heading', 'subject', 'word', 'term'];
const LONG_TEXT = 60;

export function shapeOf(hits, about) {
  const names = [...new Set(hits.flatMap((hit) => Object.keys(hit)))].filter((name) => !name.startsWith('_'));
  const texts = names.filter(
    (name) => name !== about.primaryKey && hits.some((hit) => typeof hit[name] === 'string'),
  );
  const title =
    TITLES.find((name) => texts.includes(name)) ??
    texts.find((name) => /title|name/i.test(name)) ??
    about.searchable.find((name) => texts.includes(name)) ??
    texts[0] ??
    about.primaryKey ??
    names[0];
  // An address or a hash may be long and is no text.
  const isText = (value) => typeof value === 'string' && /\s/.test(value);
  const length = (name) =>
    hits.reduce((sum, hit) => sum + (isText(hit[name]) ? hit[name].length : 0), 0) / hits.length;
  const [body] = texts
    .filter((name) => name !== title && length(name) >= LONG_TEXT)
    .sort((a, b) => length(b) - length(a));
  return { title, body, rest: names.filter((name) => name !== title && name !== body) };
}

export function titleOf(hit, shape) {
  const value = hit[shape.title];
  return value === undefined || value === null || value === '' ? '(untitled)' : value;
}
