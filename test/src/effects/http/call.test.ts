import { describe, expect, it } from 'vitest';
import { downloadBillingReport } from '#contract/api/billing.ts';
import { listMembers, removeMember, updateMember } from '#contract/api/members.ts';
import { readUser } from '#contract/api/user.ts';
import { answeringServer } from '../../answering-server.ts';
import { apisAt } from '../../apis.ts';

/** Of a report. */
const json = { start_date: '2026-01-01', end_date: '2026-01-31', period: 'daily' as const, project_ids: [] };

async function setUp(status = 200, body: unknown = '') {
  const { origin, asked } = await answeringServer(() => ({ status, body }));
  return { asked, ...apisAt(origin) };
}

describe('a call of a row', () => {
  it('goes by the row’s method to its path, with parameters in their places', async () => {
    const { call, asked } = await setUp(204);
    await call(removeMember, { params: { organization: 'o 1', user: 'u/2' }, query: { revoke_api_keys: 'true' } });
    await call(removeMember, { params: { organization: 'o1', user: 'u2' }, query: { revoke_api_keys: undefined } });
    expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['DELETE', '/api/v2/organizations/o%201/users/u%2F2/?revoke_api_keys=true', ''],
      ['DELETE', '/api/v2/organizations/o1/users/u2/', ''],
    ]);
  });

  it('sends the body, and gives the answer of the row', async () => {
    const { call, asked } = await setUp(200, { users: [] });
    const { users } = await call(listMembers, { params: { organization: 'o1' } });
    expect(users.map(({ email }) => email)).toEqual([]);
    const params = { organization: 'o1', user: 'u2' };
    await expect(call(updateMember, { params, json: { role: 'admin' } })).rejects.toMatchObject({
      failure: { kind: 'PARSING_ERROR' },
    });
    expect(asked[1]).toMatchObject({ method: 'PUT', body: '{"role":"admin"}' });
  });

  it('fetches a file by the row’s method', async () => {
    const { download, asked } = await setUp(200, 'PK');
    const file = await download(downloadBillingReport, { params: { organization: 'o1' }, json });
    expect(await file.text()).toBe('PK');
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/api/v2/organizations/o1/billing/reports/xlsx/' });
  });

  it('has the types of the row', () => {
    const { call, download } = apisAt('https://console.example.com');
    const params = { organization: 'o1', user: 'u2' };
    const wrong = [
      // @ts-expect-error - the path has a parameter
      () => call(listMembers, {}),
      // @ts-expect-error - the path has another one, too
      () => call(updateMember, { params: { organization: 'o1' }, json: { role: 'admin' } }),
      // @ts-expect-error - the path has no such parameter
      () => call(listMembers, { params: { project: 'p1' } }),
      // @ts-expect-error - the row takes a body
      () => call(updateMember, { params }),
      // @ts-expect-error - there is no such role
      () => call(updateMember, { params, json: { role: 'queen' } }),
      // @ts-expect-error - the row takes no body
      () => call(readUser, { json: { name: 'A' } }),
      // @ts-expect-error - not even an empty one
      () => call(readUser, { json: {} }),
      // @ts-expect-error - the query says `true` or `false`
      () => call(removeMember, { params, query: { revoke_api_keys: 'yes' } }),
      // @ts-expect-error - the row answers with a file
      () => call(downloadBillingReport, { params, json }),
      // @ts-expect-error - the row answers with JSON
      () => download(listMembers, { params: { organization: 'o1' } }),
      // @ts-expect-error - a person has no age
      async () => (await call(readUser, {})).age,
    ];
    expect(wrong).toHaveLength(11);
  });
});
