import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';

/** Result of a try: the page has all its code, some is missing, or the server has another version. */
export type PartsState = 'whole' | 'missing' | 'outdated';

/** Sent by `watchParts`: code could not be fetched, or the network is back. */
export type PartsEvent = { type: 'part.missed' } | { type: 'network.back' };

/** Watches for late code that cannot be fetched. */
export const watchParts = callbackPlaceholder('watchParts');

/** Tries to fetch all missing code. */
export const fetchParts = promisePlaceholder<PartsState>('fetchParts');
