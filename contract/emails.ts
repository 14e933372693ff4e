/** E-mail addresses, also with letters beyond ASCII (RFC 6531). Addresses that look the same are stored the same. */
import * as v from 'valibot';

export const EMAIL_MAX = 254;

/** Word for word as the spec has it (§5; ORG-01). */
const INVALID = 'Please enter a email address.';

/** Letters of any script with their marks, digits, and the characters allowed without quotes; none is invisible. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;
const TOP_LEVEL = /^(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})$/iu;
const LOCAL_MAX = 64;

function isEmail(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  return (
    more.length === 0 &&
    local.length <= LOCAL_MAX &&
    LOCAL.test(local) &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL.test(labels.at(-1) ?? '')
  );
}

/** Composes letters with their marks (NFC), so that one address has one spelling. */
const composed = v.transform((text: string) => text.normalize('NFC'));

/** An address as a person types it; trimmed and composed. */
export const emailOf = (longest: number, tooLong: string) =>
  v.pipe(v.string(), v.trim(), composed, v.check(isEmail, INVALID), v.maxLength(longest, tooLong));

export const Email = emailOf(EMAIL_MAX, `E-mail must be at most ${EMAIL_MAX} characters.`);

/** Whether two addresses belong to one person. Ignores case. */
export const isSameEmail = (one: string, other: string): boolean => fold(one) === fold(other);

const fold = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC');
