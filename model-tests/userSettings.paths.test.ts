import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { PasswordOwner, PasswordValues } from '#machines/workspace/settings/user/actors.ts';
import { changePasswordForm } from '#machines/workspace/settings/user/forms.ts';
import { userSettingsMachine } from '#machines/workspace/settings/user/machine.ts';
import { ann } from '../test/machines/people.ts';
import { describeWalk, doneBy } from './walk.ts';
import { PASSWORD } from '#test/passwords.ts';

describe("ACC-09: the person's own page", () => {
  describeWalk(userSettingsMachine, {
    ignored: [],
    input: { user: ann.user, drafts: [] },
    cases: {
      'xstate.done.actor.profileForm': [
        doneBy('profileForm', { outcome: 'done', answer: { ...ann.user, name: 'Anna' }, values: {} }),
        doneBy('profileForm', { outcome: 'dismissed' }),
      ],
      'xstate.done.actor.changePasswordForm': [
        doneBy('changePasswordForm', { outcome: 'done', values: {} }),
        doneBy('changePasswordForm', { outcome: 'dismissed' }),
      ],
    },
    distinguish: ({ context }) => context.user.name,
  });
});

describe('ACC-09: changing the password', () => {
  const start = (error?: unknown, has_password = 'yes') =>
    createActor(
      changePasswordForm.provide({
        actors: {
          submit: fromPromise<void, Submitted<PasswordValues, PasswordOwner>>(() =>
            error ? Promise.reject(error) : Promise.resolve(),
          ),
        },
      }),
      { input: { about: { has_password, email: 'ann@example.com' } } },
    ).start();
  const fill = (form: ReturnType<typeof start>, current: string, next: string, again: string) => {
    for (const [field, value] of [
      ['current_password', current],
      ['new_password', next],
      ['confirm_password', again],
    ] as const)
      form.send({ type: 'field.changed', field, value });
    form.send({ type: 'submit.requested' });
  };

  it('asks for the current one, for a new one that is long enough, and for it again', () => {
    const form = start();
    fill(form, '', 'short', 'other');
    expect(form.getSnapshot().context.errors).toEqual({
      current_password: 'Please enter your current password.',
      new_password: 'Password must be at least 12 characters.',
      confirm_password: 'The passwords are not the same.',
    });
    fill(form, 'it', PASSWORD, PASSWORD.slice(1));
    expect(form.getSnapshot().context.errors).toEqual({ confirm_password: 'The passwords are not the same.' });
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
    await waitFor(wrong, (snapshot) => snapshot.matches('editing'));
    expect(wrong.getSnapshot().context).toMatchObject({
      errors: { current_password: 'The current password is wrong.' },
      refusal: null,
      values: { new_password: PASSWORD },
    });
    const failing = start(new CallError({ message: 'Try later.', kind: 'HTTP', status: 500 }));
    fill(failing, 'it', PASSWORD, PASSWORD);
    await waitFor(failing, (snapshot) => snapshot.matches('editing'));
    expect(failing.getSnapshot().context).toMatchObject({ errors: {}, refusal: { message: 'Try later.' } });
  });
});
