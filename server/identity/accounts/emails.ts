import { domainToASCII, domainToUnicode } from 'node:url';

/** Parts at the last @; an address without one has no domain. */
function partsOf(email: string): [local: string, domain: string] {
  const text = email.trim().normalize('NFC');
  const at = text.lastIndexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** How accounts are looked up: without case, in composed letters, the domain as DNS has it. */
export function emailKey(email: string): string {
  const [local, domain] = partsOf(email);
  const key = local.toLowerCase().normalize('NFC');
  return domain === '' ? key : `${key}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

/** How an address is kept and shown: as typed, the domain in letters that people read. */
export function shownEmail(email: string): string {
  const [local, domain] = partsOf(email);
  if (domain === '') return local;
  return `${local}@${/[^\x20-\x7e]|xn--/i.test(domain) ? domainToUnicode(domain) || domain : domain}`;
}
