// Models the player of a recording: playing or paused, position, speed.
// Owned by `async`, while a playable file is open.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import { notifyParent } from '../../shared/notifyParent.ts';
import { sound, type SoundCommand, type SoundEvent } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { hold } from '../../shared/holding.ts';

type PlayerContext = {
  url: string;
  positionMs: number;
  /** Null until it is known, and for recordings that do not say. */
  durationMs: number | null;
  rate: number;
};

type PlayerUserEvent =
  | { type: 'toggle.requested' }
  | { type: 'seek.requested'; positionMs: number }
  | { type: 'skip.requested'; byMs: number }
  /** A word of the transcript was chosen: play from there. */
  | { type: 'word.chosen'; startMs: number }
  | { type: 'rate.selected'; rate: number }
  | { type: 'rate.stepped'; by: 1 | -1 };

/** The browser cannot play the recording. */
export type PlayerNotice = { type: 'audio.failed' };

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;
/** Step of Back and Forward, milliseconds. */
export const SKIP_MS = 5000;

const within = (positionMs: number, { durationMs }: PlayerContext) =>
  Math.max(0, durationMs === null ? positionMs : Math.min(positionMs, durationMs));

/** The next faster or slower rate, or the same at either end. */
function stepped(rate: number, by: number): number {
  const index = RATES.findIndex((known) => known >= rate);
  return RATES[Math.max(0, Math.min(RATES.length - 1, index + by))] ?? 1;
}

const setupPlayer = setup({
  types: {} as {
    context: PlayerContext;
    input: { url: string };
    events: PlayerUserEvent | SoundEvent;
    tags: 'playing' | 'failed';
    children: { sound: 'sound' };
  },
  actors: { sound },
  actions: {
    hold,
    setDuration: assign((_, { durationMs }: { durationMs: number | null }) => ({ durationMs })),
    setPosition: assign(({ context }, { positionMs }: { positionMs: number }) => ({
      positionMs: within(positionMs, context),
    })),
    setRate: assign((_, { rate }: { rate: number }) => ({ rate })),
    stopAtEnd: assign(({ context }) => ({ positionMs: context.durationMs ?? context.positionMs })),
    seek: sendTo('sound', ({ context }): SoundCommand => ({ type: 'sound.seek', positionMs: context.positionMs })),
    sendRate: sendTo('sound', ({ context }): SoundCommand => ({ type: 'sound.rate', rate: context.rate })),
    play: sendTo('sound', { type: 'sound.play' }),
    pause: sendTo('sound', { type: 'sound.pause' }),
    notifyParent: notifyParent<PlayerNotice>(),
  },
});

export const playerMachine = setupPlayer.createMachine({
  id: 'player',
  context: ({ input }) => ({ url: input.url, positionMs: 0, durationMs: null, rate: 1 }),
  entry: 'hold',
  initial: 'usable',
  states: {
    usable: {
      invoke: { id: 'sound', src: 'sound', input: ({ context }) => ({ url: context.url }), onError: 'failed' },
      on: {
        'sound.loaded': { actions: withEvent('setDuration') },
        'sound.failed': 'failed',
        'seek.requested': { actions: [withEvent('setPosition'), 'seek'] },
        'skip.requested': {
          actions: [
            { type: 'setPosition', params: ({ context, event }) => ({ positionMs: context.positionMs + event.byMs }) },
            'seek',
          ],
        },
        'word.chosen': {
          target: '.starting',
          actions: [{ type: 'setPosition', params: ({ event }) => ({ positionMs: event.startMs }) }, 'seek', 'play'],
        },
        'rate.selected': { actions: [withEvent('setRate'), 'sendRate'] },
        'rate.stepped': {
          actions: [
            { type: 'setRate', params: ({ context, event }) => ({ rate: stepped(context.rate, event.by) }) },
            'sendRate',
          ],
        },
      },
      initial: 'paused',
      states: {
        paused: { on: { 'toggle.requested': { target: 'starting', actions: 'play' }, 'sound.started': 'playing' } },
        // Waits for the sound, which may still be loading.
        starting: {
          tags: 'playing',
          on: {
            'toggle.requested': { target: 'paused', actions: 'pause' },
            'sound.started': 'playing',
            'sound.paused': 'paused',
          },
        },
        playing: {
          tags: 'playing',
          on: {
            'toggle.requested': { target: 'paused', actions: 'pause' },
            'sound.progressed': { actions: withEvent('setPosition') },
            'sound.paused': 'paused',
            'sound.ended': { target: 'paused', actions: 'stopAtEnd' },
          },
        },
      },
    },
    failed: { tags: 'failed', entry: { type: 'notifyParent', params: { type: 'audio.failed' } } },
  },
});

export type PlayerActor = ActorRefFrom<typeof playerMachine>;
