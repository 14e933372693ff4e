/** What consoles cost that are open and do nothing: memory of each stream of events, and how long a read takes beside them. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { EVENT_STREAMS_MAX } from '#contract/events.ts';
import { makeTenant, PASSWORD } from '../test/cluster/tenant.ts';
import { signInByApi } from '../test/journeys/account.ts';
import { residentMemory } from './memory.ts';
import { atMost, figure, quantile, type Row } from './row.ts';
import { withService, type Service } from './service.ts';
import { scaled } from './settings.ts';

const STREAMS = 500;
const READS = 200;
/** Without a model, whose memory comes and goes: nobody transcribes here. */
const QUIET = { SPEECH_UPSTREAM_URL: 'http://127.0.0.1:9', SPEECH_UPSTREAM_KEY: 'none' };
/** KiB each. */
const MEMORY_BUDGET = 256;
/** Of a read beside them. */
const P99_BUDGET_MS = 100;

export function run(): Promise<Row[]> {
  const count = scaled(STREAMS);
  return withService(async (service) => {
    const tenants = await service.prepare((db) =>
      Promise.all(Array.from({ length: Math.ceil(count / EVENT_STREAMS_MAX) }, () => makeTenant(db))),
    );
    const tokens: string[] = [];
    for (const { email } of tenants)
      tokens.push((await signInByApi(service.url, { email, password: PASSWORD })).tokens.access);
    const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
    const alone = await readsOf(service);
    const before = residentMemory(service.pid);
    const from = performance.now();
    const streams: IncomingMessage[] = [];
    for (let opened = 0; opened < count; opened += 1)
      streams.push(await openStream(service.url, tokens[opened % tokens.length] ?? '', agent));
    const opening = (performance.now() - from) / count;
    const beside = await readsOf(service);
    const each = ((residentMemory(service.pid) - before) * 1024) / count;
    for (const stream of streams) stream.destroy();
    agent.destroy();
    return [
      figure('idle: opening a stream of events', opening, 'ms'),
      atMost(`idle: memory of each of ${count} streams`, each, 'KiB', MEMORY_BUDGET),
      figure('idle: a read without them, p99', quantile(alone, 0.99), 'ms'),
      atMost('idle: a read beside them, p99', quantile(beside, 0.99), 'ms', P99_BUDGET_MS),
    ];
  }, QUIET);
}

/** A stream of events, once it has begun. @throws Error unless it is answered with 200 */
async function openStream(url: string, access: string, agent: Agent): Promise<IncomingMessage> {
  const authorization = `Bearer ${access}`;
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/v2/events/`, { headers: { authorization }, agent }, resolve).once('error', reject);
  });
  if (stream.statusCode !== 200) throw new Error(`A stream of events: ${stream.statusCode}`);
  await new Promise((resolve) => stream.once('data', resolve));
  // Ended with the server, or by us.
  stream.on('error', (error) => {
    if (!stream.destroyed) throw error;
  });
  return stream.resume();
}

/** Milliseconds each of reads one after the other. */
async function readsOf(service: Service): Promise<number[]> {
  const times: number[] = [];
  for (let done = 0; done < scaled(READS); done += 1) {
    const sent = performance.now();
    await (await service.asUser('GET', '/api/v2/user/organizations')).arrayBuffer();
    times.push(performance.now() - sent);
  }
  return times;
}
