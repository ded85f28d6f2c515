// Runs the cases of one client in order and keeps account of its methods. A case names the methods it
// checks; it fails when one of them was not called. A public method that no case names fails the suite,
// so that a new version of the client shows what is missing here.

import { readFileSync, writeFileSync } from 'node:fs';

const CASE_LIMIT_MS = 120_000;

export class Suite {
  #cases = [];
  #surface = new Set();
  #called = new Set();
  #methods = new Map();

  constructor(client, version) {
    this.client = client;
    this.version = version;
  }

  /** Counts the methods of a class, static ones included, and notes when they are called. */
  watch(name, type) {
    this.#watchOwner(name, type.prototype);
    this.#watchOwner(name, type);
  }

  #watchOwner(name, owner) {
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== 'function' || method === 'constructor') continue;
      this.watchFunction(`${name}.${method}`, owner, method);
    }
  }

  /** The same for one function of an object. */
  watchFunction(label, owner, method) {
    const called = this.#called;
    const original = owner[method];
    this.#surface.add(label);
    owner[method] = function (...args) {
      called.add(label);
      return original.apply(this, args);
    };
  }

  test(methods, body) {
    this.#cases.push({ methods: [methods].flat(), body });
  }

  /** A method that no server of this interface can satisfy: the case checks how it is refused. */
  refused(method, reason, body) {
    this.#cases.push({ methods: [method], body, reason });
  }

  async run() {
    for (const { methods, body, reason } of this.#cases) {
      const started = performance.now();
      const failure = await this.#failure(methods, body);
      if (process.env.TIMES)
        console.log(`${Math.round(performance.now() - started)} ms: ${methods.join(', ')}`);
      for (const method of methods) this.#note(method, failure, reason);
    }
    for (const method of this.#surface) {
      if (!this.#methods.has(method)) this.#note(method, 'no case calls it');
    }
    this.#write();
  }

  async #failure(methods, body) {
    this.#called.clear();
    let timer;
    try {
      const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`took longer than ${CASE_LIMIT_MS} ms`)), CASE_LIMIT_MS);
      });
      await Promise.race([body(), limit]);
    } catch (error) {
      return described(error);
    } finally {
      clearTimeout(timer);
    }
    const missed = methods.filter((method) => this.#surface.has(method) && !this.#called.has(method));
    return missed.length === 0 ? null : `the case did not call ${missed.join(', ')}`;
  }

  #note(method, failure, reason = null) {
    const earlier = this.#methods.get(method);
    if (earlier?.status === 'failed') return;
    const status = failure ? 'failed' : reason ? 'refused' : 'passed';
    this.#methods.set(method, { name: method, status, reason: failure ?? reason });
  }

  #write() {
    const methods = [...this.#methods.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const { client, version } = this;
    writeFileSync(
      process.env.RESULTS,
      JSON.stringify({ client, version, cases: this.#cases.length, methods }),
    );
  }
}

function described(thrown) {
  // The helper of InstantSearch passes an error on inside an object.
  const error = thrown?.error ?? thrown;
  const lines = (error?.stack ?? '').split('\n').slice(1);
  const own = lines.filter((line) => !/node_modules|node:|suite\.js/.test(line)).join('\n');
  const place = /(\w+\.js:\d+):\d+\)?$/m.exec(own);
  return `${error?.message ?? error}${place ? ` [${place[1]}]` : ''}`.replace(/\s+/g, ' ').slice(0, 400);
}

/** The version of an installed package. */
export function versionOf(packageFile) {
  return JSON.parse(readFileSync(packageFile, 'utf8')).version;
}

export const library = JSON.parse(readFileSync(new URL('./library.json', import.meta.url), 'utf8'));
export const books = library.books.map((book) => ({
  ...book,
  _vectors: { manual: library.vectors[book.id] },
}));

export const environment = {
  url: process.env.SONDE_URL,
  otherUrl: process.env.SONDE_OTHER_URL,
  masterKey: process.env.SONDE_MASTER_KEY,
  providerUrl: process.env.PROVIDER_URL,
  folder: process.env.SONDE_FOLDER,
};
