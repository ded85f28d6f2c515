// What the cases share: an index of books that is only read, and new indexes for those that write.

import assert from 'node:assert/strict';
import { books, library } from '../shared/suite.js';

export class Context {
  #made = 0;

  constructor(client) {
    this.client = client;
  }

  async prepare() {
    const index = this.client.index('books');
    await succeeded(index.updateSettings(library.searchSettings));
    await succeeded(index.addDocuments(books, { primaryKey: 'id' }));
  }

  /** The index of books. */
  get books() {
    return this.client.index('books');
  }

  /** A uid nobody has used. */
  uid() {
    this.#made += 1;
    return `made-${this.#made}`;
  }

  /** A new index with the given documents. */
  async index(documents = books.map(withoutVectors)) {
    const index = this.client.index(this.uid());
    await succeeded(index.addDocuments(documents, { primaryKey: 'id' }));
    return index;
  }

  async enable(...features) {
    await this.client.updateExperimentalFeatures(Object.fromEntries(features.map((name) => [name, true])));
  }
}

export function withoutVectors({ _vectors, ...document }) {
  return document;
}

/** The finished task of a write, which must have succeeded. */
export async function succeeded(write) {
  const task = await write.waitTask();
  assert.equal(task.status, 'succeeded', `${task.type}: ${JSON.stringify(task.error)}`);
  return task;
}

/** The finished task of a write, which must have failed with this code. */
export async function failed(write, code) {
  const task = await write.waitTask();
  assert.equal(task.status, 'failed');
  assert.equal(task.error.code, code);
  return task;
}

export const ids = (hits) => hits.map((hit) => hit.id);

/** The call must be answered with this code. */
export async function rejected(call, code) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.code ?? error.message, code);
    return true;
  });
}
