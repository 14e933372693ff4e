import {
  ESTIMATOR_LIMITS,
  judgePassword,
  PASSWORD_WEAK,
  personalWords,
  type PasswordEstimator,
  type PasswordVerdict,
} from '#contract/passwords.ts';
import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import { invalidRequest } from '../../platform/refusal.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';
import { emailKey } from './emails.ts';

/** Checks of new passwords for one account; each takes up to 0.1 s of the main thread. */
const CHOICE_RATE: Rate = { burst: 20, everyMs: 3000 };

let estimator: Promise<PasswordEstimator> | undefined;

/** Loads the dictionaries, about 40 MB in memory. Called once, when somebody first chooses a password. */
async function makeEstimator(): Promise<PasswordEstimator> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  const zxcvbn = new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
    ...ESTIMATOR_LIMITS,
  });
  return (password, words) => zxcvbn.check(password, words);
}

/** Judges a new password for the account of an e-mail address. */
export async function judgeNewPassword(
  { product, productName }: Pick<Config, 'product' | 'productName'>,
  email: string,
  password: string,
): Promise<PasswordVerdict> {
  estimator ??= makeEstimator();
  return judgePassword(password, personalWords({ product, productName, email }), await estimator);
}

/**
 * Refuses a new password that is easy to guess, with the form's message (SEC-06).
 * @param location of the password in the request, such as `body.password`
 * @throws Refusal invalid_request, limit_exceeded
 */
export async function checkNewPassword(
  services: Services,
  { email, password, location }: { email: string; password: string; location: string },
): Promise<void> {
  await countCall(services, `new password ${emailKey(email)}`, CHOICE_RATE);
  const { isGood, text } = await judgeNewPassword(services.config, email, password);
  if (isGood) return;
  const message = `${PASSWORD_WEAK} ${text}`;
  throw invalidRequest([{ error_type: 'weak_password', location, message }], message);
}
