// The one door to the server. The API key lives in a variable of this module and nowhere else:
// no storage, no cookie, no address. Closing the page forgets it.

import { json } from './format.js';

const BASE = new URL('./', location.href.split('#')[0]);

let apiKey = '';
const authListeners = new Set();

export function setKey(key) {
  apiKey = key.trim();
}

export function hasKey() {
  return apiKey !== '';
}

/** Told when the server wants a key, or a better one. */
export function onAuthNeeded(listener) {
  authListeners.add(listener);
}

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = body?.code ?? `http_${status}`;
    this.link = body?.link;
  }

  /** Whether a key is missing or does not suffice. An instance without keys is another matter. */
  get isAuth() {
    return (this.status === 401 || this.status === 403) && this.code !== 'missing_master_key';
  }
}

function headers(more) {
  return apiKey === '' ? { ...more } : { Authorization: `Bearer ${apiKey}`, ...more };
}

function address(path, query) {
  const url = new URL(path.replace(/^\//, ''), BASE);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
}

/** Sends a request and gives the JSON of its answer, or null for an empty one. */
export async function call(method, path, { body, query, signal, quiet } = {}) {
  let response;
  try {
    response = await fetch(address(path, query), {
      method,
      signal,
      headers: headers(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      body: body === undefined ? undefined : json(body),
      cache: 'no-store',
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { message: 'The server cannot be reached.', code: 'unreachable' });
  }
  const value = parse(await response.text());
  if (response.ok) return value;
  throw refused(response.status, value, quiet);
}

function refused(status, value, quiet) {
  const error = new ApiError(status, value);
  if (error.isAuth && !quiet) authListeners.forEach((listener) => listener(error));
  return error;
}

export const get = (path, query, options) => call('GET', path, { query, ...options });
export const post = (path, body, options) => call('POST', path, { body, ...options });
export const patch = (path, body, options) => call('PATCH', path, { body, ...options });
export const remove = (path, options) => call('DELETE', path, options);

/** Integers that a double cannot hold stay exact where the browser shows their source text. */
export function parse(text) {
  if (text === '') return null;
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return null;
  }
}

function exact(_name, value, context) {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context.source) : value;
}

/** Reads server-sent events until they end or `signal` says so. EventSource sends no key. */
export async function events(path, signal, onOpen, onObject) {
  const response = await fetch(address(path), {
    signal,
    headers: headers({ Accept: 'text/event-stream' }),
    cache: 'no-store',
  });
  if (!response.ok) throw new ApiError(response.status, parse(await response.text()));
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').filter((line) => line.startsWith('data:'));
      const object = parse(
        data
          .map((line) => line.slice(5))
          .join('\n')
          .trim(),
      );
      if (object !== null) onObject(object);
    }
  }
}

/** Uploads a body and reports the bytes that went out, which `fetch` cannot. */
export function upload(method, path, { query, type, body, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address(path, query));
    for (const [name, value] of Object.entries(headers({ 'Content-Type': type }))) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    request.addEventListener('load', () => {
      const value = parse(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(value);
      else reject(refused(request.status, value));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, { message: 'The connection was lost while sending.', code: 'unreachable' })),
    );
    request.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
    signal?.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}
