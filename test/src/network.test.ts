import { describe, expect, it } from 'vitest';
import { createActor, setup, type AnyEventObject } from 'xstate';
import { createNetwork } from '#src/effects/browser/network.ts';

function network(onLine: boolean) {
  const window = new EventTarget();
  const told: string[] = [];
  const actor = createActor(
    setup({
      types: {} as { events: AnyEventObject },
      actors: {
        network: createNetwork({ window, navigator: { onLine } } as unknown as Parameters<typeof createNetwork>[0]),
      },
    }).createMachine({
      invoke: { src: 'network' },
      on: { '*': { actions: ({ event }) => void told.push(event.type) } },
    }),
  ).start();
  return { actor, told, say: (event: 'online' | 'offline') => window.dispatchEvent(new Event(event)) };
}

describe('UXP-41: what the browser says of its network', () => {
  it('is told on every change, and not once nobody listens', () => {
    const { actor, told, say } = network(true);
    expect(told).toEqual([]);
    say('offline');
    say('online');
    expect(told).toEqual(['network.lost', 'network.back']);
    actor.stop();
    say('offline');
    expect(told).toHaveLength(2);
  });

  it('is told at once where there is none', () => {
    expect(network(false).told).toEqual(['network.lost']);
  });
});
