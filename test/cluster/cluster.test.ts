/** Several machines on one, with all that they are made of: what befalls them, while clients go on. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clip } from '../audio/clips.ts';
import { faultsOf, settled } from './check.ts';
import { Crowd } from './crowd.ts';
import { freeze, kill, mailAway, restart, storageAway } from './faults.ts';
import { startHouse, type House } from './house.ts';
import { requestsTogether, streamsTogether, uploadsTogether } from './limits.ts';
import { Load } from './load.ts';
import { until } from './program.ts';
import type { StreamEnd, StreamTold } from './streams.ts';
import { makeTenant } from './tenant.ts';

const SEED = Number(process.env['CLUSTER_SEED'] ?? '1');
/** That want something at the same time. */
const CLIENTS = 50;
/** On a busy machine. */
const PATIENCE = { timeout: 300_000 };

let house: House;
let crowd: Crowd;
/** Slow streams that nobody has waited for. */
const speaking: Promise<StreamTold>[] = [];
beforeAll(async () => {
  house = await startHouse();
  crowd = new Crowd(house, await makeTenant(house.database.db, { requests_per_minute: null }), SEED);
}, PATIENCE.timeout);
afterAll(async () => {
  await crowd?.stop();
  await house?.stop();
}, PATIENCE.timeout);

/** Nobody was told what clients must not be told. */
const allIsWell = (): void => expect(crowd.diary.faults).toEqual([]);

/** Of streams that go on for a while, unlike those of the crowd; another one once a process was killed, which leaves its own as running. */
let slow = 'slow-';

/** How many slow streams there have been, and whether each process that answers has one that runs. */
async function slowStreams(): Promise<{ begun: number; atBoth: boolean }> {
  const rows = await house.database.db
    .selectFrom('live_sessions')
    .select(['worker', 'status'])
    .where('client_reference_id', 'like', `${slow}%`)
    .execute();
  const running = rows.filter(({ status }) => status === 'running');
  return { begun: rows.length, atBoth: new Set(running.map(({ worker }) => worker)).size === house.api.length };
}

/** Begins slow streams until each process that answers has one. */
async function speakAtBoth(): Promise<void> {
  for (let now = await slowStreams(); !now.atBoth; now = await slowStreams()) {
    const { begun } = now;
    speaking.push(crowd.speak({ clip: clip('two-sentences.wav'), speed: 1, prefix: slow }));
    await until('the stream has its place', async () => (await slowStreams()).begun > begun);
  }
}

/** How all slow streams end that were not waited for. */
async function slowEnds(): Promise<StreamEnd[]> {
  return (await Promise.all(speaking.splice(0))).map(({ end }) => end);
}

/** Has recordings transcribed until each worker is at one. */
async function recordAtBoth(): Promise<void> {
  let [begun, done] = [0, 0];
  let atBoth = false;
  while (!atBoth) {
    for (const _ of house.workers) {
      begun += 1;
      void crowd.record().then(() => (done += 1));
    }
    await until('each worker is at a recording, or they are done', async () => {
      const jobs = await house.database.db
        .selectFrom('jobs')
        .select('worker')
        .distinct()
        .where('kind', '=', 'transcribe')
        .where('state', '=', 'running')
        .execute();
      atBoth = jobs.length === house.workers.length;
      return atBoth || done === begun;
    });
  }
}

it('CLU-01: processes that start at once on an empty database, behind a pooler, with clocks minutes apart, are ready', async () => {
  expect(await house.database.db.selectFrom('processes').select('role').orderBy('role').execute()).toEqual(
    ['api', 'api', 'worker', 'worker'].map((role) => ({ role })),
  );
});

it('CLU-02: limits are exact over processes, whatever their clocks say', PATIENCE, async () => {
  expect(await requestsTogether(house, 17, CLIENTS)).toEqual({ 201: 17, 429: CLIENTS - 17 });
  for (const of of ['organization', 'project'] as const)
    expect(await streamsTogether(house, of, 3, CLIENTS)).toEqual({
      admitted: 3,
      refusals: Array.from({ length: CLIENTS - 3 }, () => 429),
    });
  // No time makes room: something has to be deleted.
  expect(await uploadsTogether(house, 5, CLIENTS)).toEqual({ 201: 5, '429 without a time': CLIENTS - 5 });
});

it('CLU-03: processes that are killed lose nothing and run nothing twice', PATIENCE, async () => {
  // Both that are killed have something to lose; while recordings are awaited, streams may end.
  do {
    await speakAtBoth();
    await recordAtBoth();
  } while (!(await slowStreams()).atBoth);
  await Promise.all([house.workers[0], house.api[1]].map((member) => kill(house, crowd, member)));
  expect(await slowEnds()).toContain('cut');
  slow = 'slower-';
  allIsWell();
});

it('CLU-04: a rolling restart fails no request, and ends streams by the protocol', PATIENCE, async () => {
  const load = new Load(house.url, crowd.tenant, 4);
  const worker = restart(house, house.workers[1]);
  for (const member of house.api) {
    // That of the process that stops is not over by the end of its time.
    await speakAtBoth();
    await restart(house, member);
  }
  await worker;
  expect(await slowEnds()).toContain('again');
  const { failures, times } = await load.stop();
  expect(failures.slice(0, 3)).toEqual([]);
  expect(times.length).toBeGreaterThan(100);
  allIsWell();
});

it(
  'CLU-05: a database that stands still, and one that restarts, is told as what clients come back from',
  PATIENCE,
  async () => {
    await freeze(house);
    await house.postgres.restart();
    allIsWell();
  },
);

it('CLU-06: a storage that is slow, silent or cut off is told as what clients come back from', PATIENCE, async () => {
  await storageAway(house, () => crowd.upload());
  allIsWell();
});

it('CLU-07: a mail server that is away or slow is no concern of who asks for mails', PATIENCE, async () => {
  await mailAway(house, () => crowd.askForMail());
  allIsWell();
});

it('CLU-08: in the end nothing acknowledged is lost, and nothing is there or billed twice', PATIENCE, async () => {
  await crowd.goesOn();
  await crowd.stop();
  await settled(house);
  expect(await faultsOf(house, crowd)).toEqual([]);
  const { uploads, jobs, payments, mails, endings } = crowd.acknowledged;
  for (const some of [uploads, jobs, payments, mails]) expect(some.length).toBeGreaterThan(0);
  expect(endings).toBeGreaterThan(0);
  expect(crowd.streams.some(({ end }) => end === 'finished')).toBe(true);
});
