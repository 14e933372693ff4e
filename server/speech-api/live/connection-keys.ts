import type { LiveConfig } from '#contract/live.ts';
import { keyOf } from '../../http/bearer.ts';
import { refusal } from './refusal.ts';

/** The keys that came with the handshake. */
export interface ConnectionKeys {
  /** `Authorization: Bearer KEY` */
  header: string | undefined;
  /** The subprotocol that follows the one that announces a key. */
  subprotocol: string | undefined;
}

/** The one key of the three places it can stand in; the same one may stand in several. @throws LiveRefusal */
export function oneKey({ header, subprotocol }: ConnectionKeys, config: LiveConfig): string {
  const given = new Set([header, subprotocol, config.api_key].map(keyOf).filter((key) => key !== undefined));
  if (given.size > 1) throw refusal.invalid('The API key must be given in one way only.');
  const [key] = given;
  if (!key) throw refusal.missingKey();
  return key;
}
