/** Transcriptions a minute on PostgreSQL, by one, two and four processes that do nothing else, each with a recognizer of its own. */
import { mkdtempSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { Client, Diary } from '../test/cluster/client.ts';
import { Member } from '../test/cluster/member.ts';
import { CLIP } from '../test/cluster/recording.ts';
import { makeTenant, type Tenant } from '../test/cluster/tenant.ts';
import { Acknowledged, recording, type Visitor } from '../test/cluster/works.ts';
import { buildServer } from '../test/faults/build.ts';
import { query, startCluster } from '../test/postgres/cluster.ts';
import { testFolder } from '../test/server/template.ts';
import { figure, type Row } from './row.ts';
import { scaled } from './settings.ts';

const WORKERS = [1, 2, 4];
const SECONDS = 60;
/** Clients that each upload a recording, wait for its transcript, and begin again: enough that none of the workers waits. */
const CLIENTS = 24;

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(testFolder, 'jobs-'));
  const main = buildServer();
  const postgres = await startCluster({ hasTemplate: false });
  const members: Member[] = [];
  const start = async (name: string): Promise<Member> => {
    const member = await Member.make({
      name,
      main,
      settings: {
        DATA_DIR: folder,
        DATABASE_URL: postgres.urlOf('parlance'),
        SECRET_KEY: 'k'.repeat(40),
        ROLE: name === 'api' ? 'api' : 'worker',
        APERTIUM_DIR: 'none',
        LOG_LEVEL: 'warn',
      },
    });
    members.push(member);
    await member.start();
    return member;
  };
  try {
    await query(postgres.urlOf('postgres'), 'create database parlance');
    const api = await start('api');
    const database = openPostgres({ databaseUrl: postgres.urlOf('parlance') });
    // A project keeps a thousand files at most.
    const tenants: Tenant[] = [];
    for (let made = 0; made < CLIENTS; made += 1)
      tenants.push(await makeTenant(database.db, { requests_per_minute: null }));
    await database.close();
    const rows: Row[] = [];
    for (const count of WORKERS.slice(0, scaled(WORKERS.length))) {
      while (members.length - 1 < count) await start(`worker-${members.length}`);
      const done = await jobsOf(api, tenants);
      rows.push(
        figure(`jobs: transcriptions a minute, ${count} of ${WORKERS.at(-1)} workers`, done, '1/min'),
        figure(
          `jobs: seconds of speech a second, ${count} on ${availableParallelism()} cores`,
          (done * CLIP.pcm.length) / 2 / CLIP.sampleRate / 60,
          '×',
        ),
      );
    }
    return rows;
  } finally {
    await Promise.all(members.map((member) => member.kill()));
    await postgres.stop();
  }
}

/** @returns how many were done, a minute */
async function jobsOf({ url }: Member, tenants: readonly Tenant[]): Promise<number> {
  const diary = new Diary();
  let [done, isOver] = [0, false];
  const lanes = tenants.map(async (tenant) => {
    const visitor: Visitor = { client: new Client(url, diary), diary, acknowledged: new Acknowledged(), tenant };
    while (!isOver) {
      await recording(visitor);
      if (!isOver) done += 1;
    }
  });
  const seconds = scaled(SECONDS);
  // The first come into an empty queue.
  await sleep((seconds * 1000) / 10);
  done = 0;
  await sleep(seconds * 1000);
  const counted = done;
  isOver = true;
  await Promise.all(lanes);
  if (diary.faults[0] !== undefined) throw new Error(diary.faults[0]);
  return (counted * 60) / seconds;
}
