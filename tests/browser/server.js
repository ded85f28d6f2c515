// A server of its own for a suite: temporary folder, free port, gone at the end.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FINISHED = ['succeeded', 'failed', 'canceled'];

export async function startServer(args = [], key = null) {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-browser-'));
  const child = spawn(
    process.env.SONDE,
    [
      '--no-analytics',
      '--db-path',
      join(folder, 'data'),
      '--http-addr',
      '127.0.0.1:0',
      '--experimental-allowed-ip-networks',
      '127.0.0.0/8',
      ...args,
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, HOME: folder } },
  );
  const url = await listening(child);
  const api = caller(url, key);
  return {
    url,
    api,
    /** Sends a write and waits until it is done. */
    async write(method, path, body) {
      const { taskUid } = await api(method, path, body);
      for (;;) {
        const task = await api('GET', `/tasks/${taskUid}`);
        if (FINISHED.includes(task.status)) return task;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The banner names the port that the system chose. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (data) => {
      text += data;
      const found = /Server listening on:\s+(\S+)/.exec(text);
      if (found && text.includes('master key')) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

function caller(url, key) {
  return async (method, path, body) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
    };
    const response = await fetch(url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}
