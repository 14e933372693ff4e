import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyCreated, ApiKeys, type ApiKey } from '#contract/api-keys.ts';
import type { TestUser } from '../harness.ts';
import { refusalOf, startSpeechServer, type SpeechServer } from '../speech-api/harness.ts';
import { addProject } from '../people.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const keysOf = (projectId: string): string => `/api/v2/projects/${projectId}/api-keys/`;
const make = (body: object, by = user): Promise<Response> => server.call(by, 'POST', keysOf(by.projectId), body);
const made = async (body: object = { name: 'CI' }): Promise<ApiKeyCreated> => {
  const answer = await make(body);
  expect(answer.status).toBe(201);
  return v.parse(ApiKeyCreated, await answer.json());
};
const list = async (): Promise<ApiKey[]> =>
  v.parse(ApiKeys, await (await server.call(user, 'GET', keysOf(user.projectId))).json()).api_keys;
const revoke = (uuid: string): Promise<Response> => server.call(user, 'DELETE', `${keysOf(user.projectId)}${uuid}/`);
/** The status of a speech call with this key. */
const status = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/v1/files`, { headers: { authorization: `Bearer ${key}` } })).status;
const row = (uuid: string) =>
  server.services.db.selectFrom('api_keys').selectAll().where('id', '=', uuid).executeTakeFirstOrThrow();

describe('making a key', () => {
  it('PRJ-03: answers with the key once; lists show it masked', async () => {
    const answer = await make({ name: '  Nightly batch ' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { key, api_key } = v.parse(ApiKeyCreated, await answer.json());
    expect(api_key).toMatchObject({
      name: 'Nightly batch',
      created_by: user.email,
      last_used_at: null,
      expires_at: null,
    });
    expect(api_key.masked_key).toBe(`${key.slice(0, 8)}…${key.slice(-4)}`);
    expect(await list()).toEqual([api_key]);
  });

  it('PRJ-03: only the hash of a key is stored', async () => {
    const { key, api_key } = await made();
    const stored = await row(api_key.uuid);
    expect(stored.key_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(stored)).not.toContain(key.slice(8, -4));
  });

  it('a key fits into a subprotocol and never looks like a temporary one', async () => {
    const { key } = await made();
    expect(key).toMatch(/^prl_[0-9a-f]{48}$/);
    expect((await made()).key).not.toBe(key);
  });

  it.each([
    [{}, 'name', 'Field required'],
    [{ name: '  ' }, 'name', "Name can't be empty."],
    [{ name: 'x'.repeat(101) }, 'name', 'Name must be at most 100 characters.'],
    [{ name: 'CI', expires_at: 'tomorrow' }, 'expires_at', expect.any(String)],
    [
      { name: 'CI', expires_at: '2099-01-01T00:00:00+02' },
      'expires_at',
      'Must be a time such as 2026-04-28T09:00:00Z.',
    ],
    [{ name: 'CI', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'The expiry must be in the future.'],
  ])('refuses %j', async (body, field, message) => {
    const answer = await make(body);
    expect(answer.status).toBe(400);
    expect((await refusalOf(answer)).validation_errors).toEqual([
      expect.objectContaining({ location: `body.${field}`, message }),
    ]);
  });

  it('takes names of 1 and of 100 characters, and a null expiry', async () => {
    expect((await make({ name: 'x', expires_at: null })).status).toBe(201);
    expect((await make({ name: 'x'.repeat(100) })).status).toBe(201);
  });
});

describe('the list', () => {
  it('PRJ-03: newest first, also within one instant', async () => {
    for (const name of ['one', 'two', 'three']) await made({ name });
    expect((await list()).map(({ name }) => name)).toEqual(['three', 'two', 'one']);
  });

  it('PRJ-03: shows when a key was last used', async () => {
    const { key, api_key } = await made();
    await status(key);
    const [listed] = await list();
    expect(Math.abs(Date.parse(listed?.last_used_at ?? '') - Date.parse(api_key.created_at))).toBeLessThan(10_000);
  });

  it('writes the last use at most once a minute', async () => {
    const { key, api_key } = await made();
    const used = async (): Promise<number> => {
      expect(await status(key)).toBe(200);
      return (await row(api_key.uuid)).last_used_at?.getTime() ?? 0;
    };
    const first = await used();
    server.advance(59_000);
    expect(await used()).toBe(first);
    server.advance(2000);
    expect(await used()).toBeGreaterThanOrEqual(first + 60_000);
    server.advance(-61_000);
  });

  it('names no maker whose account is gone', async () => {
    const { api_key } = await made();
    await server.services.db.updateTable('api_keys').set({ created_by: null }).where('id', '=', api_key.uuid).execute();
    expect((await list())[0]?.created_by).toBeNull();
  });
});

describe('the end of a key', () => {
  it('PRJ-03: a revoked key is refused at once and leaves the list; its row stays, for what was used with it', async () => {
    const { key, api_key } = await made();
    expect(await status(key)).toBe(200);
    const answer = await revoke(api_key.uuid);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await status(key)).toBe(401);
    expect(await list()).toEqual([]);
    expect((await row(api_key.uuid)).revoked_at).toBeInstanceOf(Date);
  });

  it('an expired key is refused at once, and is still listed', async () => {
    const { key } = await made({ name: 'short', expires_at: new Date(Date.now() + 60_000).toISOString() });
    expect(await status(key)).toBe(200);
    server.advance(61_000);
    expect(await status(key)).toBe(401);
    expect(await list()).toHaveLength(1);
    server.advance(-61_000);
  });

  it.each([
    ['one that was revoked', null],
    ['one that does not exist', randomUUID()],
    ['no id at all', 'x'],
  ])('revoking %s → 404', async (_name, id) => {
    const { api_key } = await made();
    if (id === null) await revoke(api_key.uuid);
    const answer = await revoke(id ?? api_key.uuid);
    expect([answer.status, (await refusalOf(answer)).message]).toEqual([404, 'API key not found.']);
  });

  it('a key of another own project is not revoked by mistake', async () => {
    const { key, api_key } = await made();
    const other = await addProject(server, user, 'Other');
    expect((await server.call(user, 'DELETE', `${keysOf(other)}${api_key.uuid}/`)).status).toBe(404);
    expect(await status(key)).toBe(200);
  });
});
