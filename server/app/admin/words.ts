/** Checks the words of a command, and lays its answer out in columns. */
import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { LIMITS, type LimitName } from '#contract/limits.ts';
import type { Correction } from '../../money/payments/correct.ts';
import { isLimitName } from '../../money/limits/bounds.ts';
import { type Maximum } from '../../money/limits/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { MICROS_PER_USD } from '../../platform/prices.ts';

/** Micro-USD of an amount in dollars. @throws OperatorError if it is none, is 0, or is negative for a credit */
export function microsOf(usd: string, kind: Correction['kind']): number {
  if (!/^-?\d{1,6}(\.\d{1,6})?$/.test(usd) || Number(usd) === 0)
    throw new OperatorError(
      `USD must be an amount such as 10${kind === 'credit' ? ' or 2.50' : ', 2.50 or -2.50'}, not ${JSON.stringify(usd)}.`,
    );
  const micros = Math.round(Number(usd) * MICROS_PER_USD);
  if (micros < 0 && kind === 'credit')
    throw new OperatorError('A credit must be above zero. To lower the balance: npm run admin -- correct');
  return micros;
}

/** Replaces line breaks and control characters, which could steer a terminal, by spaces. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ');

/** The text on one line. @throws OperatorError with `problem` if it is empty */
export function notEmpty(text: string, problem: string): string {
  const line = oneLine(text).trim();
  if (line === '') throw new OperatorError(problem);
  return line;
}

/** Checks the number of words. @throws OperatorError unless there is one for each name */
export function exactly<const N extends readonly string[]>(
  args: readonly string[],
  names: N,
): { [K in keyof N]: string } {
  if (args.length !== names.length)
    throw new OperatorError(
      names.length === 0
        ? 'This command takes no more words.'
        : `This command takes ${names.join(' ')}. See: npm run admin -- --help`,
    );
  // The compiler cannot see that the lengths are equal.
  return args as unknown as { [K in keyof N]: string };
}

/** @throws OperatorError unless the text is a UUID */
export function idOf(text: string): string {
  const { success, output } = v.safeParse(Uuid, text);
  if (!success) throw new OperatorError(`${JSON.stringify(text)} is no id: one looks like 0b7e4c1a-….`);
  return output;
}

/** @throws OperatorError if there is no such limit */
export function limitOf(text: string): LimitName {
  if (!isLimitName(text))
    throw new OperatorError(`There is no limit ${JSON.stringify(text)}. There are: ${LIMITS.join(', ')}.`);
  return text;
}

/** @throws OperatorError unless the text is a whole number, `none` or `default` */
export function maximumOf(text: string): Maximum {
  if (text === 'none') return null;
  if (text === 'default') return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new OperatorError(`VALUE must be a whole number, none or default, not ${JSON.stringify(text)}.`);
  return value;
}

/** Aligns rows in columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = clean[0]?.map((_, n) => Math.max(...clean.map((row) => row[n]?.length ?? 0))) ?? [];
  return clean
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
