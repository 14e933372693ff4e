/**
 * Several machines on one: PostgreSQL behind a pooler, S3 and a mail server behind proxies, a balancer, two processes
 * that answer and two that work.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '#server/platform/db/postgres.ts';
import type { Database } from '#server/platform/db/database.ts';
import { findFaketimeLibrary, findFetched } from '../../scripts/fetched.mjs';
import { WITHOUT_SWIFT } from '../../scripts/swift.mjs';
import { buildServer } from '../faults/build.ts';
import { openPostOffice, type PostOffice } from '../faults/post-office.ts';
import { query, startCluster, type Cluster } from '../postgres/cluster.ts';
import { newBucket, settingsOf } from '../s3/buckets.ts';
import { startSwift } from '../s3/setup.ts';
import { testFolder } from '../server/template.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { Member } from './member.ts';
import { startPooler } from './pooler.ts';
import { startSpeechService } from './speech-service.ts';

/** Where people would reach it; only links have it. */
const PUBLIC_URL = 'http://console.test';
/** A clock is off by so much. */
const OFF_S = 120;

export interface House {
  /** Where clients ask. */
  url: string;
  balancer: Balancer;
  api: [Member, Member];
  workers: [Member, Member];
  postgres: Cluster;
  /** Of the tests' own, past the pooler. */
  database: Database;
  /** The way of all processes to the storage, and to the mail server. */
  ways: { storage: TcpProxy; mail: TcpProxy };
  mails: PostOffice;
  stop(): Promise<void>;
}

/** Parts that run, to be stopped the other way round. */
type Stops = (() => Promise<unknown>)[];

/** All of it, ready. @throws without what it is made of, after what was started has ended */
export async function startHouse(): Promise<House> {
  const stops: Stops = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startParts(stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(stops: Stops): Promise<Omit<House, 'stop'>> {
  const [haproxy, pgbouncer] = [findFetched('haproxy'), findFetched('pgbouncer')];
  const faketime = findFaketimeLibrary();
  const folder = mkdtempSync(join(testFolder, 'cluster-'));
  const folderOf = (name: string): string => mkdtempSync(join(folder, `${name}-`));

  const [postgres, swift, mails] = await Promise.all([
    startCluster({ hasTemplate: false }),
    startSwift(),
    openPostOffice(),
  ]);
  stops.push(postgres.stop, mails.close);
  if (swift === undefined) throw new Error(WITHOUT_SWIFT);
  stops.push(swift.stop);
  await query(postgres.urlOf('postgres'), 'create database parlance');
  const directUrl = postgres.urlOf('parlance');
  const pooler = await startPooler(pgbouncer, mkdtempSync(join(postgres.folder, 'pooler-')), directUrl);
  stops.push(pooler.stop);
  const bucket = await newBucket(swift.url);
  const storage = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(swift.url).port) });
  const mail = await startTcpProxy({ host: '127.0.0.1', port: mails.port });
  stops.push(storage.close, mail.close);

  const main = buildServer();
  const speech = await startSpeechService(main);
  stops.push(speech.stop);
  const settings = {
    PUBLIC_URL,
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: directUrl,
    DATABASE_QUERY_SECONDS: '2',
    SECRET_KEY: 'k'.repeat(40),
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    ...settingsOf(bucket.name, `http://127.0.0.1:${storage.port}`),
    APERTIUM_DIR: 'none',
    DRAIN_NOTICE_SECONDS: '2',
    DRAIN_SECONDS: '3',
    LOG_LEVEL: 'warn',
    ...speech.settings,
  };
  const member = async (name: string, offS: number): Promise<Member> => {
    const made = await Member.make({
      name,
      main,
      settings: {
        ...settings,
        DATA_DIR: join(folder, name),
        ROLE: name.startsWith('api') ? 'api' : 'worker',
        ...(offS !== 0 && {
          LD_PRELOAD: faketime,
          FAKETIME: `${offS > 0 ? '+' : ''}${offS}s`,
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        }),
      },
    });
    stops.push(() => made.kill());
    return made;
  };
  const api: House['api'] = [await member('api-1', 0), await member('api-2', OFF_S)];
  const workers: House['workers'] = [await member('worker-1', -OFF_S), await member('worker-2', 0)];
  const balancer = await startBalancer(haproxy, folderOf('haproxy'), {
    'api-1': api[0].port,
    'api-2': api[1].port,
  });
  stops.push(balancer.stop);
  // On a database without tables: all of them begin at once.
  await Promise.all([...api, ...workers].map((each) => each.start()));
  await Promise.all(api.map(({ name }) => balancer.finds(name, 'UP')));
  const database = openPostgres({ databaseUrl: directUrl });
  stops.push(database.close);
  return { url: balancer.url, balancer, api, workers, postgres, database, ways: { storage, mail }, mails };
}
