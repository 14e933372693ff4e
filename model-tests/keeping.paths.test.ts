import { describe, expect } from 'vitest';
import type { LiveSessionToKeep } from '#contract/transcriptions.ts';
import { keepingMachine } from '#machines/playground/live/keeping/machine.ts';
import { transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const session: LiveSessionToKeep = {
  model: 'rt-1',
  filename: 'Microphone',
  audio_duration_ms: 900,
  tokens: [{ text: 'Hello' }],
};

describe('LVP-06 LVP-07: every way of keeping a live session', () => {
  describeWalks(
    keepingMachine,
    {
      tags: { unkept: ['left', 'offered', 'failed'], busy: ['keeping'], kept: ['kept'], failed: ['failed'] },
      ignored: {
        'The choice is read before anything else happens':
          'session.began, session.ended, record.cleared, keep.requested in left',
        'There is nothing else to keep': 'keep.requested in none, keeping, kept',
        'Nothing is on offer; what is being kept is kept': 'session.began, record.cleared in none, keeping',
      },
      cases: {
        'session.ended': [{ session }],
        'choice.read': [{ isAlways: true }, { isAlways: false }],
        'done saveSession': [transcription({ id: 'kept' })],
      },
      distinguish: ({ context }) => [context.isAlways, context.next !== null],
      states: {
        none: ({ context }) => expect(context.session).toBeNull(),
        offered: ({ context }) => expect(context.session).toEqual(session),
        keeping: ({ context }) => expect(context).toMatchObject({ failure: null, session }),
        kept: ({ context }) => expect(context.keptId).toBe('kept'),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'a new screen': { input: { session: null } },
      'a screen with a session that nobody has kept': { input: { session } },
    },
  );
});
