/** Judges a new password while it is typed, as the server will (SEC-06). */
import { fromCallback } from 'xstate';
import { judgePassword, personalWords, type PasswordEstimator } from '#contract/passwords.ts';
import type { PageSettings } from '#contract/settings.ts';
import { lateCode } from '../../behaviours/late.ts';
import type { Advice, AdviceRequest } from '#machines/shared/form/types.ts';

const fetchEstimator = async (): Promise<PasswordEstimator> =>
  (await lateCode.fetchNow(() => import('./passwordEstimator.ts'))).estimate;

/** The `passwordCheck` actor. Fetches the estimator when the form opens, then judges what was typed meanwhile. */
export function createPasswordCheck(
  { product, productName }: Pick<PageSettings, 'product' | 'productName'>,
  fetch = fetchEstimator,
) {
  const judge = ({ values, about }: AdviceRequest, estimator: PasswordEstimator): Advice | null => {
    const password = values['new_password'] ?? values['password'] ?? '';
    if (password === '') return null;
    const { isGood, strength, text } = judgePassword(
      password,
      personalWords({ product, productName, email: about['email'] ?? '' }),
      estimator,
    );
    return { isRefused: !isGood, title: strength, text };
  };
  return fromCallback<AdviceRequest, void>(({ sendBack, receive }) => {
    let estimator: PasswordEstimator | undefined;
    let waiting: AdviceRequest | undefined;
    let isOpen = true;
    const give = (wanted: AdviceRequest, by: PasswordEstimator) =>
      sendBack({ type: 'advice.given', advice: judge(wanted, by) });
    receive((wanted) => {
      if (estimator) give(wanted, estimator);
      else waiting = wanted;
    });
    fetch()
      .then((fetched) => {
        estimator = fetched;
        if (isOpen && waiting) give(waiting, fetched);
      })
      .catch(() => {
        if (isOpen) sendBack({ type: 'advice.failed' });
      });
    return () => {
      isOpen = false;
    };
  });
}
