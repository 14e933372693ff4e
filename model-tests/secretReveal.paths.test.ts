import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { secretRevealMachine } from '#machines/shared/secretReveal/machine.ts';
import { describeWalk } from './walk.ts';

const input = { secret: 'prl_0123456789', name: 'CI' };

describe('a secret that is shown once', () => {
  describeWalk(secretRevealMachine, {
    tags: { refused: ['kept.refused'], asking: ['kept.asking'], copied: ['copied'] },
    ignored: {
      'A dialog asks, or it is being copied already': 'copy.requested in kept.{asking, copying}',
      'The dialog asks already': 'dismiss.requested in kept.asking',
      'No dialog asks': 'dismiss.confirmed, dismiss.withdrawn in copied, kept.{copying, fresh, refused}',
    },
    input,
    cases: { 'copy.requested': [{ text: input.secret }] },
    distinguish: () => null,
    // At unsavedWork until it is copied or given up.
    states: {
      kept: ({ children }) => expect(Object.keys(children)).toContain('unsavedWork'),
      copied: ({ children }) => expect(Object.keys(children)).not.toContain('unsavedWork'),
      gone: ({ children }) => expect(Object.keys(children)).not.toContain('unsavedWork'),
    },
  });

  it('PRJ-03: asks before it goes unless it was copied, and forgets it when it is gone', async () => {
    const copied: string[] = [];
    const copyText = fromPromise<void, { text: string }>(({ input: { text } }) => {
      copied.push(text);
      return Promise.resolve();
    });
    const reveal = createActor(secretRevealMachine.provide({ actors: { copyText } }), { input }).start();
    expect(reveal.getSnapshot().context.isShown).toBe(false);
    reveal.send({ type: 'dismiss.requested' });
    expect(reveal.getSnapshot().hasTag('asking')).toBe(true);
    reveal.send({ type: 'dismiss.withdrawn' });
    reveal.send({ type: 'copy.requested', text: 'Bearer prl_0123456789' });
    await waitFor(reveal, (snapshot) => snapshot.hasTag('copied'));
    expect(copied).toEqual(['Bearer prl_0123456789']);
    reveal.send({ type: 'dismiss.requested' });
    expect(reveal.getSnapshot().status).toBe('done');
    expect(reveal.getSnapshot().context).toMatchObject({ secret: '', text: '' });
  });
});
