// Chat workspaces, with a provider on loopback that always answers the same.

import assert from 'node:assert/strict';
import { environment } from '../shared/suite.js';
import { rejected } from './context.js';

export function chats(suite, client, context) {
  suite.test(['Meilisearch.chat', 'ChatWorkspace.update', 'ChatWorkspace.get'], async () => {
    await context.enable('chatCompletions');
    const updated = await client
      .chat('desk')
      .update({
        source: 'vLlm',
        baseUrl: environment.providerUrl,
        apiKey: 'a-secret-api-key',
        prompts: { system: 'Answer shortly.' },
      });
    assert.deepEqual([updated.source, updated.baseUrl], ['vLlm', environment.providerUrl]);
    assert.equal(updated.apiKey, 'a-XXXX...');
    assert.equal(updated.prompts.system, 'Answer shortly.');
    assert.deepEqual(await client.chat('desk').get(), updated);
  });

  suite.test('ChatWorkspace.streamCompletion', async () => {
    const stream = await client
      .chat('desk')
      .streamCompletion({
        model: 'small',
        messages: [{ role: 'user', content: 'How is the harbour?' }],
        stream: true,
      });
    let text = '';
    for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
    const events = text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6));
    assert.equal(events.pop(), '[DONE]');
    const chunks = events.map((event) => JSON.parse(event));
    assert.equal(
      chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join(''),
      'The harbour is quiet.',
    );
  });

  suite.test(['Meilisearch.getChatWorkspaces', 'Meilisearch.getChatWorkspace'], async () => {
    const listed = await client.getChatWorkspaces({ limit: 5 });
    assert.deepEqual(listed, { results: [{ uid: 'desk' }], offset: 0, limit: 5, total: 1 });
    assert.deepEqual(await client.getChatWorkspace('desk'), { uid: 'desk' });
  });

  suite.test('ChatWorkspace.reset', async () => {
    await client.chat('desk').reset();
    const settings = await client.chat('desk').get();
    assert.deepEqual([settings.source, settings.baseUrl, settings.apiKey], ['openAi', null, null]);
  });

  suite.test('Meilisearch.deleteChatWorkspace', async () => {
    await client.deleteChatWorkspace('desk');
    await rejected(client.getChatWorkspace('desk'), 'chat_not_found');
  });
}
