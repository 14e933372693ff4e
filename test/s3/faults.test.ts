/** A bucket whose service fails, as services and networks do. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStorage } from '#server/platform/storage/port.ts';
import { testFolder } from '../server/template.ts';
import { bodyOf, type Bucket, endpoint, KEY, MIB, newBucket, openBucket } from './buckets.ts';
import { startFaultyWay, type Fault, type FaultyWay } from './faulty-way.ts';

const DAY_MS = 24 * 3_600_000;
/** Short ones: what is waited for here never comes. */
const WAITS = { connectMs: 1000, callMs: 1000, partMs: 1000, idleMs: 500, tries: 2 };
const AWAY = { code: 'unavailable', message: 'The storage of recordings does not answer just now.' };
const SLOW_DOWN = { status: 503, code: 'SlowDown' };

let bucket: Bucket;
let way: FaultyWay;
let storage: FileStorage;
let checkouts: string;
let ahead: number;
beforeEach(async () => {
  [bucket, way] = [await newBucket(), await startFaultyWay(endpoint())];
  checkouts = mkdtempSync(join(testFolder, 'checkouts-'));
  ahead = 0;
  storage = await openBucket(bucket.name, {
    endpoint: way.url,
    waits: WAITS,
    checkouts,
    prefix: 'ours/',
    clock: () => new Date(Date.now() + ahead),
  });
});
afterEach(() => way.close());

const kept = async (): Promise<string[]> => [...(await bucket.keys()), ...(await bucket.uploads())];
/** What befalls the requests that fit, the first so many of them. */
const fail = (fits: RegExp, fault: Fault, times = Infinity): void => {
  let left = times;
  way.fault = ({ method, url }) => (fits.test(`${method} ${url}`) && left-- > 0 ? fault : undefined);
};
const A_PART = /^PUT .*partNumber/;
const THE_END = /^POST .*uploadId/;

describe('OPS-42 a service that fails', () => {
  it.each<[string, Fault]>([
    ['says that it cannot', SLOW_DOWN],
    ['fails inside', { status: 500, code: 'InternalError' }],
    ['closes the connection', 'cut'],
    ['falls silent', 'stall'],
    ['loses its answers', 'lose'],
  ])('OPS-42: is asked again where it %s once: nothing is noticed', async (_how, fault) => {
    const [id, content] = [randomUUID(), randomBytes(17 * MIB)];
    fail(A_PART, fault, 1);
    await storage.put(id, bodyOf(content));
    fail(/^GET/, fault, 1);
    expect((await buffer(await storage.open(id))).equals(content)).toBe(true);
    fail(/^DELETE/, fault, 1);
    await storage.remove(id);
    expect(await kept()).toEqual([]);
  });

  it.each<[string, Fault]>([
    ['says that it cannot', SLOW_DOWN],
    ['fails inside', { status: 500, code: 'InternalError' }],
    ['closes every connection', 'cut'],
    ['never answers', 'stall'],
    ['refuses the key', { status: 403, code: 'InvalidAccessKeyId' }],
    ['has lost the bucket', { status: 404, code: 'NoSuchBucket' }],
  ])('OPS-42: is away where it %s: every call says so, in time', async (_how, fault) => {
    const id = randomUUID();
    await storage.put(id, bodyOf(Buffer.from('sound')));
    fail(/./, fault);
    const begun = performance.now();
    await expect(storage.put(randomUUID(), bodyOf(Buffer.alloc(1000)))).rejects.toMatchObject(AWAY);
    await expect(storage.put(randomUUID(), bodyOf(randomBytes(17 * MIB)))).rejects.toMatchObject(AWAY);
    await expect(storage.open(id)).rejects.toMatchObject(AWAY);
    await expect(storage.checkout(id)).rejects.toMatchObject(AWAY);
    await expect(storage.check(id, 5)).rejects.toMatchObject(AWAY);
    await expect(storage.remove(id)).rejects.toMatchObject(AWAY);
    await expect(storage.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(AWAY);
    await expect(storage.sweep()).rejects.toMatchObject(AWAY);
    // Ten bounds, with as much again for a busy machine.
    expect(performance.now() - begun).toBeLessThan(60_000);
    way.fault = () => undefined;
    expect(String(await buffer(await storage.open(id)))).toBe('sound');
    expect([await bucket.keys(), await readdir(checkouts)]).toEqual([[`ours/${id}`], []]);
  });

  it('OPS-42: an end of an upload whose answer is lost counts, once it is seen to be there', async () => {
    const [id, content] = [randomUUID(), randomBytes(17 * MIB)];
    fail(THE_END, 'lose');
    expect(await storage.put(id, bodyOf(content))).toEqual({ size: content.length });
    expect((await buffer(await storage.open(id))).equals(content)).toBe(true);
    expect(await kept()).toEqual([`ours/${id}`]);
  });

  it.each<[string, Fault]>([
    ['breaks off', { breakAfter: 2_500_000 }],
    ['falls silent in the middle', { stallAfter: 2_500_000 }],
  ])('OPS-42: a reading that %s goes on where it was', async (_how, fault) => {
    const [id, content] = [randomUUID(), randomBytes(9 * MIB)];
    await storage.put(id, bodyOf(content));
    fail(/^GET/, fault);
    expect((await buffer(await storage.open(id))).equals(content)).toBe(true);
    const part = await storage.open(id, { start: 10, end: 5 * MIB });
    expect((await buffer(part)).equals(content.subarray(10, 5 * MIB + 1))).toBe(true);
    const lent = await storage.checkout(id);
    await lent.release();
  });

  it('OPS-42: a reading that cannot go on fails, and a file that was to be lent is gone', async () => {
    const id = randomUUID();
    await storage.put(id, bodyOf(randomBytes(9 * MIB)));
    let asked = 0;
    way.fault = ({ method }) => (method === 'GET' ? (asked++ === 0 ? { breakAfter: MIB } : 'cut') : undefined);
    await expect(storage.checkout(id)).rejects.toMatchObject(AWAY);
    expect(await readdir(checkouts)).toEqual([]);
  });

  it('OPS-42: what it says of a failure is not told with the key', async () => {
    fail(/./, { status: 403, code: 'SignatureDoesNotMatch' });
    const error: unknown = await storage.remove(randomUUID()).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ ...AWAY, cause: { message: expect.stringContaining('SignatureDoesNotMatch') } });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY.secretAccessKey);
  });

  it('OPS-42: that is full is told as what it is, and nothing is kept', async () => {
    // No answer is missing here, however busy the machine is.
    storage = await openBucket(bucket.name, { prefix: 'ours/' });
    await bucket.limit(10 * MIB);
    const full = { code: 'storage_full', message: 'The server has no space left to store this file.' };
    await expect(storage.put(randomUUID(), bodyOf(randomBytes(30 * MIB)))).rejects.toMatchObject(full);
    expect(await kept()).toEqual([]);
    await bucket.limit(100);
    await expect(storage.put(randomUUID(), bodyOf(randomBytes(1000)))).rejects.toMatchObject(full);
    expect(await kept()).toEqual([]);
  });
});

