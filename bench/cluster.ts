/**
 * Several machines on one (`test/cluster`) at length: what two processes answer behind a pooler and a balancer, and whether a
 * request is lost while every process is restarted, one after the other, over and over, beside clients that do all the rest.
 */
import { clip } from '#test/audio/clips.ts';
import { faultsOf, settled } from '../test/cluster/check.ts';
import { Crowd } from '../test/cluster/crowd.ts';
import { restart } from '../test/cluster/faults.ts';
import { startHouse, type House } from '../test/cluster/house.ts';
import { Load, READS } from '../test/cluster/load.ts';
import { makeTenant, type Tenant } from '../test/cluster/tenant.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, figure, quantile, type Row } from './row.ts';
import { scaled } from './settings.ts';

/** While processes are restarted. */
const REQUESTS = 10_000;
const LANES = 4;
const SECONDS = 10;
const READ_LANES = 16;
/** A second, of two processes. */
const READS_BUDGET = 2000;
/** Streams that end, of as many that are under way when their process stops. */
const STREAMS = 2;

export async function run(): Promise<Row[]> {
  const seed = Number(process.env['CLUSTER_SEED'] ?? '1');
  const house = await startHouse();
  try {
    const tenant = await makeTenant(house.database.db, { requests_per_minute: null });
    const reads = await readsOf(house, tenant);
    const crowd = new Crowd(house, tenant, seed);
    const restarts = await restartsOf(house, crowd);
    await crowd.stop();
    await settled(house);
    const faults = await faultsOf(house, crowd);
    for (const fault of faults) console.log(fault);
    const { uploads, jobs, payments, mails } = crowd.acknowledged;
    return [
      ...reads,
      ...restarts,
      figure(
        'cluster: uploads, jobs, payments, mails and streams beside it',
        uploads.length + jobs.length + payments.length + mails.length + crowd.streams.length,
        '',
      ),
      atMost('cluster: lost, there twice, or billed twice', faults.length, '', 0),
    ];
  } finally {
    await house.stop();
  }
}

async function readsOf({ url }: House, tenant: Tenant): Promise<Row[]> {
  const load = new Load(url, tenant, READ_LANES, READS);
  await sleep(scaled(SECONDS) * 1000);
  const { times, failures } = await load.stop();
  if (failures[0] !== undefined) throw new Error(failures[0]);
  return [
    atLeast('cluster: reads by an API key, two processes', times.length / scaled(SECONDS), '1/s', READS_BUDGET),
    figure('cluster: reads, p99', quantile(times, 0.99), 'ms'),
  ];
}

async function restartsOf(house: House, crowd: Crowd): Promise<Row[]> {
  const load = new Load(house.url, crowd.tenant, LANES);
  let restarts = 0;
  while (load.count < scaled(REQUESTS) || restarts === 0)
    for (const [index, member] of house.api.entries()) {
      const worker = house.workers[index];
      const speaking = Array.from({ length: STREAMS }, () =>
        crowd.speak({ clip: clip('two-sentences.wav'), speed: 1 }),
      );
      await Promise.all([restart(house, member), ...(worker ? [restart(house, worker)] : []), ...speaking]);
      restarts += 2;
    }
  const { times, failures } = await load.stop();
  for (const failure of failures.slice(0, 10)) console.log(failure);
  return [
    figure('cluster: restarts of a process under load', restarts, ''),
    atMost(`cluster: failed of ${times.length + failures.length} requests meanwhile`, failures.length, '', 0),
    figure('cluster: requests meanwhile, p50', quantile(times, 0.5), 'ms'),
    figure('cluster: requests meanwhile, p99', quantile(times, 0.99), 'ms'),
  ];
}
