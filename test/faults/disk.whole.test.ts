import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDataDir, testFolder } from '../server/template.ts';
import { buildServer } from './build.ts';
import { addressOf, run, withMounts, type Run } from './built.ts';

const PASSWORD = 'quartz-lantern-orbit-52';
let main: string;
let disk: string;
let started: Run | undefined;
beforeAll(() => {
  main = buildServer();
  disk = mkdtempSync(join(testFolder, 'disk-'));
});
afterAll(async () => {
  started?.child.kill('SIGKILL');
  await started?.exit;
});

/** A small disk of its own, seen by the server only. */
const small = (megabytes: number, then = 'true'): string[] =>
  withMounts(`mount -t tmpfs -o size=${megabytes}m,mode=700 none '${disk}' && ${then}`);

/** Runs a command where the server's disk is. */
async function onDisk(command: string): Promise<void> {
  const child = spawn(
    'nsenter',
    [
      '--target',
      String(started?.child.pid),
      ...(process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials']),
      '--mount',
      'sh',
      '-c',
      command,
    ],
    { stdio: 'ignore' },
  );
  await once(child, 'exit');
}

it('DAT-11 a start on a full disk says how much is missing', { timeout: 60_000 }, async () => {
  const full = run(main, { DATA_DIR: disk }, small(20));
  expect([await full.exit, full.err().trim()]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        `^The disk of ${disk} is full: 1\\d MB are free, at least 64 are needed\\. Make room, or set DATA_DIR to a directory on another disk\\.$`,
      ),
    ),
  ]);
});

it(
  'DAT-11 a disk that becomes full at work: uploads and changes are refused with the reason, and nothing is lost',
  { timeout: 120_000 },
  async () => {
    const template = join(testFolder, 'disk-template');
    await cp(await freshDataDir(), template, { recursive: true });
    started = run(main, { DATA_DIR: disk, DEMO_PASSWORD: PASSWORD }, small(150, `cp -r '${template}'/. '${disk}'`));
    const url = await addressOf(started);
    const csrf = 'x'.repeat(43);
    const signIn = async () =>
      fetch(`${url}/api/v2/token/`, {
        method: 'POST',
        headers: { cookie: `csrftoken=${csrf}`, 'x-csrftoken': csrf },
        body: JSON.stringify({ email: 'demo@parlance.local', password: PASSWORD }),
      });
    const { access } = await (await signIn()).json();
    const console_ = { authorization: `Bearer ${access}`, 'content-type': 'application/json' };
    const { organizations } = await (await fetch(`${url}/api/v2/user/organizations/`, { headers: console_ })).json();
    const project: string = organizations[0].projects[0].uuid;
    const speech = { authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: project, token: access })}` };
    const upload = async (): Promise<Response> => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(2_000_000)]), 'talk.wav');
      return fetch(`${url}/v1/files`, { method: 'POST', headers: speech, body: form });
    };
    const newKey = (n: number): Promise<Response> =>
      fetch(`${url}/api/v2/projects/${project}/api-keys/`, {
        method: 'POST',
        headers: console_,
        body: JSON.stringify({ name: `key ${n}` }),
      });
    const names = async (): Promise<string[]> => {
      const { api_keys } = await (
        await fetch(`${url}/api/v2/projects/${project}/api-keys/`, { headers: console_ })
      ).json();
      return api_keys.map(({ name }: { name: string }) => name).sort();
    };
    expect((await upload()).status).toBe(201);
    expect((await newKey(0)).status).toBe(201);

    await onDisk(`dd if=/dev/zero of='${disk}/filler' bs=64k`);
    const refused = await upload();
    expect([refused.status, await refused.json()]).toMatchObject([500, { error_type: 'storage_full' }]);
    const kept = ['key 0'];
    const refusals = new Set<string>();
    for (let n = 1; n <= 40; n += 1) {
      const answer = await newKey(n);
      if (answer.status === 201) kept.push(`key ${n}`);
      else refusals.add(`${answer.status} ${(await answer.json()).message}`);
    }
    expect([...refusals]).toEqual([
      '500 The server has no space left to save this. Nothing was changed. Please try again later.',
    ]);
    expect(await names()).toEqual(kept.sort());

    await onDisk(`rm '${disk}/filler'`);
    expect((await upload()).status).toBe(201);
    expect((await newKey(99)).status).toBe(201);
    expect(await names()).toEqual([...kept, 'key 99'].sort());
    const { files } = await (await fetch(`${url}/v1/files`, { headers: speech })).json();
    expect(files.filter(({ filename }: { filename: string }) => filename === 'talk.wav')).toHaveLength(2);
  },
);
