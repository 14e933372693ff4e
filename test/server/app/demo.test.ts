import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { checkDemoPassword, createDemo, DEMO_EMAIL } from '#server/app/demo.ts';
import { PASSWORD } from '#test/passwords.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { dropOrganizations } from '../money/books.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  await dropOrganizations(server.services.db);
  await server.services.db.deleteFrom('users').execute();
  await rm(`${server.dataDir}/demo-password`, { force: true });
});

/** What becomes of the demo account with these settings, in an empty embedded database. */
async function demoWith(env: Record<string, string>) {
  const { services, dataDir } = server;
  const demo = await createDemo({
    ...services,
    database: { ...services.database, kind: 'embedded' },
    config: loadConfig({ DATA_DIR: dataDir, SMTP_URL: 'smtp://127.0.0.1:2525', ...env }),
  });
  const accounts = await services.db.selectFrom('users').select('email').execute();
  return [demo === undefined || demo === 'withheld' ? demo : 'made', accounts.map(({ email }) => email)];
}

describe('SEC-07: DEMO_PASSWORD', () => {
  const problemsOf = async (password: string): Promise<unknown> => {
    try {
      await checkDemoPassword(loadConfig({ DEMO_PASSWORD: password }));
      return 'none';
    } catch (error) {
      return error instanceof Error && 'problems' in error ? error.problems : error;
    }
  };

  it.each(['Password1234', 'parlance-demo-2026', 'demo@parlance.local', 'DemoParlance1'])(
    'is refused where it is easy to guess: %s',
    async (password) => {
      expect(await problemsOf(password)).toEqual([expect.stringMatching(/^DEMO_PASSWORD is easy to guess: [^.]+\.$/)]);
    },
  );

  it('is taken where it obeys the rule', async () => {
    expect(await problemsOf(PASSWORD)).toBe('none');
  });
});

describe('SEC-07: the demo account', () => {
  const local: Record<string, string>[] = [
    {},
    { HOST: '::1' },
    { HOST: 'localhost', PUBLIC_URL: 'http://localhost:8080' },
    { PUBLIC_URL: 'http://[::1]:8080' },
  ];
  const everywhere: Record<string, string>[] = [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { PUBLIC_URL: 'https://console.example.com' },
    { HOST: '192.168.1.10', PUBLIC_URL: 'http://localhost:8080' },
  ];

  it.each(local)('is made with a password of its own on this machine only: %o', async (env) => {
    expect(await demoWith(env)).toEqual(['made', [DEMO_EMAIL]]);
  });

  it.each(everywhere)('is made at a public address with a password only: %o', async (env) => {
    expect(await demoWith(env)).toEqual(['withheld', []]);
    expect(await demoWith({ ...env, DEMO_PASSWORD: PASSWORD })).toEqual(['made', [DEMO_EMAIL]]);
  });

  it('is left alone where there are people already', async () => {
    await server.createUser({ email: 'ada@example.com' });
    expect(await demoWith({ HOST: '0.0.0.0' })).toEqual([undefined, ['ada@example.com']]);
  });
});
