import { describe, expect, it } from 'vitest';
import { createNetwork } from '#src/effects/browser/network.ts';
import { noted } from '../../noted.ts';

function network(onLine: boolean) {
  const window = new EventTarget();
  const browser = { window, navigator: { onLine } } as unknown as Parameters<typeof createNetwork>[0];
  const { stop, types } = noted(createNetwork(browser));
  return { stop, types, say: (event: 'online' | 'offline') => window.dispatchEvent(new Event(event)) };
}

describe('UXP-41: what the browser says of its network', () => {
  it('is told on every change, and not once nobody listens', () => {
    const { stop, types, say } = network(true);
    expect(types()).toEqual([]);
    say('offline');
    say('online');
    expect(types()).toEqual(['network.offline', 'network.back']);
    stop();
    say('offline');
    expect(types()).toHaveLength(2);
  });

  it('is told at once where there is none', () => {
    expect(network(false).types()).toEqual(['network.offline']);
  });
});
