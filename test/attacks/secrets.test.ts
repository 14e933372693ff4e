/** Secrets in the database: none can be read by who has only that. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Transcription, WEBHOOK_VALUE_MASK } from '#contract/transcriptions.ts';
import { sealerFor, Unreadable } from '#server/platform/sealed.ts';
import { loadSecret } from '#server/platform/secrets.ts';
import { keepAttempt, takeAttempt } from '#server/identity/sso/attempts.ts';
import { sealPlainSecrets } from '#server/speech-api/transcriptions/webhook-secret.ts';
import type { TestUser } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { keptLog } from '../server/log-lines.ts';
import { call, startSpeechServer, uploaded, type SpeechServer } from '../server/speech-api/harness.ts';
import { onLoopback, startOther, type OtherServer } from '../server/outgoing-servers.ts';

const SECRET = 'Bearer s3cret-of-the-client';
const { lines, log } = keptLog();
let status = 204;
let server: SpeechServer;
let hooks: OtherServer;
let user: TestUser;
beforeAll(async () => {
  hooks = await startOther((_seen, response) => response.writeHead(status).end());
  server = await startSpeechServer({ outgoing: { allow: onLoopback }, server: { overrides: { log } } });
});
afterAll(async () => {
  await server.close();
  await hooks.close();
});
beforeEach(async () => {
  status = 204;
  hooks.seen.length = 0;
  lines.length = 0;
  user = await server.createUser();
});

const create = async (extra: object = {}): Promise<Transcription> => {
  const { id } = await uploaded(server, user);
  const response = await call(server, user, 'POST', '/transcriptions', {
    model: 'stt-async-v5',
    file_id: id,
    webhook_url: hooks.url,
    webhook_auth_header_name: 'X-Key',
    webhook_auth_header_value: SECRET,
    ...extra,
  });
  expect(response.status).toBe(201);
  return v.parse(Transcription, await response.json());
};
const columns = (id: string) =>
  server.services.db
    .selectFrom('transcriptions')
    .select(['webhook_auth_header_value', 'webhook_auth_sealed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const settled = (id: string): Promise<void> =>
  eventually(async () => {
    expect(await server.services.db.selectFrom('jobs').select('kind').where('subject', '=', id).execute()).toEqual([]);
  });
const NOTHING = { webhook_auth_header_value: null, webhook_auth_sealed: null };

describe("what a webhook's header says", () => {
  it('SEC-12: is sealed while it is needed, and forgotten once it was sent; that there was one is still told', async () => {
    status = 503;
    const made = await create();
    const { webhook_auth_header_value, webhook_auth_sealed } = await columns(made.id);
    expect([webhook_auth_header_value, webhook_auth_sealed?.slice(0, 3)]).toEqual([null, 'v1.']);
    expect(webhook_auth_sealed).not.toContain(Buffer.from(SECRET).toString('base64url').slice(0, 12));
    status = 204;
    await settled(made.id);
    expect(hooks.seen.at(-1)?.headers['x-key']).toBe(SECRET);
    expect(await columns(made.id)).toEqual(NOTHING);
    expect(await (await call(server, user, 'GET', `/transcriptions/${made.id}`)).json()).toMatchObject({
      webhook_auth_header_name: 'X-Key',
      webhook_auth_header_value: WEBHOOK_VALUE_MASK,
    });
  });

  it('SEC-12: is forgotten also where the webhook was dropped, and never kept where there is none', async () => {
    status = 500;
    const dropped = await create();
    await settled(dropped.id);
    expect(await columns(dropped.id)).toEqual(NOTHING);
    const without = await create({ webhook_url: null });
    expect(without).toMatchObject({ webhook_auth_header_value: WEBHOOK_VALUE_MASK });
    expect(await columns(without.id)).toEqual(NOTHING);
  });

  it('SEC-12: from an earlier version is sealed at the start, and dropped where it is not needed any more', async () => {
    const { db } = server.services;
    const done = await create();
    await settled(done.id);
    const waits = randomUUID();
    await db
      .insertInto('transcriptions')
      .values({
        id: waits,
        project_id: user.projectId,
        status: 'queued',
        model: 'stt-async-v5',
        filename: 'a.wav',
        enable_speaker_diarization: false,
        enable_language_identification: false,
        origin: 'playground',
        created_at: new Date(),
        webhook_url: hooks.url,
        webhook_auth_header_name: 'X-Key',
        webhook_auth_header_value: SECRET,
      })
      .execute();
    await db
      .updateTable('transcriptions')
      .set({ webhook_auth_header_value: SECRET })
      .where('id', '=', done.id)
      .execute();
    await sealPlainSecrets(db, server.speech.webhookSealer);
    expect(await columns(done.id)).toEqual(NOTHING);
    const sealed = await columns(waits);
    expect(sealed.webhook_auth_header_value).toBe(null);
    expect(server.speech.webhookSealer.open(sealed.webhook_auth_sealed ?? '', waits)).toBe(SECRET);
  });

  it('SEC-12: sealed with another SECRET_KEY: this one webhook fails, with a clear line in the log', async () => {
    status = 503;
    const made = await create();
    const other = sealerFor(
      loadSecret({ secretKey: 'another secret key, as long as it has to be', dataDir: '' }),
      'headers of webhooks',
    );
    await server.services.db
      .updateTable('transcriptions')
      .set({ webhook_auth_sealed: other.seal(SECRET, made.id) })
      .where('id', '=', made.id)
      .execute();
    await settled(made.id);
    expect(lines.filter(({ msg }) => String(msg).includes('cannot be read'))).toEqual([
      expect.objectContaining({
        level: 50,
        err: expect.objectContaining({ message: 'It was sealed with another SECRET_KEY than the one of now.' }),
      }),
    ]);
    expect(await (await call(server, user, 'GET', `/transcriptions/${made.id}`)).json()).toMatchObject({
      status: 'completed',
    });
    expect(await columns(made.id)).toEqual(NOTHING);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    status = 204;
    const next = await create();
    await settled(next.id);
    expect(hooks.seen.at(-1)?.headers['x-key']).toBe(SECRET);
  });
});

describe('other secrets', () => {
  it('SEC-12: the verifier of a single sign-on under way is sealed, too', async () => {
    const [state, browser] = [randomUUID(), randomUUID()];
    await keepAttempt(server.services, browser, { state, nonce: 'n', codeVerifier: 'verifier-in-plain' }, undefined);
    expect(JSON.stringify(await server.services.db.selectFrom('sso_attempts').selectAll().execute())).not.toContain(
      'verifier-in-plain',
    );
    expect(await takeAttempt(server.services, browser, [state])).toMatchObject({
      proofs: { codeVerifier: 'verifier-in-plain', nonce: 'n', state },
    });
  });

  it('SEC-12: a sealed text opens in its own row only, unchanged, and never twice the same', () => {
    const sealer = server.speech.webhookSealer;
    const sealed = sealer.seal(SECRET, 'row');
    expect(sealer.open(sealed, 'row')).toBe(SECRET);
    expect(sealer.open(sealer.seal('', 'row'), 'row')).toBe('');
    expect(sealer.seal(SECRET, 'row')).not.toBe(sealed);
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    for (const open of [
      () => sealer.open(sealed, 'another row'),
      () => sealer.open(changed, 'row'),
      () => sealer.open(SECRET, 'row'),
      () => sealer.open('', 'row'),
    ])
      expect(open).toThrow(Unreadable);
    expect(() => sealerFor(server.services.secretFor, 'another purpose').open(sealed, 'row')).toThrow(
      'another SECRET_KEY',
    );
  });
});
