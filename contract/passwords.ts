/** The rule for new passwords (SEC-06), for server and forms. Each passes its own estimator, with its dictionaries. */
import * as v from 'valibot';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
/** Lowest accepted score of the estimator (0 to 4): at least 10⁸ guesses. */
export const PASSWORD_SCORE_MIN = 3;

const TOO_SHORT = `Password must be at least ${PASSWORD_MIN} characters.`;

/** Counts code points of composed text: an emoji, or a letter with its mark, counts once. */
const isLongEnough = (password: string): boolean => Array.from(password.normalize('NFC')).length >= PASSWORD_MIN;

export const NewPassword = v.config(
  v.pipe(
    v.string(),
    v.minLength(PASSWORD_MIN, TOO_SHORT),
    v.check(isLongEnough, TOO_SHORT),
    v.maxLength(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters.`),
  ),
  // Reports one problem at a time.
  { abortPipeEarly: true },
);

/** Whether a changed password is another one: é may be typed as one character or as two. */
export const isOtherPassword = (current: string, typed: string): boolean =>
  current.normalize('NFC') !== typed.normalize('NFC');
export const PASSWORD_SAME = 'The new password must be different from the current one.';

/** The used part of an estimate. `token` is a piece of the password, `dictionaryName` the dictionary that has it. */
export interface PasswordEstimate {
  score: number;
  feedback: { warning: string | null; suggestions: readonly string[] };
  sequence: readonly { token: string; dictionaryName?: string }[];
}

/** Estimates how many guesses a password takes, if the attacker tries `words` first. */
export type PasswordEstimator = (password: string, words: string[]) => PasswordEstimate;

/** Estimates only the first 40 characters, because the time grows fast (40 ms at worst); more only add strength. */
export const ESTIMATOR_LIMITS = { maxLength: 40, l33tMaxSubstitutions: 8 } as const;

/** The judgement shown while a person types a password. */
export interface PasswordVerdict {
  isGood: boolean;
  strength: string;
  /** Why it is not good, and what would help; empty if it is good or too short. */
  text: string;
}

export const PASSWORD_WEAK = 'This password is easy to guess.';
const PERSONAL = 'It is made of the name of the product or of your e-mail address.';
const ADD_WORDS = 'Add a few words that nobody would guess.';
const STRENGTHS = ['Very weak', 'Weak', 'Not strong enough', 'Good', 'Strong'] as const;

/** Shorter words occur inside other words by chance. */
const WORD_MIN = 3;
const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Words that do not count in a password: parts of the product's name and of the e-mail address, longest first. */
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

/** Judges a new password without the parts that `words` contribute. */
export function judgePassword(typed: string, words: string[], estimate: PasswordEstimator): PasswordVerdict {
  const password = typed.normalize('NFC');
  // The field's hint has the length, and its error after a submit.
  if (!isLongEnough(password)) return { isGood: false, strength: 'Too short', text: '' };
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

/** The password without these words, reversed and look-alike spellings included; null if it contains none. */
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
