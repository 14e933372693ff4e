import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { AccountDeletionCheck } from '#contract/accounts.ts';
import { PASSWORD_SAME } from '#contract/passwords.ts';
import { CallError } from '#machines/shared/failure.ts';
import { accountDeletionForm } from '#machines/workspace/settings/user/deletion/form.ts';
import { accountDeletionMachine } from '#machines/workspace/settings/user/deletion/machine.ts';
import { changePasswordForm } from '#machines/workspace/settings/user/forms.ts';
import { userSettingsMachine } from '#machines/workspace/settings/user/machine.ts';
import { ann } from '../test/machines/people.ts';
import { describeWalk } from './walk.ts';
import { PASSWORD } from '#test/passwords.ts';

/** A server that takes everything, or refuses it for a reason. */
const answering = <Input>(error?: Error) =>
  fromPromise<void, Input>(() => (error ? Promise.reject(error) : Promise.resolve()));

describe("ACC-09 PPL-10: the person's own page", () => {
  describeWalk(userSettingsMachine, {
    ignored: { 'The dialog is open already': 'deletion.requested in deletion.open' },
    input: { user: ann.user, drafts: [] },
    cases: {
      'done profileForm': [
        { outcome: 'done', answer: { ...ann.user, name: 'Anna' }, values: {} },
        { outcome: 'dismissed' },
      ],
      'done changePasswordForm': [{ outcome: 'done', values: {} }, { outcome: 'dismissed' }],
    },
    distinguish: ({ context }) => context.user.name,
  });
});

const CLEAR: AccountDeletionCheck = { organizations: [], api_keys: 2, confirmed_by: 'password' };

describe("PPL-01 PPL-02: the end of a person's account", () => {
  describeWalk(accountDeletionMachine, {
    ignored: {
      'Nothing is to be tried again': 'retry.requested in asking, checking, deleted, unconfirmed',
      'The form is dismissed itself, or it is done': 'deletion.dismissed in asking, deleted',
      'Only who signed in too long ago signs in again':
        'signIn.requested in asking, blocked, checking, deleted, failed',
    },
    tags: { loading: ['checking'], failed: ['failed'], blocked: ['blocked'], unconfirmed: ['unconfirmed'] },
    input: { user: ann.user },
    cases: {
      'done checkDeletion': [
        { ...CLEAR, organizations: [{ uuid: 'o1', name: 'Acme', others: 1 }] },
        { ...CLEAR, confirmed_by: 'sign_in_again' },
        CLEAR,
      ],
      'done accountDeletionForm': [
        { outcome: 'done', values: {} },
        { outcome: 'refused', failure: {}, typed: {} },
        { outcome: 'dismissed' },
      ],
    },
    states: {
      asking: ({ context }) => expect(context.check).toEqual(CLEAR),
    },
  });

  const start = (error?: Error, has_password = 'yes') =>
    createActor(accountDeletionForm.provide({ actors: { submit: answering(error) } }), {
      input: { about: { has_password, email: 'Ann@example.com' } },
    }).start();
  const fill = (form: ReturnType<typeof start>, email: string, password: string) => {
    form.send({ type: 'field.changed', field: 'email', value: email });
    form.send({ type: 'field.changed', field: 'password', value: password });
    form.send({ type: 'submit.requested' });
  };

  it('is sent with the e-mail address as it is, and a password where there is one', () => {
    const form = start();
    fill(form, 'ann@example', '');
    expect(form.getSnapshot().context.errors).toEqual({
      email: 'Type the e-mail address of your account.',
      password: 'Please enter your password.',
    });
    fill(form, ' ann@EXAMPLE.com ', 'it');
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
    form.stop();
    const without = start(undefined, '');
    fill(without, 'ann@example.com', '');
    expect(without.getSnapshot().hasTag('submitting')).toBe(true);
    without.stop();
  });

  it.each(['last_owner', 'sign_in_again'])(
    'looks again at what stands in the way where that is new: %s',
    async (errorType) => {
      const form = start(new CallError({ message: 'No.', kind: 'HTTP', status: 400, errorType }));
      fill(form, 'ann@example.com', 'it');
      const { output } = await waitFor(form, ({ status }) => status === 'done');
      expect(output).toMatchObject({ outcome: 'refused' });
    },
  );
});

describe('ACC-09: changing the password', () => {
  const start = (error?: Error, has_password = 'yes') =>
    createActor(changePasswordForm.provide({ actors: { submit: answering(error) } }), {
      input: { about: { has_password, email: 'ann@example.com' } },
    }).start();
  const fill = (form: ReturnType<typeof start>, current: string, next: string, again: string) => {
    for (const [field, value] of [
      ['current_password', current],
      ['new_password', next],
      ['confirm_password', again],
    ] as const)
      form.send({ type: 'field.changed', field, value });
    form.send({ type: 'submit.requested' });
  };

  it('asks for the current one, for another one that is long enough, and for it again', () => {
    const form = start();
    fill(form, '', 'short', 'other');
    expect(form.getSnapshot().context.errors).toEqual({
      current_password: 'Please enter your current password.',
      new_password: 'Password must be at least 12 characters.',
      confirm_password: 'The passwords are not the same.',
    });
    fill(form, 'it', PASSWORD, PASSWORD.slice(1));
    expect(form.getSnapshot().context.errors).toEqual({ confirm_password: 'The passwords are not the same.' });
    fill(form, PASSWORD, PASSWORD, PASSWORD);
    expect(form.getSnapshot().context.errors).toEqual({ new_password: PASSWORD_SAME });
    form.stop();
  });

  it('asks an account without a password for none', () => {
    const form = start(undefined, '');
    fill(form, '', PASSWORD, PASSWORD);
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
    form.stop();
  });

  it('says at the field that the current one is wrong, and above the form whatever else is', async () => {
    const wrong = start(
      new CallError({
        message: 'The current password is wrong.',
        kind: 'HTTP',
        status: 400,
        errorType: 'invalid_credentials',
      }),
    );
    fill(wrong, 'not it', PASSWORD, PASSWORD);
    await waitFor(wrong, (snapshot) => !snapshot.hasTag('submitting'));
    expect(wrong.getSnapshot().context).toMatchObject({
      errors: { current_password: 'The current password is wrong.' },
      refusal: null,
      values: { new_password: PASSWORD },
    });
    const failing = start(new CallError({ message: 'Try later.', kind: 'HTTP', status: 500 }));
    fill(failing, 'it', PASSWORD, PASSWORD);
    await waitFor(failing, (snapshot) => !snapshot.hasTag('submitting'));
    expect(failing.getSnapshot().context).toMatchObject({ errors: {}, refusal: { message: 'Try later.' } });
  });
});
