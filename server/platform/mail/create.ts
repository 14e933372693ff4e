import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { startJobs, type JobParts, type JobTimes } from '../jobs/start.ts';
import { sealerFor } from '../sealed.ts';
import type { SecretFor } from '../secrets.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';
import { MAILS_SECRET, MAIL, MAIL_TRIES, mailBackoff, mailHandler, queuedMail } from './queue.ts';

/** The largest number of mails sent at the same time. */
const DELIVERIES = 4;

interface Parts extends JobParts {
  config: Config;
  secretFor: SecretFor;
}

/** Gives a mail up after the process has died so often while sending it: the mail may be the cause. */
const INTERRUPTIONS_MAX = 20;

/** Sender of mails: the support address, else `no-reply` at the server's host. */
export function senderOf({
  supportEmail,
  publicUrl,
  host,
}: Pick<Config, 'supportEmail' | 'publicUrl' | 'host'>): string {
  const name = publicUrl === undefined ? host : new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '');
  const literal = { 0: name, 4: `[${name}]`, 6: `[IPv6:${name}]` }[isIP(name)];
  return supportEmail ?? `no-reply@${literal ?? name}`;
}

/**
 * Opens the outbox of mails. With SMTP_URL, starts the worker that sends them; else they go to the local outbox page.
 */
export async function createMail(parts: Parts, times: JobTimes = {}): Promise<Mail> {
  const { config, database, clock, log, secretFor, meters } = parts;
  const { smtpUrl, productName } = config;
  if (smtpUrl === undefined) return outboxMail(clock);
  const { smtpTransport } = await import('./smtp.ts');
  const sealer = sealerFor(secretFor, MAILS_SECRET);
  const transport = smtpTransport(smtpUrl, { name: productName, address: senderOf(config) });
  await startJobs(
    parts,
    {
      handlers: { [MAIL]: mailHandler({ db: database.db, clock, log, meters, sealer, transport }) },
      concurrency: DELIVERIES,
      maxAttempts: MAIL_TRIES,
      backoffMs: mailBackoff,
      maxInterruptions: INTERRUPTIONS_MAX,
    },
    times,
  );
  return queuedMail(sealer, clock);
}
