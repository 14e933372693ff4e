// Models the input level of a running session, and whether it has been silent for a while (LVP-01, LVP-02).
// Owned by `live` while a session runs, which sends it the measure of every chunk.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';
import type { LiveSource } from '../types.ts';

/** A louder sound on the meter is surely no silence. */
export const HEARD_LEVEL = 0.2;
/** Silence before the page mentions it, milliseconds. */
export const SILENCE_MS = 4000;

export type SoundMeasured = {
  type: 'sound.measured';
  /** 0..1. */
  level: number;
  /** Length of the measured sound, milliseconds. */
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
    // Silence in a file is no problem.
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
    // Every sound re-enters this state, which restarts the timer.
    listening: { after: { silence: { guard: 'isMicrophone', target: 'silent' } } },
    silent: { tags: 'silent' },
  },
});

export type InputLevelActor = ActorRefFrom<typeof inputLevelMachine>;
