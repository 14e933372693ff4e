// Models whether a running session hears anything: how loud it is, and that nothing came for a while (LVP-01, LVP-02).
// Owned by `live` while a session runs, which hands on what every chunk of sound measures.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';
import { HEARD_LEVEL } from '../../stream/loudness.ts';
import type { LiveSource } from '../types.ts';

/** Milliseconds without sound after which it is said. */
export const SILENCE_MS = 4000;

export type SoundMeasured = {
  type: 'sound.measured';
  /** 0..1. */
  level: number;
  /** How long the sound is that was measured, milliseconds. */
  durationMs: number;
};

export const inputLevelMachine = setup({
  types: {} as {
    context: { source: LiveSource; level: number };
    input: { source: LiveSource };
    events: SoundMeasured;
    tags: 'silent';
  },
  delays: { silence: SILENCE_MS },
  guards: {
    isHeard: (_, { level }: SoundMeasured) => level > HEARD_LEVEL,
    // A file may be silent for as long as it likes.
    isMicrophone: ({ context }) => context.source === 'microphone',
  },
  actions: { setLevel: assign((_, { level }: SoundMeasured) => ({ level })) },
}).createMachine({
  id: 'inputLevel',
  context: ({ input: { source } }) => ({ source, level: 0 }),
  initial: 'listening',
  on: {
    'sound.measured': [
      { guard: withEvent('isHeard'), target: '.listening', reenter: true, actions: withEvent('setLevel') },
      { actions: withEvent('setLevel') },
    ],
  },
  states: {
    // Entered anew with every sound, so that only silence lasts.
    listening: { after: { silence: { guard: 'isMicrophone', target: 'silent' } } },
    silent: { tags: 'silent' },
  },
});

export type InputLevelActor = ActorRefFrom<typeof inputLevelMachine>;
