import type { Services } from '../../platform/context.ts';
import type { MailMessage } from '../../platform/mail/mail.ts';
import { escapeHtml } from '../../platform/html.ts';

/** The mails of this area. `link` is absolute. */
export function activationMail(services: Services, to: string, link: string, expiresAt: Date): MailMessage {
  return mailOf(
    services,
    to,
    'Activate your account',
    [
      'Welcome! Choose a password to activate your account:',
      `The link works once and until ${momentOf(expiresAt)}. If you did not ask for an account, ignore this e-mail.`,
    ],
    link,
    'Activate account',
    expiresAt,
  );
}

export function accountExistsMail(services: Services, to: string, link: string): MailMessage {
  return mailOf(
    services,
    to,
    'You already have an account',
    [
      'Someone, probably you, asked for an account with this e-mail address. There is one already; sign in here:',
      'If it was not you, ignore this e-mail.',
    ],
    link,
    'Sign in',
  );
}

export function recoveryMail(services: Services, to: string, link: string, expiresAt: Date): MailMessage {
  return mailOf(
    services,
    to,
    'Choose a new password',
    [
      'Somebody, probably you, asked for a new password for your account. Choose it here:',
      `The link works once and until ${momentOf(expiresAt)}. If it was not you, ignore this e-mail; your password stays as it is.`,
    ],
    link,
    'Choose a new password',
    expiresAt,
  );
}

export function noAccountMail(services: Services, to: string, link: string): MailMessage {
  return mailOf(
    services,
    to,
    'There is no account with this address',
    [
      'Somebody, probably you, asked for a new password, but no account has this e-mail address. Make one here, or try your other addresses:',
      'If it was not you, ignore this e-mail.',
    ],
    link,
    'Sign up',
  );
}

export function passwordChangedMail(services: Services, to: string, link: string): MailMessage {
  return mailOf(
    services,
    to,
    'Your password was changed',
    [
      'The password of your account was changed, and all other sessions were signed out. If it was not you, choose a new one at once:',
      'If it was you, there is nothing to do.',
    ],
    link,
    'Choose a new password',
  );
}

export function failedSignInsMail(services: Services, to: string, link: string): MailMessage {
  return mailOf(
    services,
    to,
    'Many failed sign-ins to your account',
    [
      'Somebody tried many wrong passwords for your account. Tries from devices that you have not used before now have to wait for a minute each; devices that you have used are not affected. If your password is short or used elsewhere, choose a new one:',
      'If it was you, there is nothing to do.',
    ],
    link,
    'Choose a new password',
  );
}

/** A moment in words: a mail may come late, so it names the moment rather than a span. */
export const momentOf = (moment: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(moment)} UTC`;

/** @param expiresAt when the link stops working, if it does */
export function mailOf(
  services: Services,
  to: string,
  title: string,
  [before, after]: [string, string],
  link: string,
  action: string,
  expiresAt?: Date,
): MailMessage {
  const { productName, supportEmail } = services.config;
  const foot = supportEmail === undefined ? '' : `Questions? Write to ${supportEmail}.`;
  return {
    to,
    subject: `${title} – ${productName}`,
    text: `${before}\n\n${link}\n\n${after}\n\n${foot}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(before)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(after)}</p><p>${escapeHtml(foot)}</p></body></html>`,
    ...(expiresAt && { expiresAt }),
  };
}
