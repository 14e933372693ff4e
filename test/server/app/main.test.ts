import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const [folders, children]: [string[], ChildProcess[]] = [[], []];
let main: string;

async function newFolder(): Promise<string> {
  const folder = await freshDataDir();
  folders.push(folder);
  return folder;
}

function run(env: Record<string, string>): Run {
  const child = spawn(process.execPath, [...SHORT_LIVED, main], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...env },
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

async function addressOf(started: Run): Promise<string> {
  await expect.poll(started.out, { timeout: 60_000 }).toMatch(/Console +http:\S+\/\n[^]*\n\n/);
  return /Console +(http:\S+)\//.exec(started.out())?.[1] ?? '';
}

// Whole processes with a recognizer in them: on a busy machine they take their time.
describe('the process', { timeout: 90_000 }, () => {
  const other = createServer();
  let started: Run;
  let dataDir: string;
  /** Processes that end by themselves, started together. */
  let refusals: Record<'port' | 'guess' | 'settings', Run>;
  beforeAll(async () => {
    main = buildServer();
    dataDir = await newFolder();
    started = run({ DATA_DIR: dataDir, METRICS_PORT: '0' });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    refusals = {
      port: run({ DATA_DIR: await newFolder(), PORT: portOf(other) }),
      guess: run({ DATA_DIR: await newFolder(), DEMO_PASSWORD: 'parlance-2026' }),
      settings: run({ DATA_DIR: await newFolder(), PORT: 'x', S3_BUCKETS: 'x' }),
    };
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    other.close();
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  it('OPS-60 starts with a demo account that can sign in, tells its metrics, and ends in order on SIGTERM', async () => {
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
  });

  it('SEC-01: started again for others, says that nobody gets mail, names the file of the password, and ends on SIGINT', async () => {
    const password = readFileSync(join(dataDir, 'demo-password'), 'utf8').trim();
    const again = run({ DATA_DIR: dataDir, HOST: '0.0.0.0' });
    const { port } = new URL(await addressOf(again));
    expect(password).not.toBe('');
    expect(again.out()).not.toContain(password);
    expect(again.out()).toContain(join(dataDir, 'demo-password'));
    expect(again.out()).toMatch(/^ {2}Mails +reach nobody until SMTP_URL is set: nobody can sign up$/m);
    expect(again.out()).not.toContain('/outbox');
    expect((await fetch(`http://127.0.0.1:${port}/outbox`)).status).toBe(404);
    again.child.kill('SIGINT');
    expect(await again.exit).toBe(0);
  });

  it('says in one sentence that the port is in use', async () => {
    expect(await refusals.port.exit).toBe(1);
    expect(refusals.port.err().trim()).toBe(
      `Port ${portOf(other)} of 127.0.0.1 is in use. Stop what uses it, or set PORT to another one.`,
    );
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

function portOf(server: Server): string {
  const address = server.address();
  return String(address !== null && typeof address === 'object' ? address.port : 0);
}
