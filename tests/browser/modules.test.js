// Modules that need no browser. Of large files: whatever the size of the pieces, no document is lost,
// doubled or cut.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieces } from '../../crates/server/assets/dashboard/import/pieces.js';
import { toSend, undoOf } from '../../crates/server/assets/dashboard/settings/changes.js';
import { compare } from '../../crates/server/assets/dashboard/settings/compare.js';
import { sniff, inferredKey } from '../../crates/server/assets/dashboard/import/sniff.js';
import { csvOf, films } from './fixtures.js';

const tricky = films(40).map((film, place) => ({
  ...film,
  title: `${film.title} "${place}" } ] , { \\ é 🦉`,
  nested: { list: [{ deep: place }, [], {}] },
}));

async function bodies(name, text, most, usesTypes = false) {
  const file = new File([text], name);
  const found = [];
  let covered = 0;
  for await (const piece of pieces(file, await sniff(file), usesTypes, most)) {
    found.push(await piece.body.text());
    covered += piece.bytes;
  }
  assert.equal(covered, file.size, `${name} in pieces of ${most}`);
  return found;
}

test('JSON arrays are cut between documents', async () => {
  for (const text of [JSON.stringify(tricky), JSON.stringify(tricky, null, 2)]) {
    for (const most of [150, 700, 1000, 4096, 1 << 20]) {
      const parts = await bodies('a.json', text, most);
      assert.deepEqual(
        parts.flatMap((part) => JSON.parse(part)),
        tricky,
      );
    }
  }
});

test('NDJSON is cut between lines', async () => {
  const text = tricky.map((film) => JSON.stringify(film)).join('\n');
  for (const most of [100, 999, 1 << 20]) {
    const parts = await bodies('a.ndjson', text, most);
    const lines = parts.flatMap((part) => part.split('\n').filter(Boolean));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      tricky,
    );
  }
});

test('CSV is cut between records, each piece with the heading', async () => {
  const text = 'id,text\n1,"a ""line""\nbreak"\n2,plain\n3,"x,\n\ny"\n4,end';
  const body = (part) => part.split('\n').slice(1).join('\n');
  for (const most of [4, 9, 20, 1 << 20]) {
    const parts = await bodies('a.csv', text, most);
    assert.ok(parts.every((part) => part.startsWith('id,text\n')));
    assert.equal(parts.map(body).join(''), body(text));
  }
});

test('the heading of a CSV file is given the types that were found', async () => {
  const [part] = await bodies('a.csv', csvOf(5), 1 << 20, true);
  assert.equal(part.split('\n')[0], 'sku_id,title,price:number,in_stock:boolean,series');
});

test('a place in a piece is told as a place in the file', async () => {
  const text = csvOf(30);
  const file = new File([text], 'a.csv');
  for (const most of [200, 1 << 20]) {
    for await (const { body, shift } of pieces(file, await sniff(file), true, most)) {
      const sent = await body.text();
      const at = sent.lastIndexOf('sku-');
      assert.ok(text.startsWith(sent.slice(at), at + shift));
    }
  }
});

test('formats, fields and ids are recognised', async () => {
  const about = (name, text) => sniff(new File([text], name));
  const csv = await about('x.txt', 'movie_id;zip;note\nm1;01234;"a;b"\nm2;09999;\n');
  assert.deepEqual([csv.format, csv.delimiter], ['csv', ';']);
  assert.deepEqual(
    csv.fields.map((field) => [field.name, field.kinds[0], field.isId]),
    [
      ['movie_id', 'string', true],
      ['zip', 'string', true],
      ['note', 'string', false],
    ],
  );
  assert.equal(inferredKey(csv.records), 'movie_id');
  assert.equal((await about('x', '{"id":1}\n{"id":2}')).format, 'ndjson');
  assert.equal((await about('x', '{\n "id": 1\n}')).format, 'json');
  assert.equal((await about('x', '{\n "id": 1\n}')).records.length, 1);
  assert.equal(inferredKey([{ id: 1, bookId: 2 }]), null);
});

test('of settings with secrets only what changed is sent', () => {
  const before = {
    a: { source: 'rest', apiKey: 'abXXXX...', dimensions: 3 },
    b: { source: 'userProvided', dimensions: 2 },
  };
  const after = {
    a: { source: 'rest', apiKey: 'abXXXX...', dimensions: 4, url: 'x' },
    c: { source: 'ollama' },
  };
  assert.deepEqual(toSend('embedders', before, after), {
    b: null,
    a: { dimensions: 4, url: 'x' },
    c: { source: 'ollama' },
  });
  assert.deepEqual(toSend('embedders', before, null), null);
  assert.deepEqual(toSend('stopWords', ['a'], ['b']), ['b']);
});

test('a change of settings is taken back, unless a key would be lost', () => {
  const before = {
    stopWords: ['a'],
    stemming: null,
    embedders: { e: { apiKey: 'abXXXX...', dimensions: 3 } },
  };
  const after = { ...before, stopWords: ['b'], stemming: {} };
  assert.deepEqual(undoOf(before, after, ['stopWords', 'stemming']), { stopWords: ['a'], stemming: null });
  const wider = { ...before, embedders: { e: { apiKey: 'abXXXX...', dimensions: 4 } } };
  assert.deepEqual(undoOf(before, wider, ['embedders']), { embedders: { e: { dimensions: 3 } } });
  assert.equal(undoOf(before, { ...before, embedders: {} }, ['embedders']), null);
});

test('lists of hits are compared', () => {
  const list = (ids) => [...ids].map((id) => ({ id }));
  const marks = (hits) => hits.map(({ mark }) => mark);
  const { before, after, ...counts } = compare(list('abcd'), list('cxab'));
  assert.deepEqual(marks(before), [0, 0, 0, 'gone']);
  assert.deepEqual(marks(after), [2, 'new', -2, -2]);
  assert.deepEqual(counts, { added: 1, gone: 1, moved: 3 });
  assert.deepEqual(compare(list(''), list('')), { before: [], after: [], added: 0, gone: 0, moved: 0 });
});
