import { expect, it } from 'vitest';
import { isNoBudget } from '#machines/workspace/limits/amounts.ts';

it.each([
  ['budget_micros', '0', true],
  ['budget_micros', ' 0.00 ', true],
  ['budget_micros', '', false],
  ['budget_micros', '0.000001', false],
  ['audio_minutes', '0', false],
] as const)('BIX-16: the dialog of %s warns at "%s" that every request is refused: %s', (name, typed, warns) => {
  expect(isNoBudget(name, typed)).toBe(warns);
});
