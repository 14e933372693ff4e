import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { describeWalk, doneBy, titleOf, walk } from './walk.ts';

const lamp = setup({
  types: {} as { context: { count: number }; events: { type: 'pressed' } },
  actors: { warmUp: fromPromise<{ warm: boolean }>(async () => ({ warm: true })) },
  delays: { expiry: 1000 },
  guards: { isWorn: ({ context }) => context.count >= 2 },
}).createMachine({
  id: 'lamp',
  context: { count: 0 },
  initial: 'off',
  states: {
    off: { on: { pressed: 'warming' }, always: { guard: 'isWorn', target: 'broken' } },
    warming: {
      invoke: {
        id: 'warmUp',
        src: 'warmUp',
        onDone: [{ guard: ({ event }) => event.output.warm, target: 'on' }, { target: 'off' }],
        onError: 'off',
      },
    },
    on: { after: { expiry: { target: 'off', actions: assign({ count: ({ context }) => context.count + 1 }) } } },
    broken: { type: 'final' },
  },
});
const distinguish = (snapshot: { context: { count: number } }) => snapshot.context.count;

describe('a chart with a child, a delay and an eventless transition', () => {
  describeWalk(lamp, {
    ignored: [{ states: ['warming', 'on'], events: ['pressed'], why: 'It is switched on once' }],
    cases: { 'xstate.done.actor.warmUp': [doneBy('warmUp', { warm: true }), doneBy('warmUp', { warm: false })] },
    distinguish,
  });
});

describe('the check itself', () => {
  it('names the transitions that no path takes', () => {
    const { unwalked } = walk(lamp, {
      cases: { 'xstate.done.actor.warmUp': [doneBy('warmUp', { warm: true })] },
      distinguish,
    });
    expect(unwalked()).toEqual(['lamp.warming —xstate.done.actor.warmUp→ lamp.off']);
  });

  it('fails where the expectation of a state does not hold', () => {
    const { paths, play } = walk(lamp, {
      distinguish,
      cases: { 'xstate.done.actor.warmUp': [doneBy('warmUp', { warm: true })] },
      states: {
        warming: () => {
          throw new Error('too cold');
        },
      },
    });
    const path = paths.find((candidate) => titleOf(candidate).includes('pressed'));
    expect(() => path && play(path)).toThrow('too cold');
  });

  it('wants cases for a wildcard', () => {
    const wild = setup({}).createMachine({ id: 'wild', on: { '*': {} } });
    expect(() => walk(wild)).toThrow("The wildcard '*' needs an entry in cases.");
  });
});
