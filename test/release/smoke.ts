/** Tries an unpacked release out where it has nothing but itself: no network beyond loopback, and no right to write to its own folder. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** What drive.ts is told. Paths are absolute; `settings` is all that the release has in its environment, beside a password. */
export const Task = v.object({
  folder: v.string(),
  node: v.string(),
  /** Of Node, for the server. */
  options: v.array(v.string()),
  cwd: v.string(),
  clips: v.array(v.string()),
  settings: v.record(v.string(), v.string()),
});

/** What it saw. Programs: their exit code, and what they said. */
const SeenShape = v.object({
  interfaces: v.array(v.string()),
  /** From the start of the process until it is ready, recognizer included. */
  seconds: v.number(),
  processorSeconds: v.number(),
  recognizer: v.string(),
  /** Status of the console's page, and of its script. */
  console: v.array(v.number()),
  /** Of each clip. */
  texts: v.record(v.string(), v.string()),
  admin: v.string(),
  peakMegabytes: v.number(),
  exit: v.string(),
  migrate: v.string(),
});
export type Seen = v.InferOutput<typeof SeenShape>;

const ROOT = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
/** A network that is only loopback, and the folder of the first argument read-only; both end with the process. */
const alone = (folder: string): string[] => [
  'unshare',
  ...ROOT,
  '--net',
  '--mount',
  'sh',
  '-c',
  'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"',
  'sh',
  folder,
];

/** Whether this machine lets a process be alone; elsewhere what it asks for of the network goes nowhere. */
function canBeAlone(): boolean {
  const [program = '', ...args] = alone('/tmp');
  return spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;
}

const NOWHERE = 'http://127.0.0.1:9';

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return String(address !== null && typeof address === 'object' ? address.port : 0);
}

/** @param clips files to transcribe, after each other */
export async function smoke(
  folder: string,
  clips: string[],
  { node = process.execPath, options = [] }: { node?: string; options?: string[] } = {},
): Promise<Seen> {
  const isAlone = canBeAlone();
  const cwd = mkdtempSync(join(tmpdir(), 'parlance-smoke-'));
  const settings = isAlone
    ? {}
    : { PORT: await freePort(), HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, http_proxy: NOWHERE, https_proxy: NOWHERE };
  const task: v.InferOutput<typeof Task> = { folder, node, options, cwd, clips, settings };
  const drive = fileURLToPath(new URL('drive.ts', import.meta.url));
  const [program = '', ...args] = [
    ...(isAlone ? alone(folder) : []),
    ...[process.execPath, '--import', 'tsx', drive, JSON.stringify(task)],
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code !== 0) throw new Error(`The release failed:\n${err}`);
    const seen = v.parse(SeenShape, JSON.parse(out));
    if (isAlone && seen.interfaces.join(' ') !== 'lo')
      throw new Error(`There is a network: ${seen.interfaces.join(' ')}`);
    return seen;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
