import { randomUUID } from 'node:crypto';
import type { Visitor } from '#server/speech-api/live/gate.ts';

/** A connection that wants to be admitted, without a key in its handshake. */
export const visitor = (own: Partial<Visitor> = {}): Visitor => ({
  keys: { header: undefined, subprotocol: undefined },
  address: '127.0.0.1',
  requestId: randomUUID(),
  meter: { usage: { outputTokens: 0, latencyMs: null, finalsMs: null } },
  heardMs: () => 1000,
  withdraw: () => {},
  ...own,
});
