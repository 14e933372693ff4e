import { describe, expect } from 'vitest';
import { eventsMachine } from '#machines/workspace/events/machine.ts';
import { describeWalk } from './walk.ts';

describe('CON-05: every way through the stream of events', () => {
  describeWalk(eventsMachine, {
    tags: { open: ['streaming.open'] },
    ignored: [
      { states: ['pausing', 'streaming'], events: ['page.present'], why: 'The stream is asked for once' },
      { states: ['absent', 'pausing'], events: ['stream.ended', 'stream.failed'], why: 'The stream is not open' },
      { states: ['absent', 'pausing', 'streaming.open'], events: ['stream.opened'], why: 'The stream opens once' },
      {
        states: ['absent', 'pausing', 'streaming.connecting'],
        events: ['stream.told'],
        why: 'The stream tells nothing before it opens or after it ends',
      },
    ],
    cases: { 'stream.told': [{ type: 'stream.told', event: { type: 'resync' } }] },
    states: {
      'streaming.open': ({ context }) => {
        expect(context.failures).toBe(0);
      },
    },
    limit: 2000,
    distinguish: ({ context }) => Math.min(context.failures, 1),
  });
});
