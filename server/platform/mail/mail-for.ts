import type { Config } from '../config.ts';
import { sealerFor } from '../sealed.ts';
import type { SecretFor } from '../secrets.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';
import { MAILS_SECRET, queuedMail } from './queue.ts';

/** Returns the mail service that writes mails to the queue for the mail server, or to the outbox page. */
export const mailFor = ({ smtpUrl }: Pick<Config, 'smtpUrl'>, secretFor: SecretFor, clock: () => Date): Mail =>
  smtpUrl === undefined ? outboxMail(clock) : queuedMail(sealerFor(secretFor, MAILS_SECRET), clock);
