import { describe, expect } from 'vitest';
import { eventsMachine } from '#machines/workspace/events/machine.ts';
import { describeWalk } from './walk.ts';

describe('CON-05: every way through the stream of events', () => {
  describeWalk(eventsMachine, {
    tags: { open: ['streaming.open'] },
    ignored: {
      'The stream is asked for once': 'page.present in pausing, streaming',
      'The stream is not open': 'stream.ended, stream.failed in absent, pausing',
      'The stream opens once': 'stream.opened in absent, pausing, streaming.open',
      'The stream tells nothing before it opens or after it ends':
        'stream.received in absent, pausing, streaming.connecting',
    },
    cases: { 'stream.received': [{ event: { type: 'resync' } }] },
    states: {
      'streaming.open': ({ context }) => expect(context.failures).toBe(0),
    },
    limit: 2000,
    distinguish: ({ context }) => Math.min(context.failures, 1),
  });
});
