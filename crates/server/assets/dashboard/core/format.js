// Numbers, sizes, times and values as people read them.

const COUNT = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export const count = (number) => COUNT.format(number ?? 0);
export const compact = (number) => COMPACT.format(number ?? 0);

export function plural(number, word, many = `${word}s`) {
  return `${count(number)} ${number === 1 ? word : many}`;
}

export function bytes(size) {
  if (size === null || size === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = Number(size);
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function metres(distance) {
  if (distance < 1000) return `${Math.round(distance)} m`;
  return `${distance < 100_000 ? (distance / 1000).toFixed(1) : count(Math.round(distance / 1000))} km`;
}

export function milliseconds(ms) {
  if (ms < 0.01) return '< 0.01 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `P1DT2.5S`, the way tasks write durations, in milliseconds. */
export function durationMs(text) {
  const parts = /^P(?:(\d+)D)?T?(?:([\d.]+)S)?$/.exec(text ?? '');
  return parts ? (Number(parts[1] ?? 0) * 86_400 + Number(parts[2] ?? 0)) * 1000 : null;
}

/** `12.34ms`, `1.2s`, `870µs`, the way traces write durations, in milliseconds. */
export function stepMs(text) {
  const parts = /^([\d.]+)\s*(ns|µs|us|ms|s|m|h)?$/.exec(String(text).trim());
  if (!parts) return 0;
  const factor = { ns: 1e-6, µs: 1e-3, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return Number(parts[1]) * (factor[parts[2]] ?? 1);
}

export function ago(date) {
  if (!date) return '–';
  const seconds = (new Date(date) - Date.now()) / 1000;
  const steps = [
    ['second', 60],
    ['minute', 60],
    ['hour', 24],
    ['day', 30],
    ['month', 12],
  ];
  let value = seconds;
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size) {
      return unit === 'second' && Math.abs(value) < 5 ? 'just now' : RELATIVE.format(Math.round(value), unit);
    }
    value /= size;
  }
  return RELATIVE.format(Math.round(value), 'year');
}

export const moment = (date) => (date ? MOMENT.format(new Date(date)) : '–');

/** `documentAdditionOrUpdate` → `Document addition or update`. */
export function wordsOf(name) {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export const json = (value) => JSON.stringify(value, rawIntegers);
export const pretty = (value) => JSON.stringify(value, rawIntegers, 2);

function rawIntegers(_name, value) {
  if (typeof value !== 'bigint') return value;
  return JSON.rawJSON ? JSON.rawJSON(value.toString()) : value.toString();
}

/** One line for a value of a document. */
export function inline(value) {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.map(inline).join(', ');
  if (typeof value === 'object') return json(value);
  return String(value);
}
