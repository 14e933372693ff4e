/** E-mail addresses, also with letters beyond ASCII (RFC 6531): one spelling for what looks the same. */
import * as v from 'valibot';

export const EMAIL_MAX = 254;

const INVALID = 'Please enter a email address.';

/** Letters of any script with their marks, digits, and what an address may have besides without quotes. Nothing that cannot be seen. */
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

/** Composed letters, so that two ways to type one address are one. */
const composed = v.transform((text: string) => text.normalize('NFC'));

/** An address as a person types it; trimmed and composed. */
export const emailOf = (longest: number, tooLong: string) =>
  v.pipe(v.string(), v.trim(), composed, v.check(isEmail, INVALID), v.maxLength(longest, tooLong));

export const Email = emailOf(EMAIL_MAX, `E-mail must be at most ${EMAIL_MAX} characters.`);

/** Whether two addresses, as they are shown, are of one person: case does not tell people apart. */
export const isSameEmail = (one: string, other: string): boolean => fold(one) === fold(other);

const fold = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC');
