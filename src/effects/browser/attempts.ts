import * as v from 'valibot';
import { fromCallback, fromPromise } from 'xstate';
import { Uuid } from '#contract/fields.ts';
import type { AttemptEnded, PaymentWish } from '#machines/workspace/billing/payment/actors.ts';
import { readJson, type TextStorage } from './webStorage.ts';

const StoredAttempt = v.object({ attempt: Uuid, amountMicros: v.nullable(v.number()), at: v.number() });

/** Longest life of a hosted page, milliseconds. An older attempt is not repeated. */
const PAGE_LIFE_MS = 86_400_000;

const BYTES = 16;
const HEX = 16;
/** A random UUID, also in an insecure context, where the browser makes none. */
export function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(HEX).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Remembers each organization's last attempt at the payment provider, for all tabs: asking for the same again repeats
 * the attempt until it has ended (BIX-04).
 */
export function createAttempts(storage: TextStorage, product: string, now: () => number = Date.now) {
  const keyOf = (orgUuid: string, kind: string) => `${product}_${kind}_attempt_${orgUuid}`;
  const read = (key: string) => readJson(storage, key, (value) => (v.is(StoredAttempt, value) ? value : undefined));
  return {
    takeAttempt: fromPromise<string, PaymentWish & { endedAttempt: string | null }>(
      async ({ input: { orgUuid, kind, amountMicros, endedAttempt } }) => {
        const key = keyOf(orgUuid, kind);
        const kept = read(key);
        const isSame = kept && kept.amountMicros === amountMicros && kept.attempt !== endedAttempt;
        if (isSame && Math.abs(now() - kept.at) < PAGE_LIFE_MS) return kept.attempt;
        const attempt = randomUuid();
        storage.write(key, JSON.stringify({ attempt, amountMicros, at: now() }));
        return attempt;
      },
    ),
    attemptMemory: fromCallback<AttemptEnded, void>(({ receive }) => {
      receive(({ orgUuid, attempt }) => {
        for (const kind of ['payment', 'setup'])
          if (read(keyOf(orgUuid, kind))?.attempt === attempt) storage.remove(keyOf(orgUuid, kind));
      });
    }),
  };
}
