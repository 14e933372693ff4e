import type { Config } from '../config.ts';
import type { Db } from '../db/open.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';

/** SMTP when SMTP_URL is set, else the local outbox. */
export async function createMail(parts: { config: Config; db: Db; clock: () => Date }): Promise<Mail> {
  const { smtpUrl, productName, supportEmail } = parts.config;
  if (smtpUrl === undefined) return outboxMail(parts.db, parts.clock);
  const { smtpMail } = await import('./smtp.ts');
  return smtpMail(smtpUrl, { name: productName, address: supportEmail });
}
