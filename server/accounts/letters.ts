import type { Services } from '../context.ts';
import type { Letter } from '../mail/mail.ts';
import { escapeHtml } from '../mail/html.ts';

/** The mails of this area. `link` is absolute. */
export function activationLetter(services: Services, to: string, link: string): Letter {
  return letter(services, to, 'Activate your account', [
    'Welcome! Choose a password to activate your account:',
    'The link works once and for 48 hours. If you did not ask for an account, ignore this e-mail.',
  ], link, 'Activate account');
}

export function accountExistsLetter(services: Services, to: string, link: string): Letter {
  return letter(services, to, 'You already have an account', [
    'Someone, probably you, asked for an account with this e-mail address. There is one already; sign in here:',
    'If it was not you, ignore this e-mail.',
  ], link, 'Sign in');
}

function letter(services: Services, to: string, title: string, [before, after]: [string, string], link: string, action: string): Letter {
  const { productName, supportEmail } = services.config;
  const foot = `Questions? Write to ${supportEmail}.`;
  return {
    to,
    subject: `${title} – ${productName}`,
    text: `${before}\n\n${link}\n\n${after}\n\n${foot}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(before)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p><p>${escapeHtml(after)}</p><p>${escapeHtml(foot)}</p></body></html>`,
  };
}
