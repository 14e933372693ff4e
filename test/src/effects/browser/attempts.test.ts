import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { createAttempts } from '#src/effects/browser/attempts.ts';
import { randomUuid } from '#src/effects/browser/randomUuid.ts';
import { createWebStorage } from '#src/effects/browser/webStorage.ts';
import type { PaymentWish } from '#machines/workspace/billing/payment/actors.ts';
import { MemoryStorage } from '../../fake-storage.ts';

const HOUR_MS = 3_600_000;
const payment: PaymentWish = { orgUuid: 'o1', kind: 'payment', amountMicros: 20_000_000 };

function browser() {
  const kept = new MemoryStorage();
  const storage = createWebStorage(() => kept);
  let now = 0;
  /** What a tab, or a page after a reload, has. */
  const tab = () => {
    const { takeAttempt, attemptMemory } = createAttempts(storage, 'parlance', () => now);
    return {
      take: (wanted: Partial<PaymentWish> = {}, endedAttempt: string | null = null) =>
        toPromise(createActor(takeAttempt, { input: { ...payment, ...wanted, endedAttempt } }).start()),
      end: (attempt: string) =>
        createActor(attemptMemory).start().send({ type: 'attempt.ended', orgUuid: 'o1', attempt }),
    };
  };
  return { kept, tab, pass: (ms: number) => void (now += ms) };
}

describe('BIX-04: what is begun twice is one payment', () => {
  it('a UUID is one, and another each time', () => {
    expect(randomUuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(randomUuid()).not.toBe(randomUuid());
  });

  it('in two tabs, and after a reload', async () => {
    const { tab } = browser();
    const first = await tab().take();
    expect([await tab().take(), await tab().take()]).toEqual([first, first]);
  });

  it('another amount, another organization and a setup are something else', async () => {
    const { tab } = browser();
    const { take } = tab();
    const others = [
      await take(),
      await take({ orgUuid: 'o2' }),
      await take({ kind: 'setup', amountMicros: null }),
      await take({ amountMicros: 5_000_000 }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('another is begun once the first has ended, is known to be over, or its page cannot be there any more', async () => {
    const { tab, pass } = browser();
    const { take, end } = tab();
    const first = await take();
    end(first);
    const second = await take();
    const third = await take({}, second);
    pass(25 * HOUR_MS);
    const fourth = await take();
    expect(new Set([first, second, third, fourth]).size).toBe(4);
    // The end of another one changes nothing.
    end(first);
    expect(await take()).toBe(fourth);
  });

  it('what somebody else has written there is not taken', async () => {
    const { tab, kept } = browser();
    await tab().take();
    kept.setItem(kept.key(0) ?? '', '{"attempt":"javascript:alert(1)"}');
    expect(kept.length).toBe(1);
    expect(await tab().take()).toMatch(/^[\da-f-]{36}$/);
  });
});