describe('uploads', () => {
  it('OPS-41: an upload holds a few parts in memory, however slow the service is', async () => {
    let read = 0;
    const body = new Readable({
      read() {
        read += MIB;
        this.push(read > 200 * MIB ? null : Buffer.alloc(MIB));
      },
    });
    fail(A_PART, 'stall');
    await expect(storage.put(randomUUID(), body)).rejects.toMatchObject(AWAY);
    expect(read).toBeLessThan(40 * MIB);
  });

  it('OPS-43: what an upload has left whose service went away is removed after a day, and nothing else', async () => {
    await bucket.crash(`ours/${randomUUID()}`);
    await bucket.crash(`theirs/${randomUUID()}`);
    await bucket.crash('ours/something-else');
    let parts = 0;
    way.fault = ({ method, url }) =>
      A_PART.test(`${method} ${url}`) && parts++ === 0 ? undefined : parts > 0 ? 'cut' : undefined;
    await expect(storage.put(randomUUID(), bodyOf(randomBytes(30 * MIB)))).rejects.toMatchObject(AWAY);
    way.fault = () => undefined;
    expect([await storage.sweep(), (await bucket.uploads()).length]).toEqual([0, 4]);
    ahead = DAY_MS + 60_000;
    expect(await storage.sweep()).toBe(2);
    expect(await bucket.uploads()).toEqual(['ours/something-else', expect.stringMatching(/^theirs\//)]);
    expect(await bucket.keys()).toEqual([]);
  });

  it('OPS-40: others in the same bucket are neither seen nor touched', async () => {
    const others = await openBucket(bucket.name, { prefix: 'ours/of-others/' });
    const nobodys = await openBucket(bucket.name);
    const id = randomUUID();
    for (const each of [others, nobodys]) await each.put(id, bodyOf(Buffer.from('theirs')));
    expect(await storage.list()[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    await storage.remove(id);
    expect(await bucket.keys()).toEqual([id, `ours/of-others/${id}`].toSorted());
  });
});

describe('OPS-45 a start', () => {
  const start = (options: Parameters<typeof openBucket>[1], name = bucket.name): Promise<unknown> =>
    openBucket(name, { endpoint: way.url, waits: WAITS, ...options });

  it('OPS-45: says that there is no such bucket', async () => {
    await expect(start({}, 'nowhere')).rejects.toThrow(
      `There is no bucket nowhere at ${way.url}. Create it, or correct S3_BUCKET or S3_ENDPOINT.`,
    );
  });

  it.each([
    ['secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['key', { accessKeyId: 'test:nobody' }, 'SignatureDoesNotMatch'],
  ])('OPS-45: says that the %s is wrong', async (_what, wrong, code) => {
    await expect(start(wrong)).rejects.toThrow(
      `The storage at ${way.url} refuses the key (${code}). Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or allow that key to read, write, delete and list in the bucket ${bucket.name}.`,
    );
  });

  it.each<[string, Fault, string]>([
    ['nobody is there', 'cut', 'ECONNRESET'],
    ['nobody answers', 'stall', 'ETIMEDOUT'],
    ['something else answers', { status: 418, code: 'Teapot' }, 'Teapot'],
  ])('OPS-45: says that %s', async (_what, fault, code) => {
    fail(/./, fault);
    await expect(start({})).rejects.toThrow(
      `The storage at ${way.url} does not answer as one that speaks S3 (${code}). Start it, or correct S3_ENDPOINT.`,
    );
  });
});
