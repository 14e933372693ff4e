/** More of everything than a limit allows, at both processes at once. */
import { once } from 'node:events';
import { UPLOAD_FIELD } from '#contract/files.ts';
import type WebSocket from 'ws';
import type { Db } from '#server/platform/db/database.ts';
import type { House } from './house.ts';
import { until } from './program.ts';
import { newRecording } from './recording.ts';
import { openStream } from './streams.ts';
import { makeTenant } from './tenant.ts';
import { withKey } from './works.ts';

/** @returns how many of so many requests that come together were answered with each status */
export async function requestsTogether({ api, database: { db } }: House, limit: number, count: number) {
  const { key } = await makeTenant(db, { requests_per_minute: limit });
  return told(api, count, (url) =>
    fetch(`${url}/v1/auth/temporary-api-key`, {
      method: 'POST',
      headers: { ...withKey(key), 'content-type': 'application/json' },
      body: JSON.stringify({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 }),
    }),
  );
}

/** The same of uploads, of which as many as the limit says find room. */
export async function uploadsTogether({ api, database: { db } }: House, limit: number, count: number) {
  const recording = newRecording();
  const { key } = await makeTenant(db, { requests_per_minute: null, stored_bytes: limit * recording.length });
  return told(api, count, (url) => {
    const form = new FormData();
    form.append(UPLOAD_FIELD, new Blob([Uint8Array.from(recording)]), 'talk.wav');
    return fetch(`${url}/v1/files`, { method: 'POST', headers: withKey(key), body: form });
  });
}

async function told(
  api: House['api'],
  count: number,
  ask: (url: string) => Promise<Response>,
): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(api[index % api.length]!.url)));
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const retryAfter = Number(answer.headers.get('retry-after'));
    const kind = answer.status === 429 && !(retryAfter > 0) ? '429 without a time' : String(answer.status);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/**
 * @param of whose limit it is
 * @returns how many of so many streams that are opened together got a place, and what the others were told
 */
export async function streamsTogether(
  { api, database: { db } }: House,
  of: 'organization' | 'project',
  limit: number,
  count: number,
) {
  const { key, projectId } = await makeTenant(db, {
    requests_per_minute: null,
    ...(of === 'organization' && { concurrent_streams: limit }),
  });
  if (of === 'project')
    await db
      .insertInto('project_limits')
      .values({ project_id: projectId, name: 'concurrent_streams', own: limit })
      .execute();
  const admitted = (): Promise<number> => streamsOf(db, projectId);
  const refusals: unknown[] = [];
  const sockets = Array.from({ length: count }, (_, index): WebSocket => {
    const socket = openStream(api[index % api.length]!.url, key, `${index}`);
    socket.on('message', (data: Buffer) => refusals.push(JSON.parse(data.toString('utf8')).error_code));
    return socket;
  });
  try {
    await until('each stream has its answer', async () => refusals.length + (await admitted()) >= count);
    return { admitted: await admitted(), refusals: [...refusals] };
  } finally {
    await closeAll(sockets);
  }
}

/** How many were admitted. */
const streamsOf = async (db: Db, projectId: string): Promise<number> =>
  (await db.selectFrom('live_sessions').select('id').where('project_id', '=', projectId).execute()).length;

const closeAll = (sockets: readonly WebSocket[]): Promise<unknown> =>
  Promise.all(
    sockets
      .filter(({ readyState, OPEN }) => readyState === OPEN)
      .map((socket) => {
        const closed = once(socket, 'close');
        socket.close();
        return closed;
      }),
  );
