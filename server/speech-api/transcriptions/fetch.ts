import { basename } from 'node:path/posix';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { cleanFilename } from '../files/names.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { NotAllowed, type Outgoing } from '../../platform/outgoing/client.ts';
import { BadAnswer, download, TooLarge } from '../../platform/outgoing/download.ts';
import { isStorageAway, StorageError, type FileStorage } from '../../platform/storage/port.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { failTranscription, lockProjectOf, TRANSCRIBE, type Failure } from './finish.ts';
import { STORAGE_WAIT_MS, StoragePatience, UNREACHED } from './storage-away.ts';

/** The kind of job that fetches an `audio_url`, then queues {@link TRANSCRIBE}. Its subject is the transcription. */
export const FETCH_AUDIO = 'fetch-audio';
/** Tries while the server does not answer, or answers with a temporary error. */
export const FETCH_TRIES = 3;
/** Longest time without a byte. */
const IDLE_MS = 30_000;
/** Longest download. */
const WHOLE_MS = 900_000;

/**
 * The largest number of fetched recordings that may wait to be transcribed, to save disk space. A few downloads at once
 * may exceed it.
 */
const KEPT_MAX = 8;
/** Further recordings, for organizations that have none waiting: so one organization cannot block the others. */
const EXTRA_KEPT_MAX = 8;
/** Time until a fetch without room tries again. */
const WAIT_MS = 2000;

type Parts = Pick<Services, 'db' | 'clock' | 'config'> & {
  storage: FileStorage;
  outgoing: Outgoing;
  maxUploadBytes: number;
};

const UNREACHABLE = 'audio_url_unreachable';
const NO_ANSWER: Failure = {
  type: UNREACHABLE,
  message: 'The file behind audio_url could not be fetched: its server does not answer.',
};
/** HTTP statuses below 500 that are worth a retry. */
const TEMPORARY = new Set([408, 425, 429]);
const isTemporary = (status: number): boolean => status >= 500 || TEMPORARY.has(status);

/** The failure of the transcription, if no retry can help; undefined to retry. */
function finalFailure(error: unknown, maxBytes: number): Failure | undefined {
  if (error instanceof NotAllowed)
    return {
      type: 'audio_url_not_allowed',
      message: 'The audio_url does not lead to a server on the public internet.',
    };
  if (error instanceof TooLarge)
    return { type: 'file_too_large', message: `The file behind audio_url is larger than ${maxBytes} bytes.` };
  if (error instanceof BadAnswer && (error.status === undefined || !isTemporary(error.status)))
    return { type: UNREACHABLE, message: `The file behind audio_url could not be fetched. ${error.message}` };
  if (error instanceof StorageError && error.code === 'storage_full')
    return { type: error.code, message: error.message };
  return undefined;
}

/** Names the transcription of an `audio_url`: the last part of the URL's path. */
export function filenameOf(audioUrl: string): string {
  const { pathname } = new URL(audioUrl);
  const last = basename(pathname);
  try {
    return cleanFilename(decodeURIComponent(last));
  } catch {
    return cleanFilename(last);
  }
}

/** Fetches the recording of a transcription and stores it under the transcription's id until it is transcribed. */
export function fetchHandler({ db, clock, storage, outgoing, maxUploadBytes }: Parts): JobHandler {
  const patience = new StoragePatience();
  return {
    async run(job) {
      const row = await db
        .selectFrom('transcriptions')
        .select(['audio_url', 'project_id'])
        .where('id', '=', job.subject)
        .where('status', '=', 'queued')
        .executeTakeFirst();
      if (!row?.audio_url) return job.complete(db);
      if (!(await hasRoom(db, row.project_id))) return job.postpone(new Date(clock().getTime() + WAIT_MS));
      let failure: Failure | undefined;
      try {
        const signal = AbortSignal.any([job.signal, AbortSignal.timeout(WHOLE_MS)]);
        await storage.put(
          job.subject,
          await download(outgoing, row.audio_url, { maxBytes: maxUploadBytes, idleMs: IDLE_MS, signal }),
        );
      } catch (error) {
        if (patience.isWorthWaiting(job.id, error, clock()))
          return job.postpone(new Date(clock().getTime() + STORAGE_WAIT_MS));
        failure = finalFailure(error, maxUploadBytes);
        if (!failure) throw error;
      }
      patience.end(job.id);
      try {
        await db.transaction().execute(async (trx) => {
          await lockProjectOf(trx, job.subject);
          await job.complete(trx);
          if (failure) await failTranscription(trx, job.subject, failure, clock());
          else await enqueue(trx, { kind: TRANSCRIBE, subject: job.subject, now: clock(), projectId: row.project_id });
        });
      } catch (error) {
        // If the transcription was deleted or cancelled during the fetch, nobody else removes the recording.
        if (
          !(await db
            .selectFrom('transcriptions')
            .select('id')
            .where('id', '=', job.subject)
            .where('status', 'in', ['queued', 'processing'])
            .executeTakeFirst())
        )
          await removeStored({ db, storage, clock }, job.subject);
        throw error;
      }
    },
    async lock(trx, job) {
      await lockProjectOf(trx, job.subject);
    },
    waiting: () => Promise.resolve(),
    givenUp(trx, job, error) {
      patience.end(job.id);
      return failTranscription(trx, job.subject, isStorageAway(error) ? UNREACHED : NO_ANSWER, clock());
    },
  };
}

/** Whether a project may fetch one more recording, given those that wait to be transcribed. */
async function hasRoom(db: Db, projectId: string): Promise<boolean> {
  const { all, own } = await db
    .selectFrom('jobs')
    .innerJoin('transcriptions', 'transcriptions.id', 'jobs.subject')
    .select((eb) => [
      eb.fn.countAll().as('all'),
      eb.fn
        .countAll()
        .filterWhere(
          'jobs.organization_id',
          '=',
          eb.selectFrom('projects').select('organization_id').where('id', '=', projectId),
        )
        .as('own'),
    ])
    .where('jobs.kind', '=', TRANSCRIBE)
    .where('jobs.state', '<>', 'dead')
    .where('transcriptions.audio_url', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(all) < KEPT_MAX || (Number(own) === 0 && Number(all) < KEPT_MAX + EXTRA_KEPT_MAX);
}
