import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { doneBy, walk } from './walk.ts';

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

describe('a walk', () => {
  it('fails where what is expected of a state does not hold, and tells the way there', () => {
    const { unwalked } = walk(lamp, {
      distinguish,
      variant: 'a warm lamp',
      cases: { 'xstate.done.actor.warmUp': [doneBy('warmUp', { warm: true })] },
      states: { on: ({ context }) => expect(context.count).toBe(0) },
    });
    expect(unwalked).toThrow(
      [
        "On this path of 'a warm lamp':",
        'Given off',
        'When pressed',
        'Then warming',
        'When done warmUp {"output":{"warm":true}}',
        'Then on',
        'When after expiry',
        'Then off',
      ].join('\n'),
    );
  });
});
