// Advice on a new password while it is typed (SEC-06).
import { PASSWORD_WEAK } from '#contract/passwords.ts';
import { checkPassword } from './actors.ts';

/** The option `advice` of a form, for its new-password field. Without the estimator only the server checks it. */
export const passwordAdvice = <Field extends string>(field: Field) => ({
  field,
  passwordCheck: checkPassword,
  error: PASSWORD_WEAK,
  away: { isRefused: false, title: '', text: 'How strong it is cannot be shown now; it is checked when you send it.' },
});
