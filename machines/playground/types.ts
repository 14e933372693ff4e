import type { SavedLive } from './live/types.ts';
import type { AsyncSettings } from './settings/types.ts';

/** What of a playground outlives its screen (CON-02). `async`: what is set for the files of the REST API tab. */
export type SavedPlayground = { live: SavedLive | null; async: { settings: AsyncSettings; modelId: string | null } };
