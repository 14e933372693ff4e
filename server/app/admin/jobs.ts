/** Commands for jobs that were given up. */
import { sql } from 'kysely';
import { type OperatorParts } from '../../money/limits/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { BUDGET_ALERT, PROJECT_BUDGET_ALERT } from '../../money/limits/alerts.ts';
import { AUTOPAY } from '../../money/ledger/schedule.ts';
import { FORGET_METHOD } from '../../money/payments/forget.ts';
import { CLOSE_CUSTOMER } from '../../money/payments/leave.ts';
import { TEST_EVENT } from '../../money/payments/test-driver.ts';
import { JOBS_CHANNEL } from '../../platform/jobs/queue.ts';
import { MAIL } from '../../platform/mail/queue.ts';
import { REMOVE_STORED } from '../../platform/storage/remove-stored.ts';
import { FETCH_AUDIO } from '../../speech-api/transcriptions/fetch.ts';
import { TRANSCRIBE, WEBHOOK } from '../../speech-api/transcriptions/finish.ts';

type Parts = Pick<OperatorParts, 'db' | 'clock'>;

/** Kinds that may run again. */
const RETRYABLE: ReadonlySet<string> = new Set([
  WEBHOOK,
  MAIL,
  REMOVE_STORED,
  AUTOPAY,
  CLOSE_CUSTOMER,
  FORGET_METHOD,
  BUDGET_ALERT,
  PROJECT_BUDGET_ALERT,
]);

const ENDED =
  'its transcription has ended with an error, which the customer has seen, and its usage is written. The customer can transcribe the recording again.';
/** Why the other kinds may not. */
const NEVER: Readonly<Record<string, string>> = {
  [TRANSCRIBE]: ENDED,
  [FETCH_AUDIO]: ENDED,
  [TEST_EVENT]: 'its event of a test payment is no longer kept.',
};

/** Lists jobs that were given up, latest first. `since`: when; earlier versions wrote when the last run was due. */
export async function listDeadJobs({ db }: Parts) {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'subject', 'attempts', 'last_error', 'run_at', 'created_at', 'request_id'])
    .where('state', '=', 'dead')
    .orderBy('run_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ attempts, run_at, created_at, ...row }) => ({
    ...row,
    tries: attempts,
    since: run_at.toISOString(),
    created_at: created_at.toISOString(),
  }));
}

/** Lets a job run again, as if it had not been tried. @throws OperatorError if it must not, or another does the same */
export async function retryJob({ db, clock }: Parts, given: string) {
  const id = jobIdOf(given);
  await db.transaction().execute(async (trx) => {
    const job = await trx
      .selectFrom('jobs')
      .select(['kind', 'subject'])
      .where('id', '=', id)
      .where('state', '=', 'dead')
      .forUpdate()
      .executeTakeFirst();
    if (job === undefined) throw jobNotFound(id);
    const { kind, subject } = job;
    if (!RETRYABLE.has(kind))
      throw new OperatorError(
        `Job ${id} (${kind}) cannot run again: ${NEVER[kind] ?? 'this version does not know its kind.'} To delete it: npm run admin -- jobs drop ${id}`,
      );
    const other = await trx
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .where('state', '<>', 'dead')
      .executeTakeFirst();
    if (other) throw new OperatorError(`Job ${other.id} already does the same. Nothing was changed.`);
    const mail = kind === MAIL && trx.selectFrom('mails').select('id').where('id', '=', subject);
    if (mail && !(await mail.executeTakeFirst()))
      throw new OperatorError(`The mail of job ${id} is no longer kept. Nothing was changed.`);
    await trx
      .updateTable('jobs')
      .set({ state: 'ready', attempts: 0, interruptions: 0, run_at: clock() })
      .where('id', '=', id)
      .execute();
    await sql`select pg_notify(${JOBS_CHANNEL}, ${kind})`.execute(trx);
  });
  return { text: `Job ${id} runs again.`, data: { id, state: 'ready' } };
}

/** Deletes a job that was given up, and the mail of a mail job. @throws OperatorError if there is no such job */
export async function dropJob({ db }: Parts, given: string) {
  const id = jobIdOf(given);
  await db.transaction().execute(async (trx) => {
    const job = await trx
      .deleteFrom('jobs')
      .where('id', '=', id)
      .where('state', '=', 'dead')
      .returning(['kind', 'subject'])
      .executeTakeFirst();
    if (job === undefined) throw jobNotFound(id);
    if (job.kind === MAIL) await trx.deleteFrom('mails').where('id', '=', job.subject).execute();
  });
  return { text: `Job ${id} was dropped.`, data: { id } };
}

const jobNotFound = (id: number): OperatorError =>
  new OperatorError(`There is no job ${id} that was given up. See: npm run admin -- jobs list`);

function jobIdOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new OperatorError(`${JSON.stringify(text)} is no id of a job. It is a number; jobs list shows it.`);
  return Number(text);
}
