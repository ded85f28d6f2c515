// An embedder on loopback. At `/hold` it answers only when it is told to, which keeps a task in
// the middle of its work for as long as a test wants to look at it.

import { createServer } from 'node:http';
import { vectorOf } from './fixtures.js';

export async function startProvider() {
  let release = () => {};
  let held = Promise.resolve();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', async () => {
      const { input } = JSON.parse(body);
      const texts = Array.isArray(input) ? input : [input];
      if (request.url === '/hold' && texts.some((text) => text.includes('slow'))) await held;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ data: texts.map(vectorOf) }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  return {
    /** An embedder for settings. */
    embedder: (path) => ({
      source: 'rest',
      url: base + path,
      dimensions: 8,
      documentTemplate: '{{doc.title}} {{doc.overview}}',
      request: { input: ['{{text}}', '{{..}}'] },
      response: { data: ['{{embedding}}', '{{..}}'] },
    }),
    hold: () => (held = new Promise((resolve) => (release = resolve))),
    release: () => release(),
    stop: () => {
      release();
      server.closeAllConnections();
      server.close();
    },
  };
}
