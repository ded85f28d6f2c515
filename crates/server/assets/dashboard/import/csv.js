// Reading the beginning of a CSV file, for the preview. The server reads the file itself.

const DELIMITERS = [',', ';', '\t', '|'];
const TYPED = /:(string|number|boolean)$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Records of a text; the last one may be cut and is left out when `isWhole` is false. */
export function records(text, delimiter, isWhole) {
  const rows = [];
  let row = [];
  let value = '';
  let inQuotes = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inQuotes) {
      if (sign !== '"') value += sign;
      else if (text[at + 1] === '"') {
        value += '"';
        at += 1;
      } else inQuotes = false;
    } else if (sign === '"') inQuotes = true;
    else if (sign === delimiter) {
      row.push(value);
      value = '';
    } else if (sign === '\n') {
      rows.push([...row, value.replace(/\r$/, '')]);
      row = [];
      value = '';
    } else value += sign;
  }
  if (isWhole && (value !== '' || row.length > 0)) rows.push([...row, value]);
  return rows.filter((cells) => cells.length > 1 || cells[0] !== '');
}

export function delimiterOf(text) {
  const [line] = text.split('\n', 1);
  const counts = DELIMITERS.map((sign) => line.split(sign).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}

/** The type of a column: what its heading says, or what all its values look like. */
export function columnType(heading, values) {
  const said = TYPED.exec(heading);
  if (said) return said[1];
  const filled = values.map((value) => value.trim()).filter((value) => value !== '');
  if (filled.length === 0) return 'string';
  // Leading zeros mean a code, not a quantity.
  if (filled.every((value) => NUMBER.test(value) && !/^0\d/.test(value))) return 'number';
  return filled.every((value) => value === 'true' || value === 'false') ? 'boolean' : 'string';
}

export const bareName = (heading) => heading.replace(TYPED, '');

/** A heading line that tells the server the types, for columns that do not say theirs. */
export function typedHeading(headings, types, delimiter) {
  const cell = (text) =>
    /["\n\r]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  const named = headings.map((heading, at) =>
    TYPED.test(heading) || types[at] === 'string' ? heading : `${heading}:${types[at]}`,
  );
  return `${named.map(cell).join(delimiter)}\n`;
}
