/** Requests a second: signed-in lists and creates, against a bare Hono handler that knows nobody and has no database. */
import { Agent, request } from 'node:http';
import { grant } from '../test/cluster/tenant.ts';
import { type Row, atLeast, atMost, figure, quantile } from './row.ts';
import { withService } from './service.ts';
import { scaled } from './settings.ts';
import { withPeer } from './with-peer.ts';

const CONNECTIONS = 16;
const SECONDS = 10;
/**
 * Nearly all of a request is the database, in another thread: a list is two or three queries, a temporary key a
 * transaction of ten statements.
 */
const RATIO_BUDGETS = { GET: 0.02, POST: 0.008 } as const;
const P99_BUDGET_MS = 250;

interface Call {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

interface Load {
  perSecond: number;
  /** Milliseconds each. */
  times: number[];
}

/** One request to its last byte. @throws Error unless it is answered with 2xx */
function once({ url, method, headers, body }: Call, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode !== undefined && response.statusCode < 300
          ? resolve()
          : reject(new Error(`${method} ${url}: ${response.statusCode}`)),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function load(call: Call, seconds: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const from = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - from < seconds * 1000) {
      const sent = performance.now();
      await once(call, agent);
      times.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
    return { perSecond: times.length / ((performance.now() - from) / 1000), times };
  } finally {
    agent.destroy();
  }
}

export function run(): Promise<Row[]> {
  const seconds = scaled(SECONDS);
  return withPeer('rest', (peer) =>
    withService(async (service) => {
      await service.prepare(async (db) => {
        const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
        await grant(db, id, { requests_per_minute: null });
      });
      const authorization = await service.authorization();
      const user = `Bearer ${await service.access()}`;
      const key = JSON.stringify({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 });
      const calls: [string, Call][] = [
        [
          'GET organizations',
          { url: `${service.url}/api/v2/user/organizations/`, method: 'GET', headers: { authorization: user } },
        ],
        ['GET files', { url: `${service.url}/v1/files?limit=20`, method: 'GET', headers: { authorization } }],
        [
          'GET transcriptions',
          { url: `${service.url}/v1/transcriptions?limit=20`, method: 'GET', headers: { authorization } },
        ],
        [
          'POST temporary key',
          {
            url: `${service.url}/v1/auth/temporary-api-key`,
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: key,
          },
        ],
      ];
      const rows: Row[] = [];
      for (const [name, call] of calls) {
        await load(call, Math.max(1, seconds / 5));
        const ours = await load(call, seconds);
        // Right after it, so that both see the same machine.
        const bare = await load({ ...call, url: peer }, seconds);
        rows.push(
          figure(name, ours.perSecond, '1/s'),
          figure(`${name}, p50`, quantile(ours.times, 0.5), 'ms'),
          atMost(`${name}, p99`, quantile(ours.times, 0.99), 'ms', P99_BUDGET_MS),
          atLeast(
            `${name}, of a bare handler's ${bare.perSecond.toFixed(0)} a second`,
            ours.perSecond / bare.perSecond,
            '×',
            RATIO_BUDGETS[call.method],
          ),
        );
      }
      return rows;
    }),
  );
}
