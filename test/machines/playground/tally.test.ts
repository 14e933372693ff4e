import { describe, expect, it } from 'vitest';
import type { LiveToken } from '#contract/live.ts';
import { NO_TALLY, withSound, withTokens } from '#machines/playground/live/tally.ts';

const token = (text: string, rest: Partial<LiveToken> = {}): LiveToken => ({
  text,
  is_final: true,
  start_ms: 0,
  end_ms: 1,
  ...rest,
});

describe('LVP-03: what a session was', () => {
  it('is its sound, its final words once each, and when the first word came', () => {
    let tally = withSound(withSound(NO_TALLY, 120), 120);
    tally = withTokens(tally, [token(' ', { is_final: false })]);
    expect(tally.firstWordMs).toBeNull();
    tally = withTokens(tally, [token('Good', { is_final: false })]);
    expect(tally).toMatchObject({ firstWordMs: 240, words: 0 });
    tally = withTokens(withSound(tally, 120), [
      token('Good'),
      token(' mor'),
      token('ning'),
      token(','),
      token('<end>'),
    ]);
    expect(tally).toMatchObject({ soundMs: 360, words: 2, firstWordMs: 240 });
    tally = withTokens(tally, [token(' every one'), token(' Guten', { translation_status: 'translation' })]);
    expect(tally.words).toBe(4);
    expect(withTokens(tally, [token('self.')]).words).toBe(4);
  });

  it('has no words of marks and nothing else', () => {
    expect(withTokens(NO_TALLY, [token('<fin>'), token('<end>')])).toEqual(NO_TALLY);
  });
});
