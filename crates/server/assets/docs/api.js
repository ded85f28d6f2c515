// Every route, as /openapi.json tells it.

import { element, form, parameters, prose, table, tables } from './schema.js';

const place = document.getElementById('routes');

function resolved(document_, response) {
  if (!response.$ref) return response;
  return response.$ref
    .slice(2)
    .split('/')
    .reduce((part, name) => part[name], document_);
}

function body(operation) {
  if (!operation.requestBody) return [];
  const forms = Object.entries(operation.requestBody.content).flatMap(([type, { schema }]) => [
    element('p', {}, element('code', {}, type), ': ', ...form(schema)),
    ...tables(schema, 'body'),
  ]);
  return [element('h4', {}, 'Body'), ...forms];
}

function answers(document_, operation) {
  const all = Object.entries(operation.responses).map(([status, response]) => {
    const { description, content } = resolved(document_, response);
    const schema = Object.values(content ?? {})[0]?.schema;
    const what = schema ? [' ', ...form(schema), '.'] : [];
    const line = element('p', {}, element('strong', {}, status), ' ', ...prose(description), ...what);
    return Number(status) < 400 && schema ? [line, ...tables(schema, 'answer')] : [line];
  });
  return [element('h4', {}, 'Responses'), ...all.flat()];
}

function route(document_, path, method, operation) {
  const about = operation.description ? [element('p', {}, ...prose(operation.description))] : [];
  const ways = operation.security.map(({ key }) => key.map((action) => `\`${action}\``).join(' and '));
  const key = ways.length > 0 ? ['Requires ', ...prose(ways.join(' or ')), '.'] : ['Requires no key.'];
  const query = operation.parameters ?? [];
  const taken =
    query.length > 0
      ? [element('h4', {}, 'Parameters'), table(`Parameters of ${path}`, parameters(query))]
      : [];
  return element(
    'details',
    { class: 'route', id: operation.operationId },
    element(
      'summary',
      {},
      element('span', { class: 'method' }, method.toUpperCase()),
      element('code', { class: 'path' }, path),
      element('span', { class: 'about' }, ...prose(operation.summary)),
    ),
    element(
      'div',
      {},
      ...about,
      element('p', {}, ...key),
      ...taken,
      ...body(operation),
      ...answers(document_, operation),
    ),
  );
}

function chapter(document_, tag) {
  const routes = Object.entries(document_.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag.name)
      .map(([method, operation]) => route(document_, path, method, operation)),
  );
  return [element('h2', {}, tag.name), element('p', {}, ...prose(tag.description)), ...routes];
}

function forms(document_) {
  const all = Object.entries(document_.components.schemas).flatMap(([name, schema]) => [
    element('h3', { id: `form-${name}` }, name),
    element('p', {}, ...form(schema), ...prose(schema.description ? `. ${schema.description}` : '')),
    ...tables(schema, name),
  ]);
  const note = 'An asterisk marks members that are always present.';
  return [element('h2', {}, 'Schemas'), element('p', {}, note), ...all];
}

/** What the address names is opened, now and when it changes. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
}

try {
  const document_ = await fetch('/openapi.json').then((answer) => answer.json());
  const chapters = document_.tags.flatMap((tag) => chapter(document_, tag));
  place.removeAttribute('aria-live');
  place.replaceChildren(...chapters, ...forms(document_));
  openTarget();
  addEventListener('hashchange', openTarget);
} catch (error) {
  place.replaceChildren(element('p', {}, `The OpenAPI document could not be loaded: ${error.message}`));
}
