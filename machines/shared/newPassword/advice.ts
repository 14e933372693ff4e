// What a form for a new password says while one types (SEC-06).
import { PASSWORD_WEAK } from '#contract/passwords.ts';
import { checkPassword } from './actors.ts';

/** The advice of a form, for its field of the new password. Without an estimator the server has the only word. */
export const passwordAdvice = <Field extends string>(field: Field) => ({
  field,
  passwordCheck: checkPassword,
  error: PASSWORD_WEAK,
  away: { isRefused: false, title: '', text: 'How strong it is cannot be shown now; it is checked when you send it.' },
});
