/** Traces as a collector gets them, by OTLP. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { keptLog } from '../log-lines.ts';
import { eventually } from '../eventually.ts';
import { consoleClient, MODEL } from '../speech-api/client.ts';
import { liveKey, startSpeechServer, type SpeechServer } from '../speech-api/harness.ts';
import { begin } from '../speech-api/live/live-client.ts';
import { startOther, type OtherServer } from '../outgoing-servers.ts';

const Attribute = v.object({
  key: v.string(),
  value: v.object({ stringValue: v.optional(v.string()), intValue: v.optional(v.union([v.string(), v.number()])) }),
});
const Span = v.object({
  name: v.string(),
  traceId: v.string(),
  spanId: v.string(),
  parentSpanId: v.optional(v.string(), ''),
  attributes: v.array(Attribute),
});
type Span = v.InferOutput<typeof Span>;
const Export = v.object({
  resourceSpans: v.array(v.object({ scopeSpans: v.array(v.object({ spans: v.array(Span) })) })),
});

const spansIn = (body: string): Span[] =>
  v.parse(Export, JSON.parse(body)).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

let collector: OtherServer;
let answer: number;
beforeEach(async () => {
  answer = 200;
  collector = await startOther((_seen, response) =>
    response.writeHead(answer, { 'content-type': 'application/json' }).end('{}'),
  );
});
const open: SpeechServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await collector.close();
});

const start = async (endpoint: string | undefined) => {
  const { log, lines } = keptLog();
  const server = await startSpeechServer({
    engine: { auto: true },
    server: { overrides: { log }, env: endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
  });
  open.push(server);
  return { server, lines };
};

/** What the collector has once the server has closed, which hands over all that is left. */
async function handedOver(server: SpeechServer): Promise<Span[]> {
  open.splice(open.indexOf(server), 1);
  await server.close();
  return collector.seen.flatMap(({ body }) => spansIn(body));
}

async function transcribed(server: SpeechServer, headers: Record<string, string> = {}): Promise<Response> {
  const user = await server.createUser();
  const { call, reaches, stored } = consoleClient(() => ({ server, user }));
  const { id: file_id } = await stored();
  const asked = { model: MODEL, file_id, client_reference_id: 'patient-s3cret' };
  const made = await call('POST', '/transcriptions', asked, headers);
  expect(made.status).toBe(201);
  const { id } = await made.clone().json();
  await reaches(id, 'completed');
  return made;
}

describe('with a collector', () => {
  it('OPS-65 a trace goes on from the caller through the request and its job to the recognizer', async () => {
    const { server, lines } = await start(collector.url);
    const [traceId, caller] = [randomUUID().replaceAll('-', ''), '00f067aa0ba902b7'];
    const made = await transcribed(server, { traceparent: `00-${traceId}-${caller}-01` });
    const spans = await handedOver(server);
    const own = spans.filter((span) => span.traceId === traceId);
    const named = (name: string): Span | undefined => own.find((span) => span.name === name);
    const [request, job, recognizer] = ['POST /v1/transcriptions', 'job transcribe', 'recognize recording'].map(named);
    expect(own).toHaveLength(3);
    expect([request?.parentSpanId, job?.parentSpanId, recognizer?.parentSpanId]).toEqual([
      caller,
      request?.spanId,
      job?.spanId,
    ]);
    const id = made.headers.get(REQUEST_ID_HEADER);
    for (const { attributes } of own)
      expect(attributes).toContainEqual({ key: 'parlance.request_id', value: { stringValue: id } });
    expect(collector.seen[0]).toMatchObject({ method: 'POST', path: '/v1/traces' });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', request_id: id, trace_id: traceId }));
  });

  it('OPS-65 a live session has a trace with what its recognizer did', async () => {
    const { server } = await start(collector.url);
    const user = await server.createUser();
    const client = await begin(server, { api_key: await liveKey(server, user) });
    client.socket.send(Buffer.alloc(3200));
    client.socket.send('');
    await client.closed;
    const spans = await handedOver(server);
    const session = spans.find(({ name }) => name === 'live session');
    const stream = spans.find(({ name }) => name === 'recognize stream');
    expect(stream).toMatchObject({ traceId: session?.traceId, parentSpanId: session?.spanId });
  });

  it('OPS-66 spans are named by patterns, and tell of no tenant, no person, no text and no secret', async () => {
    const { server } = await start(collector.url);
    await transcribed(server, { traceparent: 'nonsense-s3cret' });
    await fetch(`${server.url}/v1/files/${randomUUID()}?token=s3cret`, { headers: { authorization: 'Bearer s3cret' } });
    const spans = await handedOver(server);
    const names = spans.map(({ name }) => name);
    expect(names.filter((name) => /[\da-f]{8}-|\?/.test(name))).toEqual([]);
    expect(new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)))).toEqual(
      new Set([
        'parlance.request_id',
        'http.request.method',
        'http.route',
        'http.response.status_code',
        'job.kind',
        'job.attempts',
        'job.outcome',
      ]),
    );
    expect(JSON.stringify(collector.seen.map(({ body }) => body))).not.toContain('s3cret');
  });

  it('OPS-66 one that refuses hurts no request, and is logged once', async () => {
    answer = 400;
    const { server, lines } = await start(collector.url);
    const told = (): unknown[] => lines.filter(({ msg }) => String(msg).startsWith('traces are not taken'));
    for (const times of [1, 2]) {
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await eventually(() => expect(collector.seen.length).toBeGreaterThanOrEqual(times));
    }
    await handedOver(server);
    expect(told()).toHaveLength(1);
  });
});

it('OPS-66 a collector that is down keeps neither requests nor the end of the server waiting', async () => {
  const { server, lines } = await start('http://127.0.0.1:1');
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  open.splice(open.indexOf(server), 1);
  const began = performance.now();
  await server.close();
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(1);
});

it('OPS-66 without a collector nothing is traced: no trace is begun, and none of a caller is taken', async () => {
  const { server, lines } = await start(undefined);
  expect(server.services.tracer.isOn).toBe(false);
  await transcribed(server, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
  expect(JSON.stringify(lines)).not.toContain('trace_id');
  const jobs = await server.services.db.selectFrom('jobs').select('traceparent').execute();
  expect(jobs.every(({ traceparent }) => traceparent === null)).toBe(true);
});
