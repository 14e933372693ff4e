import { randomUUID } from 'node:crypto';
import type { GateKeeper, Applicant } from '#server/speech-api/live/gate.ts';
import type { Admission } from '#server/speech-api/live/ports.ts';
import type { StartRequest } from '#server/speech-api/live/start-request.ts';

/** A connection that wants to be admitted, without a key in its handshake. */
export const visitor = (own: Partial<Applicant> = {}): Applicant => ({
  keys: { header: undefined, subprotocol: undefined },
  address: '127.0.0.1',
  requestId: randomUUID(),
  meter: { usage: { outputTokens: 0, latencyMs: null, finalsMs: null } },
  heardMs: () => 1000,
  asked: () => null,
  withdraw: () => {},
  ...own,
});

/** A stream that a process admits, without a socket and an engine. */
export async function admit(keeper: GateKeeper, api_key: string): Promise<Admission> {
  const config = { api_key, model: 'parlance-rt-1', audio_format: 'auto' };
  const admitting = await keeper.gateFor(visitor()).authenticate(config);
  return admitting.admit({ requestedModel: config.model, clientReferenceId: null } as StartRequest, () => {});
}
