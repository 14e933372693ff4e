import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildServer } from '../../faults/build.ts';
import { addressOf, run, type Run } from '../../faults/built.ts';
import { freshDataDir } from '../template.ts';

/** As `npm start` has it: with the recognizer, and all that it logs. */
const AS_IT_IS = { SPEECH_UPSTREAM_URL: '', SPEECH_UPSTREAM_KEY: '', LOG_LEVEL: '' };

// Whole processes with a recognizer in them: on a busy machine they take their time.
describe('the process', { timeout: 90_000 }, () => {
  const [folders, processes]: [string[], Run[]] = [[], []];
  let main: string;
  let started: Run;
  let dataDir: string;
  /** Processes that end by themselves, started together. */
  let refusals: Record<'guess' | 'settings', Run>;
  const newFolder = async (): Promise<string> => {
    const folder = await freshDataDir();
    folders.push(folder);
    return folder;
  };
  const start = (env: Record<string, string>): Run => {
    const process = run(main, { ...AS_IT_IS, ...env });
    processes.push(process);
    return process;
  };
  /** Once it has said all that it says at its start. */
  const originOf = async (process: Run): Promise<string> => {
    await expect.poll(process.out, { timeout: 60_000 }).toMatch(/Console +http:\S+\/\n[^]*\n\n/);
    return addressOf(process);
  };
  beforeAll(async () => {
    main = buildServer();
    dataDir = await newFolder();
    started = start({ DATA_DIR: dataDir, METRICS_PORT: '0' });
    refusals = {
      guess: start({ DATA_DIR: await newFolder(), DEMO_PASSWORD: 'parlance-2026' }),
      settings: start({ DATA_DIR: await newFolder(), PORT: 'x', S3_BUCKETS: 'x' }),
    };
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  it('OPS-60 starts with a demo account that can sign in, tells its metrics, and ends in order on SIGTERM', async () => {
    const url = await originOf(started);
    await expect.poll(started.out).toMatch(/Metrics +http:/);
    const metrics = /Metrics +(http:\S+)/.exec(started.out())?.[1] ?? '';
    expect(await (await fetch(metrics)).text()).toContain('\nparlance_ready{part="database"} 1\n');
    const password = /demo@parlance\.local +password (\S+)/.exec(started.out())?.[1] ?? '';
    const kept = join(dataDir, 'demo-password');
    expect(readFileSync(kept, 'utf8').trim()).toBe(password);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const link = /Mails +(\S+)/.exec(started.out())?.[1] ?? '';
    expect(link).toMatch(new RegExp(`^${url}/outbox/[\\w-]{43}/$`));
    const opened = await fetch(link, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/outbox']);
    expect((await fetch(`${url}/outbox`)).status).toBe(404);
    const token = 'x'.repeat(43);
    const pair = await (
      await fetch(`${url}/api/v2/token/`, {
        method: 'POST',
        headers: { cookie: `csrftoken=${token}`, 'x-csrftoken': token },
        body: JSON.stringify({ email: 'demo@parlance.local', password }),
      })
    ).json();
    const { organizations } = await (
      await fetch(`${url}/api/v2/user/organizations/`, { headers: { authorization: `Bearer ${pair.access}` } })
    ).json();
    expect(organizations).toMatchObject([
      { organization: { name: 'Demo organization' }, projects: [{ name: 'First project' }] },
    ]);

    started.child.kill('SIGTERM');
    expect(await started.exit).toBe(0);
    expect(started.err()).not.toContain(password);
    expect(started.err()).not.toContain(link.split('/')[4]);
  });

  it('SEC-01: started again for others, says that nobody gets mail, names the file of the password, and ends on SIGINT', async () => {
    const password = readFileSync(join(dataDir, 'demo-password'), 'utf8').trim();
    const again = start({ DATA_DIR: dataDir, HOST: '0.0.0.0' });
    const { port } = new URL(await originOf(again));
    expect(password).not.toBe('');
    expect(again.out()).not.toContain(password);
    expect(again.out()).toContain(join(dataDir, 'demo-password'));
    expect(again.out()).toMatch(/^ {2}Mails +reach nobody until SMTP_URL is set: nobody can sign up$/m);
    expect(again.out()).not.toContain('/outbox');
    expect((await fetch(`http://127.0.0.1:${port}/outbox`)).status).toBe(404);
    again.child.kill('SIGINT');
    expect(await again.exit).toBe(0);
  });

  it('SEC-07: refuses a demo password that is easy to guess, in one sentence', async () => {
    expect(await refusals.guess.exit).toBe(1);
    expect(refusals.guess.err().trim()).toMatch(/^DEMO_PASSWORD is easy to guess: [^.\n]+\.$/);
    expect(refusals.guess.out()).toBe('');
  });

  it('lists every wrong setting and ends, without a stack', async () => {
    expect(await refusals.settings.exit).toBe(1);
    expect(refusals.settings.err().trim().split('\n')).toEqual([
      'Unknown setting S3_BUCKETS, did you mean S3_BUCKET?',
      'PORT must be a number from 0 to 65535.',
    ]);
    expect(refusals.settings.out()).toBe('');
  });
});
