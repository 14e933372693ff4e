import { callbackPlaceholder } from '../../shared/placeholder.ts';

/** From the player to `sound`. Positions in milliseconds. */
export type SoundCommand =
  | { type: 'sound.play' }
  | { type: 'sound.pause' }
  | { type: 'sound.seek'; positionMs: number }
  | { type: 'sound.rate'; rate: number };

/** From `sound` to the player. `durationMs` is null if the recording does not say. */
export type SoundEvent =
  | { type: 'sound.loaded'; durationMs: number | null }
  | { type: 'sound.started' }
  | { type: 'sound.paused' }
  | { type: 'sound.progressed'; positionMs: number }
  | { type: 'sound.ended' }
  | { type: 'sound.failed' };

/** Plays a recording from a URL, audibly. */
export const sound = callbackPlaceholder<SoundCommand, { url: string }>('sound');
