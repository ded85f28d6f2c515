// Every setting: written, read back, reset, through its own route and through that of all.

import assert from 'node:assert/strict';
import { library } from '../shared/suite.js';
import { succeeded } from './context.js';

export function settings(suite, client, context) {
  for (const [setting, values] of Object.entries(library.settings)) {
    const name = setting[0].toUpperCase() + setting.slice(1);
    const [get, update, reset] = ['get', 'update', 'reset'].map((verb) => verb + name);
    suite.test(
      [get, update, reset].map((method) => `Index.${method}`),
      async () => {
        if (setting === 'foreignKeys') await context.enable('foreignKeys');
        const index = await context.index([]);
        assert.deepEqual(await index[get](), values.default);
        const task = await succeeded(index[update](values.write));
        assert.equal(task.type, 'settingsUpdate');
        assert.deepEqual(await index[get](), values.read ?? values.write);
        await succeeded(index[reset]());
        assert.deepEqual(await index[get](), values.default);
      },
    );
  }

  suite.test(['Index.getSettings', 'Index.updateSettings', 'Index.resetSettings'], async () => {
    await client.updateExperimentalFeatures({ foreignKeys: false, chatCompletions: false });
    const { foreignKeys, ...table } = library.settings;
    const each = (choose) =>
      Object.fromEntries(Object.entries(table).map(([name, values]) => [name, choose(values)]));
    const index = await context.index([]);
    assert.deepEqual(
      await index.getSettings(),
      each((values) => values.default),
    );
    await succeeded(index.updateSettings(each((values) => values.write)));
    assert.deepEqual(
      await index.getSettings(),
      each((values) => values.read ?? values.write),
    );
    await succeeded(index.resetSettings());
    assert.deepEqual(
      await index.getSettings(),
      each((values) => values.default),
    );
  });

  suite.test(['Index.getChat', 'Index.updateChat'], async () => {
    await context.enable('chatCompletions');
    const index = await context.index([]);
    const before = await index.getChat();
    assert.deepEqual([before.description, before.documentTemplateMaxBytes], ['', 400]);
    await succeeded(index.updateChat({ description: 'Books of a library', searchParameters: { limit: 3 } }));
    const after = await index.getChat();
    assert.equal(after.description, 'Books of a library');
    assert.deepEqual(after.searchParameters, { limit: 3 });
    assert.equal(after.documentTemplate, before.documentTemplate);
  });
}
