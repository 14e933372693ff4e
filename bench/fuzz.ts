/**
 * Five minutes of clients that behave as none should: random uploads and live streams at a built server with its real
 * recognizer, then scripted ones at a live socket with a scripted engine. Prints the seed; `FUZZ_SEED=… npm run bench fuzz`
 * draws the same ones again.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { FilePage, StoredFile, UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { clip } from '#test/audio/clips.ts';
import { fuzzLive } from '#test/server/speech-api/live/live-fuzz.ts';
import { problemOf, sendWild, wildUpload, type WildUpload } from '#test/server/speech-api/files/upload-fuzz.ts';
import { speakOnce } from './live-client.ts';
import { openSockets, watchMemory } from './memory.ts';
import { type Row, atLeast, atMost, figure } from './row.ts';
import { type Service, withService } from './service.ts';
import { scaled, settling } from './settings.ts';
import { behave, wildClient } from './wild-live.ts';

/** Long enough for a first try at any scale. */
const LEAST_RESERVED_MS = 5000;
const MS = Math.max(LEAST_RESERVED_MS, scaled(300_000));
const SCRIPTED_MS = Math.max(LEAST_RESERVED_MS, scaled(60_000));
const UPLOAD_LANES = 4;
const LIVE_LANES = 6;
/** A busy machine answers late; a server that hangs does not answer at all. */
const ANSWER_MS = 20_000;
const LEAVE_MS = 100_000;

interface Verdict {
  problem: string | undefined;
  accepted: boolean;
}

interface Found {
  tries: number;
  /** Tries that the server accepted. */
  accepted: number;
  /** What went wrong, with the way to see it again. */
  problems: string[];
}

/** Runs a property in lanes of their own seeds until the time is over. */
async function explore<T>(
  what: string,
  arbitrary: fc.Arbitrary<T>,
  lanes: number,
  seed: number,
  attempt: (value: T, index: number) => Promise<Verdict>,
): Promise<Found> {
  const found: Found = { tries: 0, accepted: 0, problems: [] };
  const explored = async (lane: number): Promise<void> => {
    const property = fc.asyncProperty(arbitrary, async (value) => {
      const { problem, accepted } = await attempt(value, (found.tries += 1));
      if (accepted) found.accepted += 1;
      if (problem !== undefined) throw new Error(problem);
    });
    const result = await fc.check(property, {
      seed: seed + lane,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: MS,
      endOnFailure: true,
    });
    if (result.failed && result.counterexample)
      found.problems.push(
        `${what}, seed ${seed + lane}: ${String(result.errorInstance)}\n${fc.stringify(result.counterexample).slice(0, 2000)}`,
      );
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => explored(lane)));
  return found;
}

const at = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

async function tryUpload(service: Service, wild: WildUpload, projectId: string): Promise<Verdict> {
  const outcome = await sendWild(wild, {
    url: service.url,
    authorization: await service.authorization(projectId),
    patienceMs: ANSWER_MS,
  });
  if (!service.alive) return { problem: 'the server has died', accepted: false };
  const status = outcome.kind === 'answered' ? outcome.status : undefined;
  // Too many uploads a minute: a refusal like any other.
  if (status === 429) return { problem: undefined, accepted: false };
  const accepted = outcome.kind === 'answered' && status === 201;
  const problem = problemOf(wild, outcome, UPLOAD_MAX_BYTES);
  if (accepted)
    await service.speech('DELETE', `/files/${v.parse(StoredFile, JSON.parse(outcome.body)).id}`, undefined, projectId);
  return { problem, accepted };
}

/** Files on the disk that no project lists, or the other way round. */
async function strayFiles(service: Service): Promise<number> {
  const listed = new Set<string>();
  for (const project of service.projectIds) {
    const { files } = v.parse(FilePage, await (await service.speech('GET', '/files', undefined, project)).json());
    for (const { id } of files) listed.add(id);
  }
  const kept = readdirSync(join(service.directory, 'files'));
  return kept.filter((name) => !listed.has(name)).length + [...listed].filter((id) => !kept.includes(id)).length;
}

/** Looks until there is nothing left to look at, or long enough. */
async function settled(look: () => number | Promise<number>): Promise<number> {
  const deadline = performance.now() + settling(LEAVE_MS);
  for (;;) {
    const left = await look();
    if (left <= 0 || performance.now() > deadline) return Math.max(0, left);
    await sleep(500);
  }
}

async function againstServer(seed: number): Promise<Row[]> {
  return withService(async (service) => {
    await service.restart();
    // A project may create and start only so much a minute.
    const projects = await service.addProjects(3, 12);
    const keys = await Promise.all(projects.map((project) => service.liveKey(project)));
    const speech = clip('short.wav');
    await speakOnce(service.url, at(keys, 0), speech);
    await sleep(settling(6000));
    const sockets = openSockets(service.pid) ?? 0;
    const { result, curve } = await watchMemory(service.pid, () =>
      Promise.all([
        explore('upload', wildUpload, UPLOAD_LANES, seed, (value, index) =>
          tryUpload(service, value, at(projects, index)),
        ),
        explore('stream', wildClient, LIVE_LANES, seed, async (value, index) => {
          const { problem, served } = await behave(value, service.url, at(keys, index));
          return { problem, accepted: served };
        }),
      ]),
    );
    const [uploads, streams] = result;
    const problems = [...uploads.problems, ...streams.problems, ...service.complaints.slice(0, 10)];
    if (problems.length > 0) console.error(problems.join('\n'));
    const stray = await settled(() => strayFiles(service));
    const open = await settled(() => (openSockets(service.pid) ?? 0) - sockets);
    // Nobody may have kept a place at the recognizer.
    const served = await Promise.allSettled(
      Array.from({ length: 4 }, (_, index) => speakOnce(service.url, at(keys, index), speech)),
    );
    const rows = [
      figure('random uploads', uploads.tries, ''),
      figure('random uploads stored', uploads.accepted, ''),
      atMost('random uploads taken wrongly', uploads.problems.length, '', 0),
      figure('random live clients', streams.tries, ''),
      figure('random live clients that got results', streams.accepted, ''),
      atMost('random live clients taken wrongly', streams.problems.length, '', 0),
      atMost('complaints in the log', service.complaints.length, 'lines', 0),
      atMost('stray files', stray, '', 0),
      atMost('sockets still open', open, '', 0),
      atLeast(
        'good streams served together afterwards',
        served.filter(({ status }) => status === 'fulfilled').length,
        '',
        4,
      ),
      figure('memory, least', curve.min, 'MiB'),
      figure('memory, most', curve.max, 'MiB'),
      figure('memory, slope', curve.slope, 'MiB/min'),
    ];
    return [
      ...rows,
      atMost('streams still counted as running', (await service.sessionsAsLeft())['running'] ?? 0, '', 0),
    ];
  });
}

export async function run(): Promise<Row[]> {
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
  console.log(`Seed ${seed}`);
  const rows = await againstServer(seed);
  const { clients } = await fuzzLive({ runs: Number.MAX_SAFE_INTEGER, ms: SCRIPTED_MS, seed });
  return [...rows, figure('scripted live clients', clients, '')];
}
