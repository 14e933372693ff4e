import { describe, expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { meteredStorage } from '#server/platform/storage/metered.ts';
import { StorageError, type FileStorage } from '#server/platform/storage/port.ts';
import { METRICS, type Metric } from '#server/platform/telemetry/catalogue.ts';
import { prometheusMeters } from '#server/platform/telemetry/prometheus.ts';
import { read } from '../scraped.ts';

const start = (patienceMs?: number) => {
  const meters = prometheusMeters(createLog('silent'), patienceMs);
  return { meters, scrape: async () => read((await meters.scrape()).body) };
};

describe('the catalogue', () => {
  it.each(Object.entries<Metric>(METRICS))(
    'OPS-61 %s is named as Prometheus wants it',
    (name, { kind, help, labels }) => {
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(kind !== 'histogram' || name.endsWith('_seconds')).toBe(true);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|mb)\b/);
      expect(help).toMatch(/^[A-Z].*\.$/);
      expect(Object.keys(labels)).not.toContain('le');
    },
  );

  it('OPS-61 knows each counter whose labels are known before it has counted anything', async () => {
    const { scrape } = start();
    const told = await scrape();
    expect(told.value('parlance_mails_total', { outcome: 'failed' })).toBe(0);
    expect(told.value('parlance_mails_waiting')).toBeUndefined();
    expect([...told.names]).toEqual(expect.arrayContaining(Object.keys(METRICS)));
  });
});

describe('a part that is asked', () => {
  it('OPS-62 too slowly is left out, is not asked twice at a time, and is there again', async () => {
    const { meters, scrape } = start(20);
    let asked = 0;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    meters.addReader('database', async (tell) => {
      asked += 1;
      await answered;
      tell('parlance_mails_waiting', {}, 2);
    });
    meters.addReader('process', (tell) => tell('parlance_recognizer_workers', {}, 2));
    for (const failures of [1, 2]) {
      const told = await scrape();
      expect(told.value('parlance_mails_waiting')).toBeUndefined();
      expect(told.value('parlance_recognizer_workers')).toBe(2);
      expect(told.value('parlance_scrape_failures_total', { part: 'database' })).toBe(failures);
    }
    expect(asked).toBe(1);
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await scrape()).value('parlance_mails_waiting')).toBe(2);
  });

  it('OPS-62 tells no value that it does not know any more', async () => {
    const { meters, scrape } = start();
    let kinds = ['a', 'b'];
    meters.addReader('database', (tell) => {
      for (const kind of kinds) tell('parlance_jobs_waiting', { kind }, 1);
    });
    meters.addReader('process', (tell) => tell('parlance_jobs_waiting', { kind: 'c' }, 1));
    expect((await scrape()).value('parlance_jobs_waiting')).toBe(3);
    kinds = ['b'];
    const told = await scrape();
    expect(told.value('parlance_jobs_waiting', { kind: 'a' })).toBeUndefined();
    expect(told.value('parlance_jobs_waiting')).toBe(2);
  });
});

it('OPS-61 counts the failures of the storage by call and cause', async () => {
  const { meters, scrape } = start();
  const failing: Partial<FileStorage> = {
    exists: () => Promise.reject(new StorageError('unavailable', 'away')),
    remove: () => Promise.reject(new Error('?')),
    readNote: () => Promise.resolve('x'),
  };
  const storage = meteredStorage(failing as FileStorage, meters);
  await expect(storage.exists('1')).rejects.toThrow('away');
  await expect(storage.remove('1')).rejects.toThrow('?');
  expect(await storage.readNote()).toBe('x');
  const told = await scrape();
  expect(told.value('parlance_storage_failures_total', { call: 'exists', cause: 'unavailable' })).toBe(1);
  expect(told.value('parlance_storage_failures_total', { call: 'remove', cause: 'other' })).toBe(1);
  expect(told.value('parlance_storage_failures_total')).toBe(2);
  // An increase is seen only from a value that was told before.
  for (const [call, cause] of [
    ['put', 'storage_full'],
    ['open', 'not_found'],
    ['check', 'not_found'],
    ['check', 'wrong_size'],
    ['checkout', 'not_found'],
  ] as const)
    expect(told.value('parlance_storage_failures_total', { call, cause })).toBe(0);
  expect(told.value('parlance_storage_call_duration_seconds_count')).toBe(3);
});
