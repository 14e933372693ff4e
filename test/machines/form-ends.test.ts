// What follows a form, typed: the answer of an accepted one reaches its action, any other end does something else.
import { describe, expect, it } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor } from 'xstate';
import { formEnds, givenAnswer, isDone } from '#machines/shared/form/ends.ts';
import type { FormResult } from '#machines/shared/form/machine.ts';

type Saved = { uuid: string; name: string };
type Result = FormResult<Saved, { name: string }>;
const FAILURE = { message: 'No.', kind: 'HTTP' } as const;

const followed = setup({
  types: {} as { context: { name: string } },
  actors: { form: fromPromise<Result, Result>(({ input }) => Promise.resolve(input)) },
  guards: { isDone },
  actions: {
    keepName: assign((_, { name }: Saved) => ({ name })),
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
    [{ outcome: 'done', answer: { uuid: 'a', name: 'Ada' }, values: { name: ' Ada' } }, 'saved', 'Ada'],
    [{ outcome: 'dismissed' }, 'closed', ''],
    [{ outcome: 'left' }, 'closed', ''],
    [{ outcome: 'refused', failure: FAILURE, typed: { name: 'Ada' } }, 'closed', ''],
  ])('%j leads to %s', async (result, state, name) => {
    const { value, context } = await waitFor(chart(result), ({ status }) => status === 'done');
    expect([value, context.name]).toEqual([state, name]);
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
