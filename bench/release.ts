/** The archives of `npm run release`, unpacked and tried on each Node that they are for: what they take, and how soon they are there. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNode, NODES } from '../scripts/nodes.mjs';
import { clip } from '../test/audio/clips.ts';
import { type Seen, smoke } from '../test/release/smoke.ts';
import { type Row, atMost, figure, quantile } from './row.ts';
import { scaled } from './settings.ts';

const exec = promisify(execFile);

/** The first one also transcribes. */
const COLD_STARTS = 1 + scaled(2);
const READY_SECONDS = 5;
const KINDS = [
  { name: 'native', args: [], megabytes: 350 },
  { name: 'wasm', args: ['--wasm'], megabytes: 150 },
];
/** A file in each way that is decoded without other programs. */
const CLIPS = ['wav', 'mp3', 'flac', 'ogg', 'opus'].map((type) => clip('short.wav').path.replace(/wav$/, type));
const { text } = clip('short.wav');

/** @returns the archive and its SHA-256 */
async function make(args: readonly string[]): Promise<{ archive: string; sum: string }> {
  const { stdout, stderr } = await exec(process.execPath, ['scripts/release.mjs', ...args]);
  const [, archive, sum] = /• (\/\S+\.tar\.gz)\n +SHA-256 (\w+)/.exec(stdout) ?? [];
  if (archive === undefined || sum === undefined) throw new Error(`No release was made: ${stderr}`);
  return { archive, sum };
}

async function startsOf(kind: string, folder: string, version: string): Promise<Row[]> {
  const runs: Seen[] = [];
  for (let run = 0; run < COLD_STARTS; run += 1) {
    const seen = await smoke(folder, run === 0 ? CLIPS : [], { node: fetchNode(version) });
    const wrong = Object.entries(seen.texts).filter(([, heard]) => heard !== text);
    if (seen.recognizer !== kind || seen.exit !== '0' || wrong.length > 0)
      throw new Error(`${kind} on Node ${version}: ${JSON.stringify(seen)}`);
    runs.push(seen);
  }
  const name = `${kind}, Node ${version}`;
  const median = (of: (seen: Seen) => number): number => quantile(runs.map(of), 0.5);
  return [
    atMost(
      `${name}: cold start until ready, median of ${COLD_STARTS}`,
      median(({ seconds }) => seconds),
      's',
      READY_SECONDS,
    ),
    figure(
      `${name}: of the processors`,
      median(({ processorSeconds }) => processorSeconds),
      's',
    ),
    figure(
      `${name}: memory at rest, most`,
      quantile(
        runs.slice(1).map((seen) => seen.peakMegabytes),
        1,
      ),
      'MiB',
    ),
    figure(`${name}: memory with ${CLIPS.length} transcripts, most`, runs[0]?.peakMegabytes ?? Number.NaN, 'MiB'),
  ];
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, args, megabytes } of KINDS.slice(0, scaled(KINDS.length))) {
    const { archive, sum } = await make(args);
    // From nothing once more, the database too.
    rmSync('.cache/release', { recursive: true });
    if (sum !== (await make(args)).sum) throw new Error(`The same sources made two different archives (${name}).`);
    const into = mkdtempSync(join(tmpdir(), 'parlance-release-'));
    try {
      await exec('tar', ['-xzf', archive, '-C', into]);
      const folder = join(into, readdirSync(into)[0] ?? '');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((file) => statSync(join(folder, file)))
        .filter((found) => found.isFile());
      rows.push(
        figure(`${name}: archive`, statSync(archive).size / 1e6, 'MB'),
        atMost(`${name}: unpacked`, files.reduce((total, { size }) => total + size, 0) / 1e6, 'MB', megabytes),
        figure(`${name}: files`, files.length, ''),
      );
      for (const version of NODES.slice(0, scaled(NODES.length))) rows.push(...(await startsOf(name, folder, version)));
    } finally {
      rmSync(into, { recursive: true });
    }
  }
  return rows;
}
