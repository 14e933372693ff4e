import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type NetworkEvent = { type: 'network.offline' } | { type: 'network.back' };

/** Reports the browser's network: `network.offline` at once where there is none, and either on every change. */
export const network = callbackPlaceholder('network');
