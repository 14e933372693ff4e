import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Db } from '../db/database.ts';
import { enqueue } from '../jobs/queue.ts';
import type { JobHandler, RunningJob } from '../jobs/worker.ts';
import type { Log } from '../log.ts';
import type { LabelsOf } from '../telemetry/catalogue.ts';
import type { Meters } from '../telemetry/meters.ts';
import { Unreadable, type Sealer } from '../sealed.ts';
import type { Mail } from './mail.ts';
import { NotTaken, type Transport } from './smtp.ts';

/** The kind of job that hands a mail to the mail server. Its subject is the row in `mails`. */
export const MAIL = 'mail';
/** The purpose of the key that mails are sealed with. */
export const MAILS_SECRET = 'letters that wait for the mail server';
/** Longest time for one attempt, however slow the mail server is. */
const TIME_LIMIT_MS = 60_000;

const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 3600_000;
/** Random part of a wait, in either direction, so that retries do not come all at once. */
const JITTER = 0.25;
/** Attempts for one mail; the last one is about a day after the first. */
export const MAIL_TRIES = 32;

/** Wait before the next attempt in milliseconds, by the number of attempts so far: doubles up to an hour. */
export function mailBackoff(attempts: number, random: () => number = Math.random): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return Math.round(wait * (1 + JITTER * (2 * random() - 1)));
}

/** Mails read at once to find their recipients. */
const MAILS_READ = 200;

const Sealed = v.object({ to: v.string(), subject: v.string(), text: v.string(), html: v.string() });

/** Queues mails for the mail server, sealed. */
export function queuedMail(sealer: Sealer, clock: () => Date): Mail {
  return {
    async send(transaction, { expiresAt, ...mail }) {
      const id = randomUUID();
      const now = clock();
      await transaction
        .insertInto('mails')
        .values({ id, sealed: sealer.seal(JSON.stringify(mail), id), expires_at: expiresAt ?? null, created_at: now })
        .execute();
      await enqueue(transaction, { kind: MAIL, subject: id, now });
    },
    async forget(transaction, addresses) {
      const lower = new Set(addresses.map((address) => address.toLowerCase()));
      // Recipients are sealed, so open every mail. The jobs of deleted mails find nothing to send, and end.
      for (let last: string | undefined; ;) {
        const after = last;
        const rows = await transaction
          .selectFrom('mails')
          .select(['id', 'sealed'])
          .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
          .orderBy('id')
          .limit(MAILS_READ)
          .execute();
        const theirs = rows.filter(({ id, sealed }) => isTo(sealer, lower, id, sealed)).map(({ id }) => id);
        if (theirs.length > 0) await transaction.deleteFrom('mails').where('id', 'in', theirs).execute();
        last = rows.at(-1)?.id;
        if (rows.length < MAILS_READ) return;
      }
    },
  };
}

/**
 * Whether a mail goes to one of the addresses; false if it was sealed with a lost key, so that it cannot be sent
 * either.
 */
function isTo(sealer: Sealer, addresses: ReadonlySet<string>, id: string, sealed: string): boolean {
  try {
    return addresses.has(v.parse(Sealed, JSON.parse(sealer.open(sealed, id))).to.toLowerCase());
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** Sends a mail. Deletes it once the mail server has taken it or refused it for good, or its link has expired. */
export function mailHandler({
  db,
  clock,
  log,
  meters,
  sealer,
  transport,
}: {
  db: Db;
  clock: () => Date;
  log: Log;
  meters: Meters;
  sealer: Sealer;
  transport: Transport;
}): JobHandler {
  const count = (outcome: LabelsOf<'parlance_mails_total'>['outcome']): void =>
    meters.count('parlance_mails_total', { outcome });
  const done = (job: RunningJob): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx.deleteFrom('mails').where('id', '=', job.subject).execute();
      await job.complete(trx);
    });

  return {
    async run(job) {
      const row = await db.selectFrom('mails').selectAll().where('id', '=', job.subject).executeTakeFirst();
      if (row === undefined) return job.complete(db);
      if (row.expires_at !== null && row.expires_at <= clock()) {
        log.warn(
          { mail: row.id, attempts: job.attempts - 1 },
          'a mail was dropped: its link has expired before the mail server took it',
        );
        count('expired');
        return done(job);
      }
      try {
        const mail = v.parse(Sealed, JSON.parse(sealer.open(row.sealed, row.id)));
        await transport.send(mail, row.id, AbortSignal.any([job.signal, AbortSignal.timeout(TIME_LIMIT_MS)]));
        log.info({ mail: row.id, attempts: job.attempts }, 'a mail was handed to the mail server');
        count('sent');
      } catch (error) {
        const isFinal = error instanceof Unreadable || (error instanceof NotTaken && error.isFinal);
        count(isFinal ? 'refused' : 'failed');
        if (!isFinal || job.signal.aborted) throw error;
        log.error(
          { err: error, mail: row.id },
          error instanceof Unreadable ? 'a mail was dropped: it cannot be read' : 'a mail was refused for good',
        );
      }
      await done(job);
    },
    waiting: () => Promise.resolve(),
    // Keep the mail for a while, so that the operator can retry it.
    givenUp(_trx, job) {
      log.error(
        { mail: job.subject, attempts: job.attempts },
        'a mail was given up: the mail server did not take it for a day',
      );
      count('given_up');
      return Promise.resolve();
    },
  };
}
