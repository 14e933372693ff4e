import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { personalWords, type PasswordEstimator } from '#contract/passwords.ts';
import type { TokenPair } from '#contract/session.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { PasswordLink, PasswordLinkAbout, PasswordLinkOwner } from '#machines/visitor/passwordLink/actors.ts';
import { passwordLinkWith } from '#machines/visitor/passwordLink/machine.ts';
import { createPasswordCheck } from '#src/effects/browser/passwordCheck.ts';
import { estimate } from '#src/effects/browser/passwordEstimator.ts';
import { judgeNewPassword } from '#server/identity/accounts/password-rule.ts';
import { PASSWORD } from '#test/passwords.ts';

const product = { product: 'parlance', productName: 'Parlance' };

/** The form behind an activation link, with an estimator that comes or does not. */
async function open(fetch: () => Promise<PasswordEstimator>) {
  const link = createActor(
    passwordLinkWith({
      readLink: fromPromise<PasswordLinkOwner, PasswordLink>(async () => ({ email: 'ada@example.com', from: null })),
      setPassword: fromPromise<TokenPair, Submitted<{ password: string }, PasswordLinkAbout>>(
        () => new Promise(() => {}),
      ),
      checkPassword: createPasswordCheck(product, fetch),
    }),
    { input: { purpose: 'activation', token: 't' } },
  ).start();
  onTestFinished(() => void link.stop());
  await waitFor(link, (snapshot) => snapshot.matches('choosingPassword'));
  const form = link.getSnapshot().children.form;
  if (!form) throw new Error('no form');
  return { form, type: (value: string) => form.send({ type: 'field.changed', field: 'password', value }) };
}

// The dictionaries take their time on a busy machine.
describe('SEC-06: the form of a new password', { timeout: 60_000 }, () => {
  it('says while one types what the server would say', async () => {
    const { form, type } = await open(async () => estimate);
    const weak = ['elevenchars', 'Password1234', 'Parlance2026', 'ada@example.com'];
    for (const password of [...weak, 'x9!kf03mZpQ2', PASSWORD]) {
      type(password);
      await waitFor(form, ({ context }) => context.advice !== null);
      const { isGood, strength, text } = await judgeNewPassword(product, 'ada@example.com', password);
      expect(form.getSnapshot().context.advice).toEqual({ isRefused: !isGood, title: strength, text });
    }
    type('');
    expect(form.getSnapshot().context.advice).toBeNull();
  });

  it('judges what was typed before the estimator came, and refuses what is weak', async () => {
    let arrive: (estimator: PasswordEstimator) => void = () => {};
    const { form, type } = await open(() => new Promise((resolve) => (arrive = resolve)));
    type('Password1234');
    expect(form.getSnapshot().context.advice).toBeNull();
    arrive(estimate);
    await waitFor(form, ({ context }) => context.advice?.isRefused === true);
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().context.errors).toEqual({ password: 'This password is easy to guess.' });
  });

  it('says so where the estimator does not come, and refuses nothing', async () => {
    const { form, type } = await open(() => Promise.reject(new TypeError('Failed to fetch')));
    type('Password1234');
    await waitFor(form, ({ context }) => context.advice !== null);
    expect(form.getSnapshot().context.advice).toMatchObject({
      isRefused: false,
      text: expect.stringContaining('cannot be shown now'),
    });
  });

  it('takes the words of product and address', () => {
    const email = 'Ada.Lovelace@mail.Engines.example';
    const words = ['parlance', 'voice', 'ada', 'lovelace', 'engines', 'mail', email.toLowerCase()];
    expect(personalWords({ product: 'parlance', productName: 'Parlance Voice', email })).toEqual(
      expect.arrayContaining(words),
    );
  });
});
