/** `npm run admin` with DATABASE_URL: a program of its own, beside the servers of the database. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { writeProcess } from './process-row.ts';

let server: TestServer;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await createPostgres();
  server = await startTestServer({ overrides: { database: await openDatabase({ databaseUrl }) } });
});
afterAll(() => server.close());

const run = (url: string, ...args: string[]) => runWith([], url, ...args);
const runWith = (
  flags: readonly string[],
  url: string,
  ...args: string[]
): Promise<{ code: number | null; out: string; error: string }> =>
  new Promise((resolve, reject) => {
    const program = spawn(process.execPath, [...flags, '--import', 'tsx', 'server/app/admin/entry.ts', ...args], {
      env: { PATH: process.env['PATH'], DATABASE_URL: url, SECRET_KEY: 'k'.repeat(32), PUBLIC_URL: 'http://localhost' },
    });
    let [out, error] = ['', ''];
    program.stdout.on('data', (piece: Buffer) => (out += piece.toString('utf8')));
    program.stderr.on('data', (piece: Buffer) => (error += piece.toString('utf8')));
    program.once('error', reject).once('close', (code) => resolve({ code, out, error }));
  });

it('LIM-11: decides on the database itself, and mails whoever asked', async () => {
  const owner = await server.createUser();
  const path = `/api/v2/limits/organizations/${owner.organizationId}/increase/`;
  const wish = { limit: 'concurrent_streams', value: 50, reason: 'A conference' };
  const { uuid } = await (await server.call(owner, 'POST', path, wish)).json();
  const listed = await run(databaseUrl, 'increase', 'list', '--json');
  expect(JSON.parse(listed.out)).toEqual([expect.objectContaining({ uuid, asked_by: owner.email, state: 'pending' })]);
  expect(await run(databaseUrl, 'limits', 'grant', uuid)).toEqual({ code: 0, out: 'Granted.\n', error: '' });
  const mail = await server.services.db
    .selectFrom('outbox')
    .select(['recipient', 'body_text'])
    .orderBy('position', 'desc')
    .executeTakeFirst();
  expect(mail?.recipient).toBe(owner.email);
  expect(mail?.body_text).toContain(`http://localhost/org/${owner.organizationId}/limits/`);
}, 60_000);

it('LED-08: ends with 1 where the books are wrong, a plain line for each; with 0 where they are right', async () => {
  const { organizationId } = await server.createUser();
  const right = 'The books are right, and the rollups match their rows.\n';
  expect(await run(databaseUrl, 'books', 'check')).toEqual({ code: 0, out: right, error: '' });
  const add = (micros: number) =>
    server.services.db
      .updateTable('accounts')
      .set((eb) => ({ balance_micros: eb('balance_micros', '+', micros) }))
      .where('organization_id', '=', organizationId)
      .execute();
  await add(1_500_000);
  const line = `${organizationId} balance: 10 USD expected, 11.5 USD found\n`;
  expect(await run(databaseUrl, 'books', 'check')).toEqual({ code: 1, out: line, error: '' });
  await add(-1_500_000);
}, 60_000);

it('LIM-11: says what is wrong with the database, and fails', async () => {
  const unused = await createPostgres('template0');
  expect(
    await Promise.all([unused, 'postgresql://127.0.0.1:1/nothing'].map((url) => run(url, 'increase', 'list'))),
  ).toEqual([
    {
      code: 1,
      out: '',
      error: 'The database at DATABASE_URL has not been used by this version yet: start a server first.\n',
    },
    { code: 1, out: '', error: 'The database at DATABASE_URL does not answer. Start it, or correct host and port.\n' },
  ]);
}, 60_000);

/** Has a program's machine be an hour ahead. */
const AHEAD = `const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + 3_600_000) : super(...given); }
    static now() { return Real.now() + 3_600_000; }
  };`;

it('OPS-50 OPS-54: goes by the clock of the database, as its servers do, whatever its own machine says', async () => {
  const id = await writeProcess(server.services.db);
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(AHEAD)}`];
  const listed = await runWith(flags, databaseUrl, 'processes', 'list', '--json');
  expect(JSON.parse(listed.out)).toEqual([expect.objectContaining({ id })]);
}, 60_000);
