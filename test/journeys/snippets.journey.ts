/** The code panel's programs for a page, run as they stand in a page of one's own, with a key of the project. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { LIVE_PATH } from '#contract/live.ts';
import { ModelList } from '#contract/models.ts';
import { TemporaryKey, type TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import { liveBrowser } from '#machines/playground/snippets/live.ts';
import { restBrowser } from '#machines/playground/snippets/rest.ts';
import { wordErrorRate } from '#test/audio/wer.ts';
import { demoAccount } from './account.ts';
import { expect, type Page, test } from './fixtures.ts';
import { clip, spoken } from './playground.ts';

const CLIP = 'two-sentences.wav';
const NEVER_SHOWN = { keyVariable: '', filename: '' };

// The console's own policy forbids foreign modules: a page of one's own has none.
test.use({ bypassCSP: true });

/** A page of the server's origin, with a program as a module beside it. Its address: '/of-ones-own.js'. */
async function openPageOfOnesOwn(page: Page, program: string): Promise<void> {
  await page.route('**/of-ones-own.js', (route) => route.fulfill({ contentType: 'text/javascript', body: program }));
  await page.goto('/api/docs');
}

/** A key of the demo project, as its settings make it, and what the key may then ask for. */
async function createKey(url: string) {
  const { credential, tokens, playground } = await demoAccount(url);
  const project = /projects\/([^/]+)/.exec(playground)?.[1] ?? '';
  const headers = { 'content-type': 'application/json' };
  const created = await fetch(`${url}/api/v2/projects/${project}/api-keys/`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${tokens.access}` },
    body: JSON.stringify({ name: 'A page' }),
  });
  const { key } = v.parse(ApiKeyCreated, await created.json());
  const { models } = v.parse(
    ModelList,
    await (await fetch(`${url}/v1/models`, { headers: { authorization: credential } })).json(),
  );
  const modelOf = (mode: string) =>
    models.find(({ transcription_mode, aliased_model_id }) => transcription_mode === mode && aliased_model_id === null)
      ?.id ?? '';
  return { key, headers: { ...headers, authorization: `Bearer ${key}` }, modelOf };
}

test('the program for a page uploads a file, waits, and gives its text', async ({ page, server }) => {
  const { key, modelOf } = await createKey(server.url);
  const code = restBrowser({
    ...NEVER_SHOWN,
    baseUrl: server.url,
    payload: { model: modelOf('async'), file_id: 'FILE_ID', language_hints: ['en'] },
  });
  await openPageOfOnesOwn(page, code);
  const text = await page.evaluate(
    async ([path, apiKey, base64, name]) => {
      const { transcribe }: { transcribe: (key: string, file: File) => Promise<string> } = await import(path);
      return transcribe(apiKey, new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name));
    },
    ['/of-ones-own.js', key, readFileSync(clip(CLIP)).toString('base64'), CLIP] as const,
  );
  expect(wordErrorRate(spoken(CLIP), text)).toBeLessThan(0.1);
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('the program for a page records, reads words back while they are said, and ends in order', async ({
    page,
    server,
  }) => {
    const { headers, modelOf } = await createKey(server.url);
    const asked: TemporaryKeyRequest = { usage_type: 'transcribe_websocket', expires_in_seconds: 60 };
    const answer = await fetch(`${server.url}/v1/auth/temporary-api-key`, {
      method: 'POST',
      headers,
      body: JSON.stringify(asked),
    });
    const { api_key } = v.parse(TemporaryKey, await answer.json());
    const code = liveBrowser({
      ...NEVER_SHOWN,
      baseUrl: server.url,
      socketUrl: server.url.replace('http', 'ws') + LIVE_PATH,
      config: { model: modelOf('real_time'), language_hints: ['en'], enable_endpoint_detection: true },
    });
    await openPageOfOnesOwn(page, code);
    const heard = await page.evaluate(
      async ([path, key]) => {
        type Token = { text: string; is_final: boolean };
        type Session = { stop: () => Promise<void>; closed: Promise<void> };
        const { listen }: { listen: (key: string, onTokens: (tokens: Token[]) => void) => Promise<Session> } =
          await import(path);
        const finals: string[] = [];
        let isHeard: () => void = () => {};
        const words = new Promise<void>((resolve) => (isHeard = resolve));
        const session = await listen(key, (tokens) => {
          finals.push(...tokens.filter(({ is_final }) => is_final).map(({ text }) => text));
          if (/morning|thank|meet|summer/i.test(finals.join(''))) isHeard();
        });
        await Promise.race([words, session.closed]);
        await session.stop();
        return finals.join('');
      },
      ['/of-ones-own.js', api_key] as const,
    );
    expect(heard).toMatch(/morning|thank|meet|summer/i);
    expect(heard).not.toMatch(/<end>|<fin>/);
  });
});
