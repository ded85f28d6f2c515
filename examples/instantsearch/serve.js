// Gives the files of this folder to a browser of this machine.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const file = normalize(join(FOLDER, pathname === '/' ? 'index.html' : decodeURIComponent(pathname)));
  const type = TYPES[extname(file)];
  try {
    if (!file.startsWith(FOLDER) || file.split(sep).includes('..') || !type)
      throw new Error('not for browsers');
    const content = await readFile(file);
    response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://localhost:${server.address().port}/`);
});
