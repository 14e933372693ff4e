/** What must be so in the end, whatever happened: nothing acknowledged is lost, nothing is there or billed twice. */
import * as v from 'valibot';
import { FileUrl } from '#contract/files.ts';
import { Transcript } from '#contract/transcriptions.ts';
import { checkBooks } from '#server/app/admin/books.ts';
import { words } from '../audio/wer.ts';
import { Client, Diary, read } from './client.ts';
import type { Crowd } from './crowd.ts';
import type { House } from './house.ts';
import { until } from './program.ts';
import { CLIP } from './recording.ts';
import { PAID_MICROS, withKey } from './works.ts';

/** Waits until nothing is under way any more: jobs are done, streams have ended, mails are sent. */
export async function settled({ database: { db } }: House): Promise<void> {
  await until('all jobs are done', async () => {
    const { left } = await db
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .where('state', '!=', 'dead')
      .executeTakeFirstOrThrow();
    return left === 0;
  });
  await until('all streams have ended', async () => {
    const running = await db.selectFrom('live_sessions').select('id').where('status', '=', 'running').execute();
    return running.length === 0;
  });
}

/** @returns all that is not as it must be, a line each */
export async function faultsOf(house: House, crowd: Crowd): Promise<string[]> {
  return [
    ...crowd.diary.faults,
    ...(await lostUploads(house, crowd)),
    ...(await lostJobs(house, crowd)),
    ...(await wrongRows(house, crowd)),
    ...(await wrongStreams(house, crowd)),
    ...(await wrongPayments(house, crowd)),
    ...lostMails(house, crowd),
    ...wrongLogs(house),
  ];
}

async function lostUploads({ url }: House, { acknowledged, tenant }: Crowd): Promise<string[]> {
  const client = new Client(url, new Diary());
  const faults: string[] = [];
  for (const { id, content } of acknowledged.uploads) {
    const answer = await client.ask({ method: 'GET', path: `/v1/files/${id}/url`, headers: withKey(tenant.key) });
    if (answer.status !== 200) faults.push(`upload ${id} is lost: ${answer.status}`);
    else {
      const { pathname, search } = new URL(read(FileUrl, answer).url);
      const { bytes } = await client.ask({ method: 'GET', path: pathname + search, headers: {} });
      if (!bytes.equals(content)) faults.push(`upload ${id} has other bytes`);
    }
  }
  return faults;
}

async function lostJobs({ url, database: { db } }: House, { acknowledged, tenant }: Crowd): Promise<string[]> {
  const client = new Client(url, new Diary());
  const faults: string[] = [];
  for (const { id } of acknowledged.jobs) {
    const path = `/v1/transcriptions/${id}/transcript`;
    const answer = await client.ask({ method: 'GET', path, headers: withKey(tenant.key) });
    const text = answer.status === 200 ? read(Transcript, answer).text : String(answer.bytes);
    if (words(text).join(' ') !== words(CLIP.text).join(' ')) faults.push(`transcription ${id}: ${text}`);
  }
  const dead = await db.selectFrom('jobs').select(['kind', 'last_error']).where('state', '=', 'dead').execute();
  return [...faults, ...dead.map(({ kind, last_error }) => `a job was given up: ${kind}, ${last_error}`)];
}

/** What is there more often than it was asked for, and what was not billed once. */
async function wrongRows({ database: { db } }: House, { acknowledged, tenant }: Crowd): Promise<string[]> {
  const faults: string[] = [];
  const of = { uploads: 'files', jobs: 'transcriptions' } as const;
  for (const kind of ['uploads', 'jobs'] as const) {
    const rows = await db
      .selectFrom(of[kind])
      .select(['id', 'client_reference_id'])
      .where('project_id', '=', tenant.projectId)
      .execute();
    for (const { id, reference, tries } of acknowledged[kind]) {
      const found = rows.filter((row) => row.client_reference_id === reference);
      if (found.length > tries || !found.some((row) => row.id === id))
        faults.push(`${kind} ${id}: asked for ${tries} times, there ${found.length} times`);
    }
  }
  const ended = await db
    .selectFrom('transcriptions')
    .leftJoin('usage_rows', 'usage_rows.id', 'transcriptions.id')
    .select(({ fn }) => ['transcriptions.id', fn.count<number>('usage_rows.id').as('billed')])
    .where('transcriptions.project_id', '=', tenant.projectId)
    .groupBy('transcriptions.id')
    .execute();
  return [
    ...faults,
    ...ended
      .filter(({ billed }) => billed !== 1)
      .map(({ id, billed }) => `transcription ${id} is billed ${billed} times`),
  ];
}

