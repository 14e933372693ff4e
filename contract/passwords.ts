/** What a new password must be (SEC-06): one rule for the server and for the forms. Either side brings the estimator, which needs large dictionaries. */
import * as v from 'valibot';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
/** Of the estimator's scores (0 to 4), the lowest that is taken: at least 10⁸ guesses. */
export const PASSWORD_SCORE_MIN = 3;

const TOO_SHORT = `Password must be at least ${PASSWORD_MIN} characters.`;

/** Whether a text has enough characters: one outside of the basic plane, such as an emoji, counts once, and so does a letter whose mark is typed apart. */
const isLongEnough = (password: string): boolean => Array.from(password.normalize('NFC')).length >= PASSWORD_MIN;

export const NewPassword = v.config(
  v.pipe(
    v.string(),
    v.minLength(PASSWORD_MIN, TOO_SHORT),
    v.check(isLongEnough, TOO_SHORT),
    v.maxLength(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters.`),
  ),
  // One complaint at a time.
  { abortPipeEarly: true },
);

/** What of an estimate counts here. `token` is a piece of the password, `dictionaryName` where it was found. */
export interface PasswordEstimate {
  score: number;
  feedback: { warning: string | null; suggestions: readonly string[] };
  sequence: readonly { token: string; dictionaryName?: string }[];
}

/** Estimates how many guesses a password takes, by somebody who tries `words` first. */
export type PasswordEstimator = (password: string, words: string[]) => PasswordEstimate;

/** How the estimator is set up: what stands behind the first 40 characters can only make it better, and the time it takes grows fast (40 ms at worst). */
export const ESTIMATOR_LIMITS = { maxLength: 40, l33tMaxSubstitutions: 8 } as const;

/** What is said of a password while it is typed. */
export interface PasswordVerdict {
  isGood: boolean;
  strength: string;
  /** Why it is not good, and what would help; empty where it is. */
  text: string;
}

export const PASSWORD_WEAK = 'This password is easy to guess.';
const PERSONAL = 'It is made of the name of the product or of your e-mail address.';
const ADD_WORDS = 'Add a few words that nobody would guess.';
const STRENGTHS = ['Very weak', 'Weak', 'Not strong enough', 'Good', 'Strong'] as const;

/** Shorter words stand inside of others by chance. */
const WORD_MIN = 3;
const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The words that a password must not be made of: of the product's name and of the e-mail address, the longest first. */
export function personalWords({
  productName,
  product,
  email,
}: {
  productName: string;
  product: string;
  email: string;
}): string[] {
  const [local = '', domain = ''] = fold(email).split('@');
  const host = domain.split('.').slice(0, -1).join('.');
  const whole = [fold(productName), fold(product), 'console', fold(email), local, domain, host];
  const words = new Set(whole.flatMap((text) => [text, ...text.split(/[^\p{L}\p{M}\p{N}]+/u)]));
  return [...words].filter((word) => word.length >= WORD_MIN).toSorted((one, other) => other.length - one.length);
}

/** Judges a password that somebody chooses. What `words` contribute to it counts for nothing. */
export function judgePassword(typed: string, words: string[], estimate: PasswordEstimator): PasswordVerdict {
  const password = typed.normalize('NFC');
  if (!isLongEnough(password))
    return { isGood: false, strength: 'Too short', text: `Use at least ${PASSWORD_MIN} characters.` };
  const whole = estimate(password, words);
  const rest = withoutWords(password, words, whole, estimate);
  const score = rest === null ? whole.score : Math.min(whole.score, estimate(rest, words).score);
  const isGood = score >= PASSWORD_SCORE_MIN;
  const strength = STRENGTHS[score] ?? STRENGTHS[0];
  if (isGood) return { isGood, strength, text: '' };
  if (rest !== null) return { isGood, strength, text: `${PERSONAL} ${ADD_WORDS}` };
  const { warning, suggestions } = whole.feedback;
  return {
    isGood,
    strength,
    text: [warning ?? '', ...suggestions].filter((part) => part !== '').join(' ') || ADD_WORDS,
  };
}

/** What is left of a password without these words, also where they are spelled backwards or with look-alikes; null where none is in it. */
function withoutWords(
  password: string,
  words: string[],
  whole: PasswordEstimate,
  estimate: PasswordEstimator,
): string | null {
  const folded = fold(password);
  const left = words.reduce((text, word) => text.replaceAll(word, ''), folded);
  const { sequence } = left === folded ? whole : estimate(left, words);
  const kept = sequence.filter(({ dictionaryName }) => dictionaryName !== 'userInputs');
  return left === folded && kept.length === sequence.length ? null : kept.map(({ token }) => token).join('');
}
