import type { SavedLive } from './live/types.ts';
import type { AsyncSettings } from './settings/types.ts';

/** State of a playground that outlives its screen (CON-02). `async` belongs to the REST API tab. */
export type SavedPlayground = { live: SavedLive | null; async: { settings: AsyncSettings; modelId: string | null } };
