import { callbackPlaceholder } from '../../shared/placeholder.ts';

/** What the player asks of the sound. Positions in milliseconds. */
export type SoundCommand =
  | { type: 'sound.play' }
  | { type: 'sound.pause' }
  | { type: 'sound.seek'; positionMs: number }
  | { type: 'sound.rate'; rate: number };

/** What the sound tells. `durationMs` is null where the recording does not say how long it is. */
export type SoundEvent =
  | { type: 'sound.loaded'; durationMs: number | null }
  | { type: 'sound.started' }
  | { type: 'sound.paused' }
  | { type: 'sound.progressed'; positionMs: number }
  | { type: 'sound.ended' }
  | { type: 'sound.failed' };

/** Plays a recording from an address, audibly. */
export const sound = callbackPlaceholder<SoundCommand, { url: string }>('sound');
