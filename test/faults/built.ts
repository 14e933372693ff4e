/** The built server as a process: starts in a fraction of the time that it takes from source, and is what `npm start` runs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { SHORT_LIVED } from '../short-lived.ts';

export interface Run {
  child: ChildProcess;
  out(): string;
  err(): string;
  exit: Promise<number | null>;
}

/** Its recognizer is a service that does not answer: nothing here is about transcribing. */
const QUIET = { PORT: '0', SPEECH_UPSTREAM_URL: 'http://127.0.0.1:9', SPEECH_UPSTREAM_KEY: 'none', LOG_LEVEL: 'error' };

/** @param before a command line that starts it, such as one of prlimit */
export function run(main: string, env: Record<string, string>, before: readonly string[] = []): Run {
  const [program = process.execPath, ...args]: string[] = [...before, process.execPath, ...SHORT_LIVED, main];
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...QUIET, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  return { child, out: () => out, err: () => err, exit: once(child, 'close').then(([code]) => code) };
}

/** Waits until it answers. @returns its origin */
export async function addressOf(started: Run): Promise<string> {
  await expect.poll(() => started.out() + started.err(), { timeout: 90_000 }).toMatch(/Console +http:\S+\//);
  return /Console +(http:\S+)\//.exec(started.out())?.[1] ?? '';
}

/** A shell with mounts of its own, which end with it; without root, as the root of a user namespace. The server replaces it. */
export const withMounts = (script: string): string[] => [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
];
