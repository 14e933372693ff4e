import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';

/** How the page is after a try: it has all that was asked for, something is missing, or the server has another version by now. */
export type Found = 'whole' | 'missing' | 'outdated';

/** What `watchParts` tells: something could not be fetched, or the network is there again. */
export type PartsEvent = { type: 'part.missed' } | { type: 'network.back' };

/** Tells when code that comes late could not be fetched. */
export const watchParts = callbackPlaceholder('watchParts');

/** Tries to fetch all that is missing. */
export const fetchParts = promisePlaceholder<Found>('fetchParts');
