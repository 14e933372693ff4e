import { describe, expect } from 'vitest';
import { eventsMachine } from '#machines/workspace/events/machine.ts';
import { describeWalk } from './walk.ts';

describe('CON-05: every way through the stream of events', () => {
  describeWalk(eventsMachine, {
    cases: { 'stream.told': [{ type: 'stream.told', event: { type: 'resync' } }] },
    states: {
      'streaming.open': (snapshot) => {
        expect(snapshot.hasTag('open')).toBe(true);
        expect(snapshot.context.failures).toBe(0);
      },
      'streaming.connecting': (snapshot) => { expect(snapshot.hasTag('open')).toBe(false); },
    },
    limit: 2000,
    distinguish: ({ context }) => Math.min(context.failures, 1),
  });
});
