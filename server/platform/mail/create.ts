import { isIP } from 'node:net';
import type { Closing } from '../closing.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { JobWorker, type WorkerOptions } from '../jobs/worker.ts';
import type { Log } from '../log.ts';
import { sealerFor } from '../sealed.ts';
import type { SecretFor } from '../secrets.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';
import { MAILS_SECRET, MAIL, MAIL_TRIES, mailBackoff, mailHandler, queuedMail } from './queue.ts';

/** Mails that are handed over at the same time. */
const DELIVERIES = 4;

interface Parts {
  config: Config;
  database: Database;
  clock: () => Date;
  log: Log;
  secretFor: SecretFor;
  closing: Closing;
}

/** Kills of the process in the middle of a hand-over, before a mail is suspected of causing them. */
const INTERRUPTIONS_MAX = 20;

/** Whom mails are from: the support's address, or one of the server's own host that takes no answers. */
export function senderOf({
  supportEmail,
  publicUrl,
  host,
}: Pick<Config, 'supportEmail' | 'publicUrl' | 'host'>): string {
  const name = publicUrl === undefined ? host : new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '');
  const literal = { 0: name, 4: `[${name}]`, 6: `[IPv6:${name}]` }[isIP(name)];
  return supportEmail ?? `no-reply@${literal ?? name}`;
}

/** SMTP when SMTP_URL is set, with the worker that hands mails over; else the local outbox. */
export async function createMail(
  { config, database, clock, log, secretFor, closing }: Parts,
  jobs: Partial<WorkerOptions> = {},
): Promise<Mail> {
  const { smtpUrl, productName } = config;
  if (smtpUrl === undefined) return outboxMail(clock);
  const { smtpTransport } = await import('./smtp.ts');
  const sealer = sealerFor(secretFor, MAILS_SECRET);
  const transport = smtpTransport(smtpUrl, { name: productName, address: senderOf(config) });
  const worker = new JobWorker({
    database,
    clock,
    log,
    handlers: { [MAIL]: mailHandler({ db: database.db, clock, log, sealer, transport }) },
    concurrency: DELIVERIES,
    maxAttempts: MAIL_TRIES,
    backoffMs: mailBackoff,
    maxInterruptions: INTERRUPTIONS_MAX,
    ...jobs,
  });
  await worker.start();
  closing.add('jobs', `jobs: ${MAIL}`, () => worker.stop());
  return queuedMail(sealer, clock);
}
