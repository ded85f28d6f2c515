// Every public method of the npm package `meilisearch`, class by class.

import { Index, Meilisearch } from 'meilisearch';
import { Suite, versionOf, environment } from '../shared/suite.js';
import { Context } from './context.js';
import { instance } from './instance.js';
import { indexes } from './indexes.js';
import { documents } from './documents.js';
import { search } from './search.js';
import { settings } from './settings.js';
import { tasks } from './tasks.js';
import { access } from './access.js';
import { webhooks } from './webhooks.js';
import { rules } from './rules.js';
import { chats } from './chats.js';
import { network } from './network.js';

const suite = new Suite('npm meilisearch', versionOf('node_modules/meilisearch/package.json'));
const client = new Meilisearch({
  host: environment.url,
  apiKey: environment.masterKey,
  defaultWaitOptions: { interval: 10, timeout: 60_000 },
});
const context = new Context(client);
await context.prepare();

suite.watch('Meilisearch', Meilisearch);
suite.watch('Index', Index);
suite.watch('TaskClient', client.tasks.constructor);
suite.watch('BatchClient', client.batches.constructor);
suite.watch('ChatWorkspace', client.chat('any').constructor);

// The network comes last: it changes where writes of the instance go.
for (const part of [
  instance,
  indexes,
  documents,
  search,
  settings,
  tasks,
  access,
  webhooks,
  rules,
  chats,
  network,
]) {
  part(suite, client, context);
}
await suite.run();
// The client leaves the timer of a wait that failed behind.
process.exit();