/**
 * A stream has told what was spoken; one that was told to begin again, or was cut, only the beginning of it. Each is
 * billed once, and no less than it was told.
 */
async function wrongStreams({ database: { db } }: House, { streams, tenant }: Crowd): Promise<string[]> {
  const rows = await db
    .selectFrom('usage_rows')
    .select(['client_reference_id', 'status', 'audio_ms'])
    .where('project_id', '=', tenant.projectId)
    .where('kind', '=', 'real_time')
    .execute();
  return streams.flatMap(({ reference, words: spokenWords, end, text, finalMs }) => {
    const [spoken, said] = [words(spokenWords).join(' '), words(text).join(' ')];
    const billed = rows.filter((row) => row.client_reference_id === reference);
    const isWhole = end === 'finished';
    return [
      ...((isWhole ? said !== spoken : !spoken.startsWith(said)) ? [`stream ${reference} (${end}) said: ${text}`] : []),
      ...(isWhole && (billed.length !== 1 || billed[0]?.status !== 'completed' || billed[0].audio_ms < finalMs)
        ? [`stream ${reference}: finished with ${finalMs} ms, billed ${JSON.stringify(billed)}`]
        : []),
      // What it heard last is billed too, unless its process was killed.
      ...(finalMs > 0 && !isWhole && (billed.length !== 1 || (end === 'again' && (billed[0]?.audio_ms ?? 0) < finalMs))
        ? [`stream ${reference}: ${end} after ${finalMs} ms, billed ${JSON.stringify(billed)}`]
        : []),
      ...(billed.length > 1 ? [`stream ${reference} is billed ${billed.length} times`] : []),
    ];
  });
}

async function wrongPayments({ database: { db } }: House, { acknowledged }: Crowd): Promise<string[]> {
  const entries = await db
    .selectFrom('ledger_entries')
    .select(['payment_id', 'amount_micros'])
    .where('kind', '=', 'payment')
    .execute();
  const { text, data } = await checkBooks(db);
  return [
    ...acknowledged.payments.flatMap((attempt) => {
      const found = entries.filter(({ payment_id }) => payment_id === attempt);
      return found.length === 1 && found[0]?.amount_micros === PAID_MICROS
        ? []
        : [`payment ${attempt} is entered as ${JSON.stringify(found)}`];
    }),
    ...(entries.length === new Set(entries.map(({ payment_id }) => payment_id)).size
      ? []
      : ['a payment is entered twice']),
    ...(Object.values(data).every((list) => list.length === 0) ? [] : [text]),
  ];
}

const lostMails = ({ mails: { received } }: House, { acknowledged }: Crowd): string[] =>
  acknowledged.mails
    .filter((address) => !received.some(({ to }) => to.includes(address)))
    .map((address) => `no mail has come to ${address}`);

const Line = v.object({ level: v.number(), msg: v.string(), status: v.optional(v.number()) });

/** What no process may write down: an answer of 500, or something that nobody has caught. */
const wrongLogs = ({ api, workers }: House): string[] =>
  [...api, ...workers].flatMap(({ name, said }) =>
    said
      .split('\n')
      .filter((line) => {
        if (!line.startsWith('{')) return /unhandled|uncaught|MaxListeners|^\s+at /i.test(line);
        // One that a kill has cut in the middle tells nothing.
        if (!line.endsWith('}')) return false;
        const parsed = v.safeParse(Line, JSON.parse(line));
        return !parsed.success || parsed.output.status === 500 || parsed.output.level >= 60;
      })
      .map((line) => `${name}: ${line}`),
  );
