import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { buildServer } from '../../faults/build.ts';
import { SHORT_LIVED } from '../../short-lived.ts';
import { freshDataDir } from '../template.ts';

interface Run {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  exit: Promise<number | null>;
}

// Whole processes with a recognizer in them: on a busy machine they take their time.
describe('the process', { timeout: 90_000 }, () => {
  let dataDir: string;
  const children: ChildProcess[] = [];
  let main: string;
  beforeAll(async () => {
    main = buildServer();
    dataDir = await freshDataDir();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  function run(env: Record<string, string>): Run {
    const child = spawn(process.execPath, [...SHORT_LIVED, main], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      err += String(chunk);
    });
    return { child, out: () => out, err: () => err, exit: once(child, 'exit').then(([code]) => code) };
  }

  const addressOf = async (started: Run): Promise<string> => {
    await expect.poll(started.out, { timeout: 60_000 }).toMatch(/Console +http:\S+\/\n[^]*\n\n/);
    return /Console +(http:\S+)\//.exec(started.out())?.[1] ?? '';
  };

  it('OPS-60 starts with a demo account that can sign in, tells its metrics, and ends in order on SIGTERM', async () => {
    const started = run({ METRICS_PORT: '0' });
    const url = await addressOf(started);
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

    const again = run({});
    await addressOf(again);
    expect(again.out()).not.toContain(password);
    expect(again.out()).toContain(kept);
    again.child.kill('SIGINT');
    expect(await again.exit).toBe(0);
  });

  it('SEC-01: says as it starts that nobody gets mail where there is neither a mail server nor a page of the mails', async () => {
    const started = run({ HOST: '0.0.0.0' });
    const url = await addressOf(started);
    expect(started.out()).toMatch(/^ {2}Mails +reach nobody until SMTP_URL is set: nobody can sign up$/m);
    expect(started.out()).not.toContain('/outbox');
    const port = new URL(url).port;
    expect((await fetch(`http://127.0.0.1:${port}/outbox`)).status).toBe(404);
    started.child.kill('SIGTERM');
    expect(await started.exit).toBe(0);
  });

  it('says in one sentence that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const started = run({ PORT: String(port) });
    expect(await started.exit).toBe(1);
    expect(started.err().trim()).toBe(
      `Port ${port} of 127.0.0.1 is in use. Stop what uses it, or set PORT to another one.`,
    );
    other.close();
  });

  it('SEC-07: refuses a demo password that is easy to guess, in one sentence', async () => {
    const started = run({ DEMO_PASSWORD: 'parlance-2026' });
    expect(await started.exit).toBe(1);
    expect(started.err().trim()).toMatch(/^DEMO_PASSWORD is easy to guess: [^.\n]+\.$/);
    expect(started.out()).toBe('');
  });

  it('SEC-02: says why it does not start under a public address without a mail server', async () => {
    const started = run({ PUBLIC_URL: 'https://console.example.com' });
    expect(await started.exit).toBe(1);
    expect(started.err().trim()).toBe(
      'SMTP_URL is required together with a PUBLIC_URL that others can reach: without a mail server nobody gets the links by which people sign up and recover their passwords.',
    );
  });

  it('lists every wrong setting and ends, without a stack', async () => {
    const started = run({ PORT: 'x', S3_BUCKETS: 'x' });
    expect(await started.exit).toBe(1);
    expect(started.err().trim().split('\n')).toEqual([
      'Unknown setting S3_BUCKETS, did you mean S3_BUCKET?',
      'PORT must be a number from 0 to 65535.',
    ]);
    expect(started.out()).toBe('');
  });
});
