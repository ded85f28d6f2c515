// JSON schemas as people read them: a line for a form, a table for an object.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Text with `code` and [names](links), which is all that descriptions have. */
export function prose(text) {
  const parts = text.split(/(\[`[^`]+`\]\([^)]+\)|`[^`]+`)/);
  return parts.map((part) => {
    const link = /^\[`([^`]+)`\]\(([^)]+)\)$/.exec(part);
    if (link) return element('a', { href: link[2] }, element('code', {}, link[1]));
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    return part;
  });
}

function joined(parts, separator) {
  return parts.flatMap((part, place) => (place === 0 ? part : [separator, ...part]));
}

/** The form of a value in one line: texts, and links to forms with a name. */
export function form(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return [element('a', { href: `#form-${name}` }, name)];
  }
  if (schema.anyOf) return joined(schema.anyOf.map(form), ' or ');
  if (schema.allOf) return joined(schema.allOf.slice(0, 1).map(form), ' and ');
  if (schema.enum) return [schema.enum.length > 12 ? 'string' : schema.enum.join(', ')];
  if (schema.type === 'array') return ['list of ', ...form(schema.items)];
  if (schema['x-list']) return ['list between commas'];
  if (schema.type === 'object' && schema.properties) return ['object'];
  if (schema.type === 'object' && schema.additionalProperties) {
    return ['object of ', ...form(schema.additionalProperties)];
  }
  return [[schema.type ?? 'anything', schema.format && `(${schema.format})`].filter(Boolean).join(' ')];
}

function row(name, schema, isRequired, about) {
  const notes = [
    about,
    schema.default === undefined ? '' : `Default: \`${JSON.stringify(schema.default)}\`.`,
  ];
  return element(
    'tr',
    {},
    element('td', {}, element('code', {}, name), isRequired ? ' *' : ''),
    element('td', {}, ...form(schema)),
    element('td', {}, ...prose(notes.filter(Boolean).join(' '))),
  );
}

export function table(label, rows) {
  const heads = ['name', 'form', 'meaning'].map((text) => element('th', { scope: 'col' }, text));
  const head = element('thead', {}, element('tr', {}, ...heads));
  const body = element('tbody', {}, ...rows);
  const wide = { class: 'wide', tabindex: '0', role: 'region', 'aria-label': label };
  return element('div', wide, element('table', {}, head, body));
}

export function parameters(list) {
  return list.map((one) => row(one.name, one.schema, one.required, one.description));
}

/** The objects inside a schema, each as a table; those with a name are linked to instead. */
export function tables(schema, label) {
  if (schema.$ref) return [];
  const parts = schema.anyOf ?? schema.allOf;
  if (parts) return parts.flatMap((part) => tables(part, label));
  if (schema.type === 'array') return tables(schema.items, `${label}[]`);
  if (!schema.properties) return [];
  const members = Object.entries(schema.properties);
  const required = new Set(schema.required ?? []);
  const rows = members.map(([name, member]) => row(name, member, required.has(name), member.description));
  const inner = members.flatMap(([name, member]) => tables(member, `${label}.${name}`));
  return [element('p', {}, element('code', {}, label)), table(label, rows), ...inner];
}
