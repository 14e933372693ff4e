import type { Services } from '../../platform/context.ts';
import { letterHtml, letterText } from '../../platform/mail/letter.ts';
import type { MailMessage } from '../../platform/mail/mail.ts';

/** The settings that mails need. */
export interface Sender {
  config: Pick<Services['config'], 'productName' | 'supportEmail'>;
}
/** The recipient of a mail, and the absolute address of its button. */
type To = [services: Sender, to: string, link: string];
/** {@link To} with the time at which the link expires. */
type ToInTime = [...To, expiresAt: Date];

/** The mails of this area. */
export const activationMail = (...[services, to, link, expiresAt]: ToInTime): MailMessage =>
  mailOf(services, {
    to,
    link,
    expiresAt,
    title: 'Activate your account',
    before: 'Welcome! Choose a password to activate your account.',
    action: 'Activate account',
    after: onceUntil(expiresAt),
    reason: "someone asked for an account with this address. If it wasn't you, ignore this e-mail.",
  });

export const accountExistsMail = (...[services, to, link]: To): MailMessage =>
  mailOf(services, {
    to,
    link,
    title: 'You already have an account',
    before: 'Someone, probably you, asked for an account with this address. You have one already, so sign in.',
    action: 'Sign in',
    after: 'Forgot your password? The sign-in page lets you set a new one.',
    reason: "someone asked for an account with this address. If it wasn't you, ignore this e-mail.",
  });

export const recoveryMail = (...[services, to, link, expiresAt]: ToInTime): MailMessage =>
  mailOf(services, {
    to,
    link,
    expiresAt,
    title: 'Choose a new password',
    before: 'Someone, probably you, asked for a new password for your account.',
    action: 'Choose a new password',
    after: onceUntil(expiresAt),
    reason:
      "someone asked for a new password for the account with this address. If it wasn't you, ignore this e-mail: your password stays as it is.",
  });

export const noAccountMail = (...[services, to, link]: To): MailMessage =>
  mailOf(services, {
    to,
    link,
    title: 'There is no account with this address',
    before:
      'Someone, probably you, asked for a new password, but there is no account with this address. Try your other addresses, or create an account.',
    action: 'Sign up',
    after: 'You can sign up with this address or any other.',
    reason: "someone asked for a new password for this address. If it wasn't you, ignore this e-mail.",
  });

export const passwordChangedMail = (...[services, to, link]: To): MailMessage =>
  mailOf(services, {
    to,
    link,
    title: 'Your password was changed',
    before:
      "The password of your account was changed, and all other sessions were signed out. If it wasn't you, choose a new one now.",
    action: 'Choose a new password',
    after: 'If it was you, there is nothing to do.',
    reason: 'you have an account with this address, and its password changed.',
  });

export const failedSignInsMail = (...[services, to, link]: To): MailMessage =>
  mailOf(services, {
    to,
    link,
    title: 'Many failed sign-ins to your account',
    before:
      'Someone tried many wrong passwords for your account. Devices that you have not used before now have to wait a minute between tries; devices that you have used are not affected. If your password is short or used elsewhere, choose a new one.',
    action: 'Choose a new password',
    after: 'If it was you, there is nothing to do.',
    reason: 'you have an account with this address, and sign-ins to it failed.',
  });

export const accountDeletedMail = (...[services, to, link]: To): MailMessage =>
  mailOf(services, {
    to,
    link,
    title: 'Your account was deleted',
    before:
      'Your account was deleted, as you confirmed on your account page. Your sessions have ended, and API keys that you made in your organizations no longer work.',
    action: 'Sign up again',
    after: 'With this address you can sign up again, as somebody new.',
    reason: 'you had an account with this address. It is the last one about that account.',
  });

/** A moment in words. Mails name moments, not spans, because a mail may arrive late. */
export const momentOf = (moment: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(moment)} UTC`;

const onceUntil = (moment: Date): string => `This link works once and expires on ${momentOf(moment)}.`;

/** The content of a mail. */
export interface MailWords {
  to: string;
  title: string;
  before: string;
  /** Lines of a list below `before`. */
  list?: readonly string[];
  link: string;
  action: string;
  after: string;
  /** Follows 'You're receiving this because'. */
  reason: string;
  /** When the link stops working, if it does. */
  expiresAt?: Date;
}

/** Makes a mail, as text and as HTML in the console's type and colours (DOC-05). */
export function mailOf(
  { config: { productName, supportEmail } }: Sender,
  { to, reason, expiresAt, ...words }: MailWords,
): MailMessage {
  const questions = supportEmail === undefined ? '' : ` Questions? Write to ${supportEmail}.`;
  const letter = { ...words, product: productName, foot: `You're receiving this because ${reason}${questions}` };
  return {
    to,
    subject: `${words.title} – ${productName}`,
    text: letterText(letter),
    html: letterHtml(letter),
    ...(expiresAt && { expiresAt }),
  };
}
