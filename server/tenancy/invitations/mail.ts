import { mailOf, momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { MailMessage } from '../../platform/mail/mail.ts';

/** The mail to somebody who is invited. Names are somebody's own words: they stay on one line. @param link absolute */
export function invitationMail(
  services: Services,
  {
    to,
    organization,
    invitedBy,
    link,
    expiresAt,
  }: { to: string; organization: string; invitedBy: string; link: string; expiresAt: Date },
): MailMessage {
  const name = organization.replaceAll(/\s+/g, ' ');
  return mailOf(
    services,
    to,
    `Join ${name}`,
    [
      `${invitedBy} invites you to the organization ${name} on ${services.config.productName}. Accept here:`,
      `The link works once, for this e-mail address and until ${momentOf(expiresAt)}. If you do not know what this is about, ignore this e-mail.`,
    ],
    link,
    'Accept invitation',
    expiresAt,
  );
}
