/** Webhooks: what is told to whom, and what costs only its own delivery. */
import { describe, expect, it } from 'vitest';
import { WEBHOOK_TRIES } from '#contract/webhooks.ts';
import { WEBHOOK_VALUE_MASK } from '#contract/transcriptions.ts';
import type { JobHandler } from '#server/platform/jobs/worker.ts';
import { createLog } from '#server/platform/log.ts';
import { createOutgoing } from '#server/platform/outgoing/client.ts';
import { WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { webhookHandler } from '#server/speech-api/transcriptions/webhook.ts';
import { EngineError } from '#server/engine/port.ts';
import { onLoopback } from '../../outgoing-servers.ts';
import { eventually } from '../../eventually.ts';
import { runningJob } from '../../running-job.ts';
import { refusalOf } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';
import { webhookFixture } from './webhook-fixture.ts';

const hook = webhookFixture();
const bodies = (): unknown[] => hook.hooks.seen.map(({ body }) => JSON.parse(body));

describe('delivery', () => {
  it('DAT-08 is not given up because the server was killed in the middle of it, however often', async () => {
    const { id } = await hook.create();
    await hook.settled(id);
    const now = new Date();
    await hook.server.services.db
      .insertInto('jobs')
      .values({
        kind: WEBHOOK,
        subject: id,
        state: 'running',
        worker: 'killed',
        attempts: WEBHOOK_TRIES,
        runs: WEBHOOK_TRIES,
        run_at: now,
        lease_until: new Date(now.getTime() - 1000),
        created_at: now,
      })
      .execute();
    await eventually(() => expect(hook.hooks.seen).toHaveLength(2));
    await hook.settled(id);
  });

  it('a completed transcription is told by POST with id and status, the header, and the query as it was given', async () => {
    const asked = { webhook_url: `${hook.hooks.url}/hook?tenant=a%20b&x=1`, webhook_auth_header_name: 'X-Signature' };
    const made = await hook.create({ ...asked, webhook_auth_header_value: 'Bearer s3cret' });
    const told = { ...asked, webhook_auth_header_value: '******************' };
    expect(WEBHOOK_VALUE_MASK).toBe(told.webhook_auth_header_value);
    expect(made).toMatchObject({ ...told, webhook_status_code: null });
    expect(await hook.settled(made.id)).toMatchObject({ ...told, status: 'completed', webhook_status_code: 204 });
    expect(hook.hooks.seen).toMatchObject([
      {
        method: 'POST',
        path: '/hook?tenant=a%20b&x=1',
        headers: {
          'content-type': 'application/json',
          'x-signature': 'Bearer s3cret',
          host: `127.0.0.1:${hook.hooks.port}`,
        },
      },
    ]);
    expect(bodies()).toEqual([{ id: made.id, status: 'completed' }]);
  });

  it.each([
    ['one that failed', 'invalid_audio', { decoding: () => new EngineError('invalid_audio', 'The file is damaged.') }],
    [
      'one whose engine is given up',
      'engine_failed',
      { transcribe: () => Promise.reject(new EngineError('worker_crashed', 'x')) },
    ],
  ])('%s is told as error', async (_what, error_type, broken) => {
    Object.assign(hook, broken);
    const { id } = await hook.create();
    expect(await hook.settled(id)).toMatchObject({ status: 'error', error_type, webhook_status_code: 204 });
    expect(bodies()).toEqual([{ id, status: 'error' }]);
  });

  it('without an address nobody is told, and the answer says null', async () => {
    const nowhere = { webhook_url: null, webhook_auth_header_name: null, webhook_auth_header_value: null };
    const { id } = await hook.create(nowhere);
    expect(await hook.settled(id)).toMatchObject({ ...nowhere, status: 'completed', webhook_status_code: null });
    expect(hook.hooks.seen).toEqual([]);
  });

  it('a redirect is not followed', async () => {
    hook.answer = (response) => response.writeHead(307, { location: `${hook.hooks.url}/elsewhere` }).end();
    const { id } = await hook.create();
    expect(await hook.settled(id)).toMatchObject({ webhook_status_code: 307 });
    expect(new Set(hook.hooks.seen.map(({ path }) => path))).toEqual(new Set(['/hook']));
  });

  it('an answer without end is not read to the end', async () => {
    const left = deferred();
    hook.answer = (response) => {
      response.on('close', left.resolve);
      const pour = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.writeHead(200).on('drain', pour);
      pour();
    };
    const { id } = await hook.create();
    expect(await hook.settled(id)).toMatchObject({ webhook_status_code: 200 });
    await left.promise;
    expect(hook.hooks.seen).toHaveLength(1);
  });

  it('a transcription that was deleted meanwhile is not told', async () => {
    const held = hook.hold();
    const { id } = await hook.create();
    const response = await held();
    expect((await hook.remove(id)).status).toBe(204);
    response.writeHead(500).end();
    expect(await hook.jobsOf(id)).toEqual([]);
  });

  it('others go on while a server does not answer', async () => {
    const held = hook.hold();
    const stuck = await hook.create();
    const silent = await held();
    hook.answerWith(200);
    const next = await hook.create();
    expect(await hook.settled(next.id)).toMatchObject({ status: 'completed', webhook_status_code: 200 });
    expect(await hook.jobsOf(stuck.id)).toEqual([{ kind: WEBHOOK, state: 'running' }]);
    silent.writeHead(200).end();
    await hook.settled(stuck.id);
  });

  it('a server that takes too long is left after the time limit', async () => {
    const { id } = await hook.create({});
    await hook.settled(id);
    await hook.server.services.db
      .updateTable('transcriptions')
      .set({ webhook_url: hook.hooks.url })
      .where('id', '=', id)
      .execute();
    const left = deferred();
    hook.answer = (response) => response.on('close', left.resolve);
    const limitedTo = (timeLimitMs: number): JobHandler =>
      webhookHandler({
        ...hook.server.speech,
        outgoing: createOutgoing({ allow: onLoopback }),
        log: createLog('silent'),
        timeLimitMs,
      });
    const job = runningJob({ kind: WEBHOOK, subject: id });
    await expect(limitedTo(500).run(job)).rejects.toThrow('aborted');
    await left.promise;
    let completed = false;
    await limitedTo(1).run({
      ...job,
      attempts: WEBHOOK_TRIES,
      complete: () => Promise.resolve(void (completed = true)),
    });
    expect(completed).toBe(true);
  });
});

describe('what is refused', () => {
  const header = (name?: string, value?: string) => ({
    webhook_auth_header_name: name,
    webhook_auth_header_value: value,
  });
  it.each([
    ['a name without a value', header('X-Key'), 'webhook_auth_header_value', 'missing'],
    ['a value without a name', header(undefined, 'v'), 'webhook_auth_header_name', 'missing'],
    ['a name that is none', header('X Key:', 'v'), 'webhook_auth_header_name', 'regex'],
    ['a header of the request itself', header('Host', 'v'), 'webhook_auth_header_name', 'invalid'],
    ['a value with a line break', header('X-Key', 'a\r\nb: c'), 'webhook_auth_header_value', 'regex'],
    ['a long name', header('x'.repeat(257), 'v'), 'webhook_auth_header_name', 'max_length'],
    ['a long value', header('X-Key', 'x'.repeat(257)), 'webhook_auth_header_value', 'max_length'],
    ['a long address', { webhook_url: `https://example.com/${'x'.repeat(240)}` }, 'webhook_url', 'max_length'],
    ['another kind of address', { webhook_url: 'ftp://example.com/' }, 'webhook_url', 'regex'],
    ['an address without a host', { webhook_url: 'http://?' }, 'webhook_url', 'invalid'],
    ['SEC-14: a private address', { webhook_url: 'http://10.0.0.1/hook' }, 'webhook_url', 'invalid'],
    ['SEC-14: another loopback address', { webhook_url: 'http://[::ffff:127.0.0.2]/' }, 'webhook_url', 'invalid'],
  ])('%s', async (_name, extra, field, error_type) => {
    const response = await hook.ask({ webhook_url: hook.hooks.url, ...extra });
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: `body.payload.${field}`, error_type }],
    });
  });
});
