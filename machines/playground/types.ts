import type { SavedAsync } from './async/context.ts';
import type { SavedLive } from './live/types.ts';

/** State of a playground that outlives its screen (CON-02), of both its sides. */
export type SavedPlayground = {
  live: SavedLive | null;
  async: SavedAsync;
  /** The request of the logs whose settings a panel has taken over; null without one. */
  openedLog: string | null;
};
