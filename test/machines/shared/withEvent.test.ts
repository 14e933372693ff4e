import { expect, it } from 'vitest';
import { assign, createActor, fromPromise, setup } from 'xstate';
import { withEvent, withOutput } from '#machines/shared/withEvent.ts';

const base = setup({
  types: {} as {
    context: { label: string };
    events: { type: 'named'; label: string } | { type: 'counted'; count: number };
  },
  actors: { read: fromPromise(() => Promise.resolve(1)) },
  guards: { isLong: (_, { label }: { label: string }) => label.length > 3 },
  actions: {
    setName: assign((_, { label }: { label: string }) => ({ label })),
    setText: assign((_, text: string) => ({ label: text })),
  },
});
const config = { context: { label: '' } };

it('hands the event to the action and the guard it names', () => {
  const machine = base.createMachine({
    ...config,
    on: { named: { guard: withEvent('isLong'), actions: withEvent('setName') } },
  });
  const actor = createActor(machine).start();
  actor.send({ type: 'named', label: 'Al' });
  expect(actor.getSnapshot().context.label).toBe('');
  actor.send({ type: 'named', label: 'Alice' });
  expect(actor.getSnapshot().context.label).toBe('Alice');
});

/**
 * Checked by the compiler: each of these is an error, and the directive is one where it is not. The field is not `name` or `length`,
 * which every function has: a `params` function would pass for such parameters.
 */
export const refused = [
  // @ts-expect-error The event has no label.
  () => base.createMachine({ ...config, on: { counted: { actions: withEvent('setName') } } }),
  // @ts-expect-error There is no such action.
  () => base.createMachine({ ...config, on: { named: { actions: withEvent('setNames') } } }),
  // @ts-expect-error There is no such guard.
  () => base.createMachine({ ...config, on: { named: { guard: withEvent('isLongs') } } }),
  // @ts-expect-error The event has no label to guard by.
  () => base.createMachine({ ...config, on: { counted: { guard: withEvent('isLong') } } }),
  // @ts-expect-error The actor puts out a number.
  () => base.createMachine({ ...config, invoke: { src: 'read', onDone: { actions: withOutput('setText') } } }),
];
