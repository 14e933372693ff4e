// What follows a form, typed: the answer of an accepted one reaches its action, any other end does something else.
import { describe, expect, it } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor } from 'xstate';
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
    keepName: assign((_, { name }: Saved) => ({ name })),
    keepAll: assign((_, { answer, about }: { answer: Saved; about: { orgUuid: string } }) => ({
      name: `${answer.name} of ${about.orgUuid}`,
    })),
    keepCount: assign((_, count: number) => ({ name: String(count) })),
  },
});

describe('ORG-03: what follows a form', () => {
  const chart = (result: Result) =>
    createActor(
      followed.createMachine({
        context: { name: '' },
        initial: 'open',
        states: {
          open: {
            invoke: {
              src: 'form',
              input: result,
              onDone: formEnds({ target: 'saved', actions: givenAnswer('keepName') }, { target: 'closed' }),
            },
          },
          saved: { type: 'final' },
          closed: { type: 'final' },
        },
      }),
    ).start();

  it.each<[Result, string, string]>([
    [
      { outcome: 'done', answer: { uuid: 'a', name: 'Ada' }, values: { name: ' Ada' }, about: { orgUuid: 'o1' } },
      'saved',
      'Ada',
    ],
    [{ outcome: 'dismissed' }, 'closed', ''],
    [{ outcome: 'left' }, 'closed', ''],
    [{ outcome: 'refused', failure: FAILURE, typed: { name: 'Ada' } }, 'closed', ''],
  ])('%j leads to %s', async (result, state, name) => {
    const { value, context } = await waitFor(chart(result), ({ status }) => status === 'done');
    expect([value, context.name]).toEqual([state, name]);
  });

  it('a chart that has to know more is given all of an accepted form, and may tell a form that was left from one that was given up', async () => {
    const end = async (input: Result) => {
      const actor = createActor(
        followed.createMachine({
          context: { name: '' },
          initial: 'open',
          states: {
            open: {
              invoke: {
                src: 'form',
                input,
                onDone: formEnds(
                  { target: 'saved', actions: givenAccepted('keepAll') },
                  { target: 'closed' },
                  { target: 'unsure' },
                ),
              },
            },
            saved: { type: 'final' },
            closed: { type: 'final' },
            unsure: { type: 'final' },
          },
        }),
      ).start();
      const { value, context } = await waitFor(actor, ({ status }) => status === 'done');
      return [value, context.name];
    };
    const about = { orgUuid: 'o1' };
    expect(await end({ outcome: 'done', answer: { uuid: 'a', name: 'Ada' }, values: { name: 'Ada' }, about })).toEqual([
      'saved',
      'Ada of o1',
    ]);
    expect(await end({ outcome: 'left' })).toEqual(['unsure', '']);
    expect(await end({ outcome: 'dismissed' })).toEqual(['closed', '']);
    expect(await end({ outcome: 'refused', failure: FAILURE, typed: {} })).toEqual(['closed', '']);
  });

  it('an unknown action or state, and one that takes another answer, are errors of types', () => {
    const after = (src: 'form') => ({ src, input: { outcome: 'dismissed' } as const });
    const open = followed.createStateConfig({
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('keepName') }, {}) },
    });
    followed.createStateConfig({
      // @ts-expect-error - the action takes a number
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('keepCount') }, {}) },
    });
    followed.createStateConfig({
      // @ts-expect-error - there is no such action
      invoke: { ...after('form'), onDone: formEnds({ actions: givenAnswer('keepNothing') }, {}) },
    });
    const other = setup({ actors: { form: fromPromise<Result, Result>(({ input }) => Promise.resolve(input)) } });
    other.createStateConfig({
      // @ts-expect-error - the chart does not have the guard
      invoke: { ...after('form'), onDone: formEnds({}, {}) },
    });
    expect(open.invoke).toBeDefined();
  });
});
