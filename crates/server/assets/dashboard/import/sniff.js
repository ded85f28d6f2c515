// What a file is, from its first bytes: its format, its fields, which of them could be ids, and the
// first thing in it that a server would refuse.

import { plural } from '../core/format.js';
import { arrayScanner, lineScanner } from './scan.js';
import { bareName, columnType, delimiterOf, records, typedHeading } from './csv.js';

const SAMPLE_BYTES = 512 * 1024;
const MOST_RECORDS = 10_000;
const ID = /^[A-Za-z0-9_-]{1,511}$/;

export async function sniff(file) {
  const bytes = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, '');
  const isWhole = file.size <= SAMPLE_BYTES;
  const format = formatOf(file.name, text);
  const found =
    format === 'csv'
      ? readCsv(text, bytes, isWhole)
      : format === 'json'
        ? readArray(bytes, isWhole)
        : readLines(text, isWhole);
  return {
    format,
    isWhole: isWhole && found.records.length < MOST_RECORDS,
    ...found,
    fields: fieldsOf(found.records, found.types),
  };
}

function formatOf(name, text) {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return isOneObject(start) ? 'json' : 'ndjson';
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson';
  return /\.json$/i.test(name) ? 'json' : 'csv';
}

/** One object over several lines, rather than one on each. */
function isOneObject(text) {
  try {
    JSON.parse(text.split('\n', 1)[0]);
    return false;
  } catch {
    return true;
  }
}

function readArray(bytes, isWhole) {
  const found = [];
  const text = new TextDecoder();
  let begin = 0;
  arrayScanner()(
    bytes,
    (at) => (begin = at),
    (end) => {
      if (found.length < MOST_RECORDS) found.push(parsed(text.decode(bytes.subarray(begin, end))));
    },
  );
  const broken = found.findIndex((record) => record === null);
  const fault =
    broken >= 0
      ? `Document ${broken + 1} of the list is not JSON.`
      : isWhole && parsed(text.decode(bytes)) === null
        ? 'This file is not valid JSON, or it is cut short.'
        : null;
  // Not a list: perhaps a single document.
  const list = found.length > 0 ? found.filter(Boolean) : [parsed(text.decode(bytes))].filter(isObject);
  return { records: list, fault };
}

function readLines(text, isWhole) {
  const lines = text.split('\n');
  if (!isWhole) lines.pop();
  const found = lines
    .map((line, place) => ({ line, number: place + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .slice(0, MOST_RECORDS)
    .map(({ line, number }) => ({ number, record: parsed(line) }));
  const broken = found.find(({ record }) => !isObject(record));
  return {
    records: found.map(({ record }) => record).filter(isObject),
    fault: broken ? `Line ${broken.number} is not a JSON object.` : null,
  };
}

function readCsv(text, bytes, isWhole) {
  const delimiter = delimiterOf(text);
  const [headings = [], ...rows] = records(text, delimiter, isWhole).slice(0, MOST_RECORDS + 1);
  const columnTypes = headings.map((heading, at) =>
    columnType(
      heading,
      rows.map((row) => row[at] ?? ''),
    ),
  );
  const names = headings.map(bareName);
  const value = (cell, type) =>
    cell === '' || cell === undefined
      ? null
      : type === 'number'
        ? Number(cell)
        : type === 'boolean'
          ? cell === 'true'
          : cell;
  const broken = rows.findIndex((row) => row.length !== headings.length);
  let headingBytes = 0;
  lineScanner(true)(bytes, (end) => (headingBytes ||= end));
  return {
    delimiter,
    fault:
      broken < 0
        ? null
        : `Record ${broken + 1} has ${plural(rows[broken].length, 'value')}, but the header has ${headings.length}.`,
    headingBytes: headingBytes || bytes.length,
    typedHeading: typedHeading(headings, columnTypes, delimiter),
    guessesTypes: headings.some((heading, at) => heading === names[at] && columnTypes[at] !== 'string'),
    types: Object.fromEntries(names.map((name, at) => [name, columnTypes[at]])),
    records: rows.map((row) =>
      Object.fromEntries(names.map((name, at) => [name, value(row[at], columnTypes[at])])),
    ),
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function typeOf(value) {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Each field: its types, how many records have it, an example, and whether it could be the id. */
function fieldsOf(list, types) {
  const names = [...new Set(list.flatMap((record) => Object.keys(record)))];
  return names.map((name) => {
    const values = list
      .map((record) => record[name])
      .filter((value) => value !== undefined && value !== null && value !== '');
    const kinds = types ? [types[name]] : [...new Set(values.map(typeOf))];
    const isId =
      values.length === list.length &&
      values.every((value) => Number.isInteger(value) || (typeof value === 'string' && ID.test(value))) &&
      new Set(values.map(String)).size === values.length;
    return {
      name,
      kinds,
      filled: list.length === 0 ? 0 : values.length / list.length,
      example: values[0],
      isId,
    };
  });
}

/** What the server would find by itself: the one field of the first document that ends in `id`. */
export function inferredKey(list) {
  const names = Object.keys(list[0] ?? {}).filter((name) => name.toLowerCase().endsWith('id'));
  return names.length === 1 ? names[0] : null;
}
