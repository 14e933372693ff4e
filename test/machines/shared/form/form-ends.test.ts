// What follows a form, typed: the answer of an accepted one reaches its action, any other end does something else.
import { describe, expect, it } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor, type AnyStateMachine } from 'xstate';
import { formEnds, formGuards, givenAccepted, givenAnswer } from '#machines/shared/form/ends.ts';
import type { FormResult } from '#machines/shared/form/types.ts';

type Saved = { uuid: string; name: string };
type Result = FormResult<Saved, { name: string }, { orgUuid: string }>;
const FAILURE = { message: 'No.', kind: 'HTTP' } as const;

const followed = setup({
  types: {} as { context: { name: string } },
  actors: { form: fromPromise<Result, Result>(({ input }) => Promise.resolve(input)) },
  guards: formGuards,
  actions: {
    setName: assign((_, { name }: Saved) => ({ name })),
    setAll: assign((_, { answer, about }: { answer: Saved; about: { orgUuid: string } }) => ({
      name: `${answer.name} of ${about.orgUuid}`,
    })),
    setCount: assign((_, count: number) => ({ name: String(count) })),
  },
});

const accepted: Result = {
  outcome: 'done',
  answer: { uuid: 'a', name: 'Ada' },
  values: { name: ' Ada' },
  about: { orgUuid: 'o1' },
};
const refused: Result = { outcome: 'refused', failure: FAILURE, typed: { name: 'Ada' } };

describe('ORG-03: what follows a form', () => {
  const ends = { saved: { type: 'final' }, closed: { type: 'final' }, unsure: { type: 'final' } } as const;
  const end = async (machine: AnyStateMachine) => {
    const { value, context } = await waitFor(createActor(machine).start(), ({ status }) => status === 'done');
    return [value, context.name];
  };

  it.each<[Result, string, string]>([
    [accepted, 'saved', 'Ada'],
    [{ outcome: 'dismissed' }, 'closed', ''],
    [{ outcome: 'left' }, 'closed', ''],
    [refused, 'closed', ''],
  ])('%j leads to %s', async (input, state, name) => {
    const onDone = formEnds({ target: 'saved', actions: givenAnswer('setName') }, { target: 'closed' });
    const machine = followed.createMachine({
      context: { name: '' },
      initial: 'open',
      states: { open: { invoke: { src: 'form', input, onDone } }, ...ends },
    });
    expect(await end(machine)).toEqual([state, name]);
  });

  it.each<[Result, string, string]>([
    [accepted, 'saved', 'Ada of o1'],
    [{ outcome: 'dismissed' }, 'closed', ''],
    [{ outcome: 'left' }, 'unsure', ''],
    [refused, 'closed', ''],
  ])('%j leads to %s where all of it has to be known, and whether it was left', async (input, state, name) => {
    const onDone = formEnds(
      { target: 'saved', actions: givenAccepted('setAll') },
      { target: 'closed' },
      { target: 'unsure' },
    );
    const machine = followed.createMachine({
      context: { name: '' },
      initial: 'open',
      states: { open: { invoke: { src: 'form', input, onDone } }, ...ends },
    });
    expect(await end(machine)).toEqual([state, name]);
  });

  it('an unknown action or state, and one that takes another answer, are errors of types', () => {
    const after = (src: 'form') => ({ src, input: { outcome: 'dismissed' } as const });
    const open = followed.createStateConfig({
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('setName') }, {}) },
    });
    followed.createStateConfig({
      // @ts-expect-error - the action takes a number
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('setCount') }, {}) },
    });
    followed.createStateConfig({
      // @ts-expect-error - there is no such action
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('setNothing') }, {}) },
    });
    const other = setup({ actors: { form: fromPromise<Result, Result>(({ input }) => Promise.resolve(input)) } });
    other.createStateConfig({
      // @ts-expect-error - the chart does not have the guard
      invoke: { ...after('form'), onDone: formEnds({}, {}) },
    });
    expect(open.invoke).toBeDefined();
  });
});
