import * as v from 'valibot';
import { fromCallback, fromPromise } from 'xstate';
import { Uuid } from '#contract/fields.ts';
import type { AttemptEnded, PaymentWish } from '#machines/workspace/billing/payment/actors.ts';
import { randomUuid } from './randomUuid.ts';
import { readJson, type TextStorage } from './webStorage.ts';

const StoredAttempt = v.object({ attempt: Uuid, amountMicros: v.nullable(v.number()), at: v.number() });

/** Longest life of a hosted page, milliseconds. An older attempt is not repeated. */
const PAGE_LIFE_MS = 86_400_000;

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
