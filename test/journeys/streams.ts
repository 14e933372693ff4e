/** Live sessions of the speech API, over its socket. */
import { once } from 'node:events';
import WebSocket from 'ws';
import * as v from 'valibot';
import { LIVE_PATH } from '#contract/live.ts';
import type { Account } from './account.ts';
import { speechOf } from './requests.ts';
import type { Page } from './fixtures.ts';

/** Silence of a second: 16-bit mono at 16 kHz. */
const SILENCE = Buffer.alloc(32_000);

/** A key for live sessions of a project. */
async function keyFor(page: Page, account: Account, projectUuid: string): Promise<string> {
  const made = await page.request.post('/v1/auth/temporary-api-key', {
    ...speechOf(account, projectUuid),
    data: { usage_type: 'transcribe_websocket', expires_in_seconds: 60 },
  });
  return v.parse(v.object({ api_key: v.string() }), await made.json()).api_key;
}

/** An open socket. */
async function connect(page: Page): Promise<WebSocket> {
  const socket = new WebSocket(new URL(LIVE_PATH, page.url()).href.replace(/^http/, 'ws'));
  await once(socket, 'open');
  return socket;
}

const SOUND = { audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };

/** Asks for a live session with settings that the server refuses, and waits until it has. */
export async function startInVain(page: Page, account: Account, projectUuid: string, settings: object): Promise<void> {
  const api_key = await keyFor(page, account, projectUuid);
  const socket = await connect(page);
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ api_key, ...SOUND, ...settings }));
  await closed;
}

/** Begins so many live sessions of a project, all at the same time. Gives what ends them. */
export async function holdStreams(
  page: Page,
  account: Account,
  projectUuid: string,
  count: number,
): Promise<() => Promise<void>> {
  const api_key = await keyFor(page, account, projectUuid);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await connect(page);
      socket.send(JSON.stringify({ api_key, model: 'stt-rt-v5', ...SOUND }));
      socket.send(SILENCE);
      // The first answer comes once it was let in, and its recognizer is there.
      const [first] = await once(socket, 'message');
      v.parse(v.object({ total_audio_proc_ms: v.number() }), JSON.parse(String(first)));
      return socket;
    }),
  );
  return async () => {
    for (const socket of sockets) {
      const closed = once(socket, 'close');
      socket.send('');
      await closed;
    }
  };
}

/** Runs so many live sessions of a project, all at the same time, from their start to their end. */
export async function streamAtOnce(page: Page, account: Account, projectUuid: string, count: number): Promise<void> {
  const end = await holdStreams(page, account, projectUuid, count);
  await end();
}
