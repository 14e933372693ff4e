import { describe, expect, it, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { LiveSessionToKeep } from '#contract/transcriptions.ts';
import { savingSessionMachine } from '#machines/playground/live/savingSession/machine.ts';
import { alone } from '#test/machines/appServices.ts';
import { transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const session: LiveSessionToKeep = {
  model: 'rt-1',
  filename: 'Microphone',
  audio_duration_ms: 900,
  tokens: [{ text: 'Hello' }],
};

describe('LVP-06 LVP-07: every way of saving a live session', () => {
  describeWalks(
    savingSessionMachine,
    {
      tags: { unsaved: ['restored', 'offered', 'failed'], busy: ['saving'], saved: ['saved'], failed: ['failed'] },
      ignored: {
        'The choice is read before anything else happens':
          'session.began, session.ended, record.cleared, save.requested in restored',
        'There is nothing else to save': 'save.requested in none, saved, saving',
        'Nothing is on offer; what is being saved is saved': 'session.began, record.cleared in none, saving',
      },
      cases: {
        'session.ended': [{ session }],
        'choice.read': [{ isAlways: true }, { isAlways: false }],
        'done saveSession': [transcription({ id: 'kept' })],
      },
      distinguish: ({ context }) => [context.isAlways, context.waiting.length > 0],
      states: {
        none: ({ context }) => expect(context.session).toBeNull(),
        offered: ({ context }) => expect(context.session).toEqual(session),
        saving: ({ context }) => expect(context).toMatchObject({ failure: null, session }),
        saved: ({ context }) => expect(context.savedId).toBe('kept'),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'a new screen': { input: { session: null } },
      'a screen with a session that nobody has saved': { input: { session } },
    },
  );
});

it('LVP-07: each session that ends while another is being saved is saved, if all are', async () => {
  const saved: string[] = [];
  const finish: (() => void)[] = [];
  const actor = createActor(
    alone(savingSessionMachine).provide({
      actors: {
        saveSession: fromPromise(async ({ input }: { input: { session: LiveSessionToKeep } }) => {
          saved.push(input.session.filename);
          await new Promise<void>((resolve) => finish.push(resolve));
          return transcription({ id: input.session.filename });
        }),
        savingChoice: fromCallback(({ sendBack }) => sendBack({ type: 'choice.read', isAlways: true })),
      },
    }),
    { input: { session: null } },
  ).start();
  for (const filename of ['first', 'second', 'third'])
    actor.send({ type: 'session.ended', session: { ...session, filename } });
  for (const count of [1, 2, 3]) {
    await vi.waitFor(() => expect(finish).toHaveLength(count));
    finish[count - 1]?.();
  }
  await waitFor(actor, (snapshot) => snapshot.hasTag('saved'));
  expect(saved).toEqual(['first', 'second', 'third']);
});
