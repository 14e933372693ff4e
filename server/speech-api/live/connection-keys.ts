import type { LiveConfig } from '#contract/live.ts';
import { keyOf } from '../../http/bearer.ts';
import { refusal } from './refusal.ts';

/** API keys in the handshake's headers. */
export interface ConnectionKeys {
  /** `Authorization: Bearer KEY` */
  header: string | undefined;
  /** The second offered subprotocol, if the first one announces a key. */
  subprotocol: string | undefined;
}

/**
 * The API key, from the header, the subprotocol or the start request. A client may repeat the key, but not send two.
 * @throws LiveRefusal
 */
export function apiKeyOf({ header, subprotocol }: ConnectionKeys, config: LiveConfig): string {
  const keys = new Set([header, subprotocol, config.api_key].map(keyOf).filter((key) => key !== undefined));
  if (keys.size > 1) throw refusal.invalid('The API key must be given in one way only.');
  const [key] = keys;
  if (!key) throw refusal.missingKey();
  return key;
}
