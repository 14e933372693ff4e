import { mailOf, momentOf, type Sender } from '../../identity/accounts/mails.ts';
import type { MailMessage } from '../../platform/mail/mail.ts';

/** The invitation mail. Puts the organization's name on one line, because a user chose it. @param link absolute URL */
export function invitationMail(
  services: Sender,
  {
    to,
    organization,
    invitedBy,
    link,
    expiresAt,
  }: { to: string; organization: string; invitedBy: string; link: string; expiresAt: Date },
): MailMessage {
  const name = organization.replaceAll(/\s+/g, ' ');
  return mailOf(services, {
    to,
    link,
    expiresAt,
    title: `Join ${name}`,
    before: `${invitedBy} invites you to the organization ${name} on ${services.config.productName}.`,
    action: 'Accept invitation',
    after: `This link works once, for this address only, and expires on ${momentOf(expiresAt)}.`,
    reason: `${invitedBy} entered this address. If you don't know what this is about, ignore this e-mail.`,
  });
}
