import { describe, expect } from 'vitest';
import { activationMachine } from '#machines/activation/machine.ts';
import { CallError } from '#machines/failure.ts';
import { signUpMachine } from '#machines/signUp/machine.ts';
import { pair } from '../test/machines/people.ts';
import { describeWalk, doneBy, failedBy } from './walk.ts';

const sent = { outcome: 'done', answer: undefined, values: { email: 'ann@example.com', purpose: 'signUp' } };
const refusals = ['token_used', 'token_expired', 'token_not_found', 'limit_exceeded'].map((errorType) => new CallError({ message: errorType, kind: 'HTTP', errorType }));

describe('sign-up', () => {
  describeWalk(signUpMachine, {
    input: { purpose: 'signUp' },
    cases: { 'xstate.done.actor.form': [doneBy('form', sent)] },
    states: { sent: ({ context }) => { expect(context.email).toBe('ann@example.com'); } },
  });
});

describe('activation', () => {
  describeWalk(activationMachine, {
    input: { token: 't' },
    cases: {
      'xstate.done.actor.readActivation': [doneBy('readActivation', { email: 'ann@example.com' })],
      // An error has no fields of its own in JSON; the index keeps the cases apart.
      'xstate.error.actor.readActivation': refusals.map((error, index) => ({ ...failedBy('readActivation', error), index })),
      'xstate.done.actor.form': [
        doneBy('form', { outcome: 'done', answer: pair('new'), values: {} }),
        doneBy('form', { outcome: 'refused', failure: { message: 'Used.', kind: 'HTTP', errorType: 'token_used' } }),
      ],
    },
    states: {
      done: ({ context }) => { expect(context.tokens).toEqual(pair('new')); },
      invalid: (snapshot) => { expect(snapshot.hasTag('invalid')).toBe(true); },
    },
  });
});
