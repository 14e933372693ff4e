import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type NetworkEvent = { type: 'network.offline' } | { type: 'network.back' };

/** Reports whether the browser is online: `network.offline` at the start if it is not, then every change. */
export const network = callbackPlaceholder('network');
