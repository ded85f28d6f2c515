// Adding, updating, reading, editing and deleting documents.

import assert from 'node:assert/strict';
import { books } from '../shared/suite.js';
import { ids, rejected, succeeded, withoutVectors } from './context.js';

const NDJSON = '{"id":7,"title":"Seven"}\n{"id":8,"title":"Eight"}\n';
const CSV = 'id;title;pages:number\n9;Nine;99\n10;Ten;100\n';

export function documents(suite, client, context) {
  suite.test('Index.addDocuments', async () => {
    const index = client.index(context.uid());
    const task = await succeeded(
      index.addDocuments([{ isbn: 'x1', title: 'One' }], {
        primaryKey: 'isbn',
        customMetadata: 'from a case',
      }),
    );
    assert.equal(task.type, 'documentAdditionOrUpdate');
    assert.deepEqual(task.details, { receivedDocuments: 1, indexedDocuments: 1 });
    assert.equal(task.customMetadata, 'from a case');
    await succeeded(index.addDocuments([{ isbn: 'x1', pages: 3 }]));
    assert.deepEqual(await index.getDocument('x1'), { isbn: 'x1', pages: 3 });
  });

  suite.test(['Index.addDocumentsFromString', 'Index.updateDocumentsFromString'], async () => {
    const index = client.index(context.uid());
    await succeeded(index.addDocumentsFromString(NDJSON, 'application/x-ndjson', { primaryKey: 'id' }));
    await succeeded(index.addDocumentsFromString(CSV, 'text/csv', { csvDelimiter: ';' }));
    await succeeded(index.updateDocumentsFromString('[{"id":8,"pages":8}]', 'application/json'));
    assert.deepEqual(await index.getDocument(8), { id: 8, title: 'Eight', pages: 8 });
    assert.deepEqual(await index.getDocument(9), { id: '9', title: 'Nine', pages: 99 });
  });

  suite.test('Index.addDocumentsInBatches', async () => {
    const index = client.index(context.uid());
    const writes = index.addDocumentsInBatches(books.map(withoutVectors), 4, { primaryKey: 'id' });
    const received = (await Promise.all(writes.map(succeeded))).map((task) => task.details.receivedDocuments);
    assert.deepEqual(received, [4, 2]);
    assert.equal((await index.getDocuments()).total, 6);
  });

  suite.test('Index.updateDocuments', async () => {
    const index = await context.index();
    await succeeded(
      index.updateDocuments([
        { id: 1, pages: 1 },
        { id: 70, title: 'New' },
      ]),
    );
    const changed = await index.getDocument(1, { fields: ['title', 'pages'] });
    assert.deepEqual(changed, { title: 'The Quiet Harbour', pages: 1 });
    await succeeded(index.updateDocuments([{ id: 71, title: 'Absent' }], { skipCreation: true }));
    await rejected(index.getDocument(71), 'document_not_found');
    assert.equal((await index.getDocuments()).total, 7);
  });

  suite.test('Index.updateDocumentsInBatches', async () => {
    const index = await context.index();
    const writes = index.updateDocumentsInBatches(
      books.map(({ id }) => ({ id, pages: id })),
      3,
    );
    assert.equal(writes.length, 2);
    await Promise.all(writes.map(succeeded));
    assert.equal((await index.getDocument(6)).pages, 6);
    assert.equal((await index.getDocument(6)).title, 'The Copper Bridge');
  });

  suite.test('Index.getDocuments', async () => {
    const page = await context.books.getDocuments({ offset: 1, limit: 2, fields: ['id', 'title'] });
    assert.deepEqual([page.offset, page.limit, page.total], [1, 2, 6]);
    assert.deepEqual(Object.keys(page.results[0]), ['id', 'title']);
    const filtered = await context.books.getDocuments({ filter: ['genres = nature'], sort: ['year:desc'] });
    assert.deepEqual(ids(filtered.results), [5, 3]);
    const chosen = await context.books.getDocuments({ ids: [2, 4], retrieveVectors: true });
    assert.deepEqual(ids(chosen.results).sort(), [2, 4]);
    assert.equal(chosen.results[0]._vectors.manual.regenerate, false);
    assert.equal(chosen.results[0]._vectors.manual.embeddings[0].length, 3);
  });

  suite.test('Index.getDocument', async () => {
    const book = await context.books.getDocument(3, { fields: ['title', 'genres'] });
    assert.deepEqual(book, { title: 'A Field of Owls', genres: ['nature'] });
    assert.deepEqual(await context.books.getDocument('3'), withoutVectors(books[2]));
    await rejected(context.books.getDocument(99), 'document_not_found');
  });

  suite.test('Index.deleteDocument', async () => {
    const index = await context.index();
    const task = await succeeded(index.deleteDocument(1));
    assert.deepEqual([task.type, task.details.deletedDocuments], ['documentDeletion', 1]);
    await rejected(index.getDocument(1), 'document_not_found');
  });

  suite.test('Index.deleteDocuments', async () => {
    const index = await context.index();
    const byId = await succeeded(index.deleteDocuments([1, 2, 99]));
    assert.deepEqual([byId.details.providedIds, byId.details.deletedDocuments], [3, 2]);
    await succeeded(index.updateFilterableAttributes(['genres']));
    const byFilter = await succeeded(index.deleteDocuments({ filter: 'genres = nature' }));
    assert.equal(byFilter.details.deletedDocuments, 2);
    assert.deepEqual(ids((await index.getDocuments()).results), [4, 6]);
  });

  suite.test('Index.deleteAllDocuments', async () => {
    const index = await context.index();
    const task = await succeeded(index.deleteAllDocuments());
    assert.equal(task.details.deletedDocuments, 6);
    assert.equal((await index.getDocuments()).total, 0);
  });

  suite.test('Index.updateDocumentsByFunction', async () => {
    await context.enable('editDocumentsByFunction');
    const index = await context.index();
    await succeeded(index.updateFilterableAttributes(['genres']));
    const task = await succeeded(
      index.updateDocumentsByFunction({
        function: 'doc.title = `${context.mark} ${doc.title}`',
        context: { mark: '*' },
        filter: 'genres = nature',
      }),
    );
    assert.equal(task.type, 'documentEdition');
    assert.equal(task.details.editedDocuments, 2);
    assert.equal((await index.getDocument(3)).title, '* A Field of Owls');
    assert.equal((await index.getDocument(1)).title, 'The Quiet Harbour');
  });
}
