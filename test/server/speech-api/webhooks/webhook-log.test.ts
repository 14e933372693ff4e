/** What is known of webhooks afterwards, what they are signed with, and races about both. */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  ShownSecret,
  SigningSecret,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDetails,
  WEBHOOK_TRIES,
} from '#contract/webhooks.ts';
import { CHECK_IN_SHELL } from '#server/http/openapi/reference/guide.ts';
import { claim, Hold } from '#server/platform/jobs/queue.ts';
import { createLog } from '#server/platform/log.ts';
import { publicAddress, sweepDeliveries } from '#server/speech-api/webhooks/deliveries.ts';
import { webhookBackoff } from '#server/speech-api/webhooks/pace.ts';
import { WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { auditOf, colleague, outcomeOf, projectOf } from '../../people.ts';
import { eventually } from '../../eventually.ts';
import { follow } from '../../events-reader.ts';
import { startOther, type Seen } from '../../outgoing-servers.ts';
import { webhookFixture } from './webhook-fixture.ts';

const HOUR_MS = 3600_000;
const HEADER = 'Bearer s3cret-of-the-client';
let lines = '';
const log = createLog('debug', { write: (line) => (lines += line) });
const hook = webhookFixture({ overrides: { log } });

const path = (rest = ''): string => `${projectOf(hook.user)}webhooks/${rest}`;
async function read<const S extends v.GenericSchema>(schema: S, rest = ''): Promise<v.InferOutput<S>> {
  return v.parse(schema, await (await hook.server.call(hook.user, 'GET', path(rest))).json());
}
const post = (rest: string, by = hook.user): Promise<Response> => hook.server.call(by, 'POST', path(rest));
async function shown(rest: 'secret/show/' | 'secret/roll/'): Promise<ShownSecret> {
  const response = await post(rest);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return v.parse(ShownSecret, await response.json());
}
const create = async (webhook_url = `${hook.hooks.url}/hook?token=in-the-query`): Promise<string> => {
  const header = { webhook_auth_header_name: 'X-Key', webhook_auth_header_value: HEADER };
  return (await hook.create({ webhook_url, ...header })).id;
};
/** How it ended. */
const ended = (id: string): Promise<WebhookDetails> =>
  eventually(async () => {
    const details = await read(WebhookDetails, `${id}/`);
    expect(details.delivery.state).not.toBe('waiting');
    return details;
  });
/** By the recipe of Standard Webhooks. */
const signatureBy = (secret: string, { headers, body }: Seen): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`)
    .digest('base64')}`;
const signatures = (seen: Seen | undefined): string[] => String(seen?.headers['webhook-signature']).split(' ');

describe('the pace', () => {
  it('WHK-01 has bounds: never less than its rule, never a quarter more, never beyond ten hours', () => {
    for (let tries = 1; tries < WEBHOOK_TRIES; tries += 1) {
      const least = webhookBackoff(tries, () => 0);
      expect(least).toBe(Math.min(8 * HOUR_MS, 10_000 * 6 ** (tries - 1)));
      expect(webhookBackoff(tries, () => 1)).toBe(1.25 * least);
    }
    expect(webhookBackoff(1000, () => 1)).toBe(10 * HOUR_MS);
  });
});

describe('signatures', () => {
  it('WHK-02 WHK-03 webhooks are signed before the secret is shown, once; the log omits query and credentials', async () => {
    expect(await read(SigningSecret, 'secret/')).toEqual({ created_at: null, was_shown: false, old_until: null });
    const id = await create();
    const { delivery } = await ended(id);
    expect(delivery.address).toBe(`${hook.hooks.url}/hook`);
    expect(publicAddress('https://name:word@example.com:8443/a?b=c#d')).toBe('https://example.com:8443/a');
    expect(await read(SigningSecret, 'secret/')).toMatchObject({ was_shown: false, created_at: expect.any(String) });
    const { secret, signing_secret } = await shown('secret/show/');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(signing_secret.was_shown).toBe(true);
    const [seen] = hook.hooks.seen;
    expect(seen?.headers).toMatchObject({ 'webhook-id': id, 'x-key': HEADER });
    expect(Math.abs(Number(seen?.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    expect(signatures(seen)).toEqual([signatureBy(secret, seen!)]);
    expect(await outcomeOf(await post('secret/show/'))).toBe('409 secret_shown');
  });

  it('WHK-11 the other pages of the project hear that the secret was shown, and that it was rolled', async () => {
    const page = await follow(hook.server, hook.user);
    await shown('secret/show/');
    await page.count(2);
    await shown('secret/roll/');
    await page.count(3);
    const told = { type: 'webhook.changed', project_uuid: hook.user.projectId };
    expect(page.events.slice(1)).toEqual([told, told]);
    await page.leave();
  });

  it('WHK-02 each try has the same id, a time of its own and a signature of that', async () => {
    const { secret } = await shown('secret/show/');
    hook.answerWith(503, 503, 200);
    const id = await create();
    const { tries, delivery } = await ended(id);
    expect((await hook.settled(id)).webhook_status_code).toBe(200);
    expect(hook.hooks.seen.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
    for (const seen of hook.hooks.seen) expect(signatures(seen)).toEqual([signatureBy(secret, seen)]);
    expect(delivery).toMatchObject({
      state: 'delivered',
      tries: 3,
      status_code: 200,
      failure: null,
      next_try_at: null,
    });
    expect(tries.map(({ status_code, failure }) => [status_code, failure])).toEqual([
      [200, null],
      [503, 'status'],
      [503, 'status'],
    ]);
    for (const { duration_ms } of tries) expect(duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('WHK-03 after a roll both sign for a day, then the new one alone; a roll during a try leaves that try as it was', async () => {
    const { secret: old } = await shown('secret/show/');
    const held = hook.hold();
    const id = await create();
    const first = await held();
    const { secret: fresh, signing_secret } = await shown('secret/roll/');
    expect(fresh).not.toBe(old);
    expect(Date.parse(signing_secret.old_until ?? '') - hook.server.services.clock().getTime()).toBeGreaterThan(
      23 * HOUR_MS,
    );
    hook.answerWith(200);
    first.writeHead(500).end();
    await ended(id);
    const [before, after] = hook.hooks.seen;
    expect(signatures(before)).toEqual([signatureBy(old, before!)]);
    expect(signatures(after)).toEqual([signatureBy(fresh, after!), signatureBy(old, after!)]);
    await hook.server.services.db
      .updateTable('webhook_secrets')
      .set({ expires_at: new Date(hook.server.services.clock().getTime() - 1) })
      .where('expires_at', 'is not', null)
      .execute();
    await ended(await create());
    expect(signatures(hook.hooks.seen.at(-1))).toEqual([signatureBy(fresh, hook.hooks.seen.at(-1)!)]);
    expect((await read(SigningSecret, 'secret/')).old_until).toBeNull();
  });

  it('WHK-03 of several at once one shows it; rolls stop at four that sign, and nothing stored or logged has them', async () => {
    const outcomes = await Promise.all([post('secret/show/'), post('secret/show/'), post('secret/show/')]);
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const secrets: string[] = [];
    for (let n = 0; n < 3; n += 1) secrets.push((await shown('secret/roll/')).secret);
    expect(await outcomeOf(await post('secret/roll/'))).toBe('429 limit_exceeded');
    await ended(await create());
    expect(signatures(hook.hooks.seen[0])).toHaveLength(4);
    const stored = JSON.stringify([
      await hook.server.services.db.selectFrom('webhook_secrets').selectAll().execute(),
      await hook.server.services.db.selectFrom('webhook_deliveries').selectAll().execute(),
      await auditOf(hook.server, hook.user),
    ]);
    for (const secret of secrets) expect(stored + lines).not.toContain(secret.slice('whsec_'.length));
    expect(stored + lines).not.toMatch(/s3cret-of-the-client|in-the-query/);
  });
});

describe('what the reference tells', () => {
  it('WHK-02 DOC-01 its check takes what is signed, by the new and by the old secret, and nothing that was changed', async () => {
    const { secret: old } = await shown('secret/show/');
    const { secret: fresh } = await shown('secret/roll/');
    await ended(await create());
    const [seen] = hook.hooks.seen;
    const checked = (WEBHOOK_SECRET: string, BODY = seen?.body): number | null =>
      spawnSync('sh', ['-c', CHECK_IN_SHELL], {
        env: {
          PATH: process.env['PATH'],
          WEBHOOK_SECRET,
          BODY,
          WEBHOOK_ID: String(seen?.headers['webhook-id']),
          WEBHOOK_TIMESTAMP: String(seen?.headers['webhook-timestamp']),
          WEBHOOK_SIGNATURE: String(seen?.headers['webhook-signature']),
        },
      }).status;
    expect([checked(old), checked(fresh)]).toEqual([0, 0]);
    expect([checked(fresh, `${seen?.body} `), checked(`whsec_${'A'.repeat(43)}=`)]).toEqual([1, 1]);
  });
});

describe('the log', () => {
  it('WHK-04 WHK-07 pages of a state, newest first, and why each failed', async () => {
    const dead = await startOther(() => {});
    await dead.close();
    const ids: string[] = [];
    for (const url of [hook.hooks.url, 'http://one.internal/', 'http://two.internal/', dead.url, hook.hooks.url]) {
      ids.unshift(await create(url));
      await ended(ids[0]!);
    }
    const all = await read(WebhookDeliveries);
    expect(all.deliveries.map(({ transcription_id }) => transcription_id)).toEqual(ids);
    expect((await read(WebhookDeliveries, '?state=failed')).deliveries).toMatchObject([
      { transcription_id: ids[1], failure: 'unreachable', status_code: null, tries: WEBHOOK_TRIES },
      { transcription_id: ids[2], failure: 'not_allowed', status_code: null, tries: 1 },
      { transcription_id: ids[3], failure: 'not_allowed', status_code: null, tries: 1 },
    ]);
    for (const id of ids) expect((await hook.settled(id)).status).toBe('completed');
    const first = await read(WebhookDeliveries, '?state=delivered&limit=1');
    const second = await read(WebhookDeliveries, `?state=delivered&limit=1&cursor=${first.next_page_cursor}`);
    expect([first, second].map(({ deliveries }) => deliveries[0]?.transcription_id)).toEqual([ids[0], ids[4]]);
    expect(second.next_page_cursor).toBeNull();
  });

  it('WHK-04 is kept for 14 days after the last try, what waits for longer', async () => {
    const { db, clock } = hook.server.services;
    const id = await create();
    await ended(id);
    const changed = async (days: number, state: 'delivered' | 'waiting'): Promise<void> => {
      const changed_at = new Date(clock().getTime() - days * 24 * HOUR_MS);
      await db
        .updateTable('webhook_deliveries')
        .set({ changed_at, state })
        .where('transcription_id', '=', id)
        .execute();
      await sweepDeliveries(db, clock());
    };
    await changed(13, 'delivered');
    expect((await read(WebhookDeliveries)).deliveries).toHaveLength(1);
    // One that waits for nothing: a server of an earlier version has sent it.
    await changed(13, 'waiting');
    expect((await read(WebhookDeliveries)).deliveries[0]).toMatchObject({ state: 'delivered', status_code: 204 });
    await changed(15, 'delivered');
    expect((await read(WebhookDeliveries)).deliveries).toEqual([]);
    expect(await db.selectFrom('webhook_tries').select('run').where('transcription_id', '=', id).execute()).toEqual([]);
  });
});

describe('WHK-05: two workers, and a process that is killed', () => {
  /** Takes the job over as if its worker had fallen silent; nobody else sees it in between. */
  const takeOver = async (id: string) => {
    const { db, clock } = hook.server.services;
    const job = await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('jobs')
        .set({ lease_until: new Date(0) })
        .where('subject', '=', id)
        .execute();
      const claimant = { kinds: [WEBHOOK], worker: 'another', now: clock(), leaseMs: 30_000 };
      return claim(trx, { ...claimant, interruptionsApart: 'all' });
    });
    if (job?.subject !== id) throw new Error('Another job was claimed.');
    return new Hold(job, 'another');
  };

  it('what a worker hears that has lost its job is not recorded; the next try has the same id', async () => {
    const held = hook.hold();
    const id = await create();
    const first = await held();
    const other = await takeOver(id);
    first.writeHead(200).end();
    hook.answerWith(202);
    await other.giveBack(hook.server.services.db, hook.server.services.clock());
    const { delivery, tries } = await ended(id);
    expect(delivery).toMatchObject({ state: 'delivered', status_code: 202, tries: 2 });
    expect(tries.map(({ status_code, failure }) => [status_code, failure])).toEqual([
      [202, null],
      [null, 'interrupted'],
    ]);
    expect(hook.hooks.seen.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  });
});

describe('sending again', () => {
  it('WHK-06 what succeeded and what failed, with the same id and header, once for several at once', async () => {
    hook.answerWith(500);
    const id = await create();
    expect((await ended(id)).delivery).toMatchObject({ state: 'failed', failure: 'status', tries: WEBHOOK_TRIES });
    expect(await hook.settled(id)).toMatchObject({ status: 'completed', webhook_status_code: 500 });
    expect(hook.hooks.seen).toHaveLength(WEBHOOK_TRIES);
    const held = hook.hold();
    hook.hooks.seen.length = 0;
    const answers = await Promise.all([1, 2, 3].map(() => post(`${id}/send-again/`)));
    expect((await Promise.all(answers.map(outcomeOf))).sort()).toEqual([
      '200',
      '409 webhook_waiting',
      '409 webhook_waiting',
    ]);
    const sent = await held();
    hook.answerWith(200);
    sent.writeHead(200).end();
    expect((await ended(id)).delivery).toMatchObject({
      state: 'delivered',
      status_code: 200,
      tries: WEBHOOK_TRIES + 1,
    });
    expect((await hook.remove(id)).status).toBe(204);
    const again = v.parse(WebhookDelivery, await (await post(`${id}/send-again/`)).json());
    expect(again).toMatchObject({ state: 'waiting', can_be_sent_again: false });
    await ended(id);
    expect(hook.hooks.seen).toHaveLength(2);
    for (const { headers, path: asked, body } of hook.hooks.seen) {
      expect(headers).toMatchObject({ 'webhook-id': id, 'x-key': HEADER });
      expect(asked).toBe('/hook?token=in-the-query');
      expect(JSON.parse(body)).toEqual({ id, status: 'completed' });
    }
  });

  it('WHK-07 is for who may change the settings, as is the secret; others of the project read', async () => {
    const id = await create();
    await ended(id);
    const member = await colleague(hook.server, hook.user, 'member');
    for (const rest of ['', 'secret/', `${id}/`])
      expect((await hook.server.call(member, 'GET', path(rest))).status).toBe(200);
    for (const rest of ['secret/show/', 'secret/roll/', `${id}/send-again/`])
      expect(await outcomeOf(await post(rest, member))).toBe('403 permission_denied');
  });
});
