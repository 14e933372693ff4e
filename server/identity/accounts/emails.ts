import { domainToASCII, domainToUnicode } from 'node:url';

/** Splits at the last @. Without one, the domain is empty. */
function partsOf(email: string): [local: string, domain: string] {
  const text = email.trim().normalize('NFC');
  const at = text.lastIndexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The key of an account: the address in lower case and composed letters (NFC), the domain in ASCII as in DNS. */
export function emailKey(email: string): string {
  const [local, domain] = partsOf(email);
  const key = local.toLowerCase().normalize('NFC');
  return domain === '' ? key : `${key}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

/** The address to store and show: as typed, with a readable domain (Unicode, not `xn--`). */
export function shownEmail(email: string): string {
  const [local, domain] = partsOf(email);
  if (domain === '') return local;
  return `${local}@${/[^\x20-\x7e]|xn--/i.test(domain) ? domainToUnicode(domain) || domain : domain}`;
}
