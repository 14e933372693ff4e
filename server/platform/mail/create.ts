import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { startJobs, type JobParts, type JobTimes } from '../jobs/start.ts';
import { sealerFor } from '../sealed.ts';
import type { SecretFor } from '../secrets.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';
import { MAILS_SECRET, MAIL, MAIL_TRIES, mailBackoff, mailHandler, queuedMail } from './queue.ts';

/** Mails that are handed over at the same time. */
const DELIVERIES = 4;

interface Parts extends JobParts {
  config: Config;
  secretFor: SecretFor;
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
